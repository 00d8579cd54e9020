"""Whether an answer says what its evidence says: every citation was given, is unaltered, and holds what is quoted from it.

    answer + pack (+ the generation that it came from) -> one finding for each citation and each quotation, and what cites nothing

Quotations are compared to the letter (`indexes.query.passages.ways`), with titles and headings, too. That an answer is *true* to
a passage that it only paraphrases is not told here: no comparison of characters can.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from indexes.generation.snapshot import Snapshot
from indexes.query.passages import passages, quotations, squeezed, stands, ways
from indexes.query.request import Request, predicate_of
from ingest.errors import UsageError
from ingest.model.canonical import sha256_hex
from ingest.model.evidence import Evidence, EvidencePack
from ingest.model.predicate import Predicate, filter_columns
from ingest.model.row import ChunkRow

Problem = Literal["unknown", "altered", "gone", "changed"]
Misquoted = Literal["nowhere", "elsewhere"]


@dataclass(frozen=True, slots=True)
class Cited:
    """A citation of the answer, and how often it stands there. `problems`: unknown (the pack has no such piece), altered (its
    text is not the one of its checksum), gone (the kept generation has no such row, or not for this caller), changed (the kept
    row has another text)."""

    citation: str
    times: int
    chunk_id: str | None = None
    uri: str | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Quoted:
    """A quotation, the citations of its sentence, and the pieces of the pack that hold it. `problem`: nowhere (no piece of the
    pack says so), elsewhere (another piece than those cited does)."""

    text: str
    citations: tuple[str, ...]
    found_in: tuple[str, ...]
    problem: Misquoted | None = None


@dataclass(frozen=True, slots=True)
class CitationReport:
    """`valid`: no citation and no quotation has a problem. `sentences` counts those that state something, `uncited` lists those
    without a citation: reported, and no problem in itself. `kept`: whether the generation that was compared with is the one that
    the pack came from; None: the pack alone was looked at."""

    valid: bool
    cited: tuple[Cited, ...]
    quoted: tuple[Quoted, ...]
    sentences: int
    uncited: tuple[str, ...]
    kept: bool | None = None


def verify_citations(
    answer: str, pack: EvidencePack, snapshot: Snapshot | None = None, predicate: Predicate | None = None
) -> CitationReport:
    """Hold an answer to the pack that it was written from.

    With `snapshot`, the generation as it is kept, the rows that are cited are compared with it, too; `predicate` says which of
    them may be looked at, by default those of the pack's own caller. What a caller may not see is `gone` to him.
    """
    given = {item.citation: item for item in pack.evidence}
    said = passages(answer)
    times = Counter(citation for passage in said for citation in passage.citations)
    rows = None if snapshot is None else _rows(snapshot, pack, predicate, [given[each] for each in times if each in given])
    cited = tuple(_cited(citation, times[citation], given.get(citation), rows) for citation in sorted(times, key=_number))
    quoted = tuple(_quoted(answer, pack.evidence))
    kept = None if snapshot is None else snapshot.manifest.snapshot == pack.snapshot
    problems = any(each.problems for each in cited) or any(each.problem for each in quoted) or kept is False
    stating = [passage for passage in said if passage.states]
    return CitationReport(
        not problems, cited, quoted, len(stating), tuple(passage.text for passage in stating if not passage.citations), kept
    )


def read_pack(data: bytes) -> EvidencePack:
    """Return a pack from the JSON that `ingest search --format json` prints. Raises UsageError where it is none."""
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(EvidencePack).validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise UsageError(
            f"this is no evidence pack ({where}: {first['msg']}); write one with: ingest search QUERY --format json"
        ) from error


def _rows(
    snapshot: Snapshot, pack: EvidencePack, predicate: Predicate | None, items: Sequence[Evidence]
) -> dict[str, ChunkRow]:
    """The rows of the cited pieces as the generation keeps them, those that the caller may see."""
    if predicate is None:
        predicate = predicate_of(Request("", principal=pack.principal, statuses=None), snapshot, instant=None)
    facts = snapshot.catalog.get("chunks", snapshot.generation, [item.chunk_id for item in items]) if items else {}
    rows = {id: fact.noun(ChunkRow) for id, fact in facts.items()}
    return {id: row for id, row in rows.items() if predicate.admits(filter_columns(row))}


def _cited(citation: str, times: int, item: Evidence | None, rows: dict[str, ChunkRow] | None) -> Cited:
    if item is None:
        return Cited(citation, times, problems=("unknown",))
    problems: list[Problem] = []
    if sha256_hex(item.text) != item.checksum:
        problems.append("altered")
    if rows is not None:
        row = rows.get(item.chunk_id)
        if row is None or row.source_id != item.source_id:
            problems.append("gone")
        elif row.text != item.text or row.text_checksum != item.checksum:
            problems.append("changed")
    return Cited(citation, times, item.chunk_id, item.uri, tuple(problems))


def _quoted(answer: str, evidence: Sequence[Evidence]) -> Iterator[Quoted]:
    """Quotations, each held to all texts of the evidence: texts are squeezed once, and nothing is sought twice."""
    texts = [(item.citation, {item.text, item.context, item.title, *item.heading_path}) for item in evidence]
    held = {text: squeezed(text) for _, of_item in texts for text in of_item}

    @cache
    def having(parts: tuple[str, ...]) -> frozenset[str]:
        return frozenset(text for text, said in held.items() if stands(parts, said))

    for quotation in quotations(answer):
        written, meant = ways(quotation.text)
        saying = having(written) | having(meant)
        found = tuple(citation for citation, of_item in texts if not saying.isdisjoint(of_item))
        yield Quoted(quotation.text, quotation.citations, found, _problem(found, quotation.citations))


def _problem(found: Collection[str], cited: Collection[str]) -> Misquoted | None:
    if not found:
        return "nowhere"
    return "elsewhere" if cited and not set(found) & set(cited) else None


def _number(citation: str) -> int:
    return int(re.sub(r"\D", "", citation))


