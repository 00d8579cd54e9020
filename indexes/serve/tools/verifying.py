"""Whether an answer says what its evidence says, held to what the knowledge bases say now."""

from __future__ import annotations

from dataclasses import replace

from indexes.query.citations import CitationReport
from indexes.query.citations import verify_citations as held_to
from indexes.serve.answers import CitationChecked, CitationsChecked, QuotationChecked
from indexes.serve.arguments import VerifyCitations
from indexes.serve.session import Cited
from indexes.serve.tools.asking import Asking, Told
from indexes.serve.tools.looking import Looking
from ingest.model.access import Principal
from ingest.model.document import Provenance
from ingest.model.evidence import Evidence, EvidencePack, Scores
from ingest.model.row import ChunkRow

Held = tuple[ChunkRow, str]
"""A cited passage as it is now, with the text around it."""


def verify_citations(asking: Asking, asked: VerifyCitations) -> Told:
    """Check an answer before it is given: every citation is of the pack and its passage still says the same, and every quotation
    stands in a passage that is cited. Says too which sentences cite nothing."""
    given = asking.session.pack(asked.pack)
    granted = asking.bases.granted(asking.caller, asked.kb_ids)
    by_base: dict[str, list[str]] = {}
    for citation, cited in given.items():
        if cited.kb_id in granted:
            by_base.setdefault(cited.kb_id, []).append(citation)

    def held(looking: Looking) -> dict[str, Held]:
        return _held(looking, {citation: given[citation] for citation in by_base[looking.kb_id]})

    found, failed = asking.each(tuple(by_base), held)
    now = {citation: each for one in found for citation, each in one.result.items()}
    unreachable = given.keys() - {citation for one in found for citation in by_base[one.kb_id]}
    report = held_to(asked.answer, _pack(asking.caller.principal, given, now))
    results = tuple(
        _told(each.citation, each.times, each.problems, given.get(each.citation), now, unreachable) for each in report.cited
    )
    answer = CitationsChecked(
        report.valid and not any(each.problems for each in results), results, failed, _quotations(report), report.sentences,
        report.uncited,
    )
    seen = tuple(one.seen(given[citation].chunk_id for citation in by_base[one.kb_id]) for one in found)
    valid = sum(not each.problems for each in results)
    return Told(answer, seen, citations={"cited": len(results), "valid": valid})


def _held(looking: Looking, cited: dict[str, Cited]) -> dict[str, Held]:
    """The cited passages that the caller may see, by citation."""
    rows = looking.rows([each.chunk_id for each in cited.values()])
    held = {}
    for citation, each in cited.items():
        row = rows.get(each.chunk_id)
        if row is not None:
            parent = looking.parent(row.parent_id)
            held[citation] = row, "" if parent is None else parent.text
    return held


def _pack(who: Principal, given: dict[str, Cited], now: dict[str, Held]) -> EvidencePack:
    """The pack as the knowledge bases say it now, with the checksums that were cited."""
    evidence = tuple(_evidence(citation, cited, now.get(citation)) for citation, cited in given.items())
    return EvidencePack(0, "", "", "", who, "ok", evidence)


def _evidence(citation: str, cited: Cited, held: Held | None) -> Evidence:
    row, context = held if held is not None else (None, "")
    bare = Evidence(
        citation, cited.chunk_id, "", "", "", "", (), "", context, (), None, "", None, None, cited.checksum, 1.0, Scores(),
        Provenance(),
    )
    return bare if row is None else replace(bare, text=row.text, title=row.title, heading_path=row.heading_path)


def _told(
    citation: str, times: int, problems: tuple[str, ...], cited: Cited | None, now: dict[str, Held], unreachable: set[str]
) -> CitationChecked:
    if cited is None:
        return CitationChecked(citation, times, "", None, problems)
    if citation in unreachable:
        problems = ("unreachable",)
    elif citation not in now:
        problems = ("gone",)
    elif problems:
        problems = ("changed",)
    return CitationChecked(citation, times, cited.kb_id, cited.chunk_id, problems)


def _quotations(report: CitationReport) -> tuple[QuotationChecked, ...]:
    return tuple(QuotationChecked(each.text, each.citations, each.found_in, each.problem) for each in report.quoted)
