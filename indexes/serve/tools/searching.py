"""Searching: every base answers by itself, from one generation; their evidence becomes one list with one numbering."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from indexes.query.context import estimated
from indexes.query.fuse import Nearest
from indexes.query.request import Mode, Request
from indexes.query.told import searched
from indexes.serve.answers import AnsweredBy, Clarification, FoundConflict, Pack, Result
from indexes.serve.arguments import KeywordSearch, KnowledgeSearch, Narrowed, SemanticSearch
from indexes.serve.audit import Seen
from indexes.serve.session import Cited, Session
from indexes.serve.tools.asking import Asking, Told
from indexes.serve.tools.looking import Looking, urn_of
from indexes.serve.tools.merging import Merged, merged
from ingest.model.canonical import sha256_hex
from ingest.model.evidence import Conflict, EvidencePack

NOTHING = (
    "nothing here answers the query: say that you found no evidence instead of guessing; other words, another as_of or fewer "
    "filters may find some"
)
ASKED = (
    "it is not clear what the query means: ask what `clarifications` ask, and name candidates if there are some, before you "
    "answer; what holds of a candidate is not said of what was asked for until somebody tells you that it is meant"
)
UNFITTING = "nothing that you may see fits {filters}: leave some out; document_find tells uris, families and versions"
_FILTERS = ("documents", "families", "versions", "scopes", "languages")
FAILED = "no knowledge base could answer; try again later"
CITE = "cite what you say by the citations of `results` (K1, K2 ...) of this pack, and name every conflict that concerns it"


def knowledge_search(asking: Asking, asked: KnowledgeSearch) -> Told:
    """Evidence for a question: by meaning and by words together, dated, cited, with what contradicts it."""
    return _searched(asking, asked, asked.query, "hybrid", planned=asked.planned, expand=asked.expand, explain=asked.explain)


def keyword_search(asking: Asking, asked: KeywordSearch) -> Told:
    """Passages that hold the words, codes or part numbers, nothing read into them."""
    return _searched(asking, asked, asked.query, "bm25", planned=False, expand=False)


def semantic_search(asking: Asking, asked: SemanticSearch) -> Told:
    """Passages that mean something alike, whatever their words and language."""
    return _searched(asking, asked, asked.query, "vector", planned=False, expand=False)


def _searched(
    asking: Asking, asked: Narrowed, query: str, mode: Mode, *, planned: bool, expand: bool | None, explain: bool = False
) -> Told:
    tops = [1]

    def one(looking: Looking) -> tuple[EvidencePack, Nearest]:
        settings = looking.opened.settings.search
        tops.append(settings.top_k)
        request = Request(
            query, mode, asked.top_k or settings.top_k, looking.who, asked.as_of, asked.statuses, asked.families, asked.versions,
            asked.scopes, asked.languages, None if asked.documents is None else tuple(map(urn_of, asked.documents)),
            None if asked.holds_from is None or asked.holds_until is None else (asked.holds_from, asked.holds_until),
            planned, expand, asked.tokens,
        )
        return searched(looking.snapshot, None if mode == "bm25" else looking.opened.embedder, request, settings)

    answered, failed = asking.each(asked.kb_ids, one)
    packs = [(each.kb_id, each.result[0]) for each in answered]
    near = {each.kb_id: each.result[1] for each in answered}
    most = asked.top_k or max(tops)
    chosen = merged(packs, most, asked.tokens, near)
    results = tuple(_results(asking.session, chosen, asked.with_context))
    status = "failed" if not packs else "ok" if any(pack.status == "ok" for _, pack in packs) else "insufficient_evidence"
    clarifications = tuple(_asked_back(packs))
    tokens = sum(estimated(each.text) + estimated(each.context) for each in results)
    answer = Pack(
        status, asking.session.keep(_citations(packs, results)), query, _advice(status, clarifications, results, asked, mode),
        clarifications, _conflicts(packs, chosen), results, failed,
        tuple(_answered(kb_id, pack, explain) for kb_id, pack in packs), tokens,
    )
    return Told(answer, _seen(packs, results), tokens, None if status == "ok" else status)


def _asked_back(packs: Sequence[tuple[str, EvidencePack]]) -> Iterator[Clarification]:
    """What bases ask back. A code that one of them lacks is no question where another answers."""
    answers = any(pack.status == "ok" for _, pack in packs)
    for kb_id, pack in packs:
        if pack.clarification is not None and not (answers and pack.clarification["reason"] == "unknown_code"):
            yield Clarification(kb_id, pack.clarification)


def _advice(
    status: str, asked_back: Sequence[Clarification], results: Sequence[Result], asked: Narrowed, mode: Mode
) -> str:
    if status in ("failed", "ok") or asked_back:
        return FAILED if status == "failed" else ASKED if asked_back else CITE
    filters = [name for name in _FILTERS if getattr(asked, name) is not None]
    return UNFITTING.format(filters=" and ".join(filters)) if filters and not results and mode != "bm25" else NOTHING


def _results(session: Session, chosen: Sequence[Merged], with_context: bool) -> Iterator[Result]:
    """Evidence as this session is given it, each context once: of a section that was cut around each of two passages, both."""
    here: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for each in chosen:
        section, context = (each.kb_id, each.item.parent_id), each.item.context
        checksum = sha256_hex(context)
        stands = any(context in given for given in here[section])
        before = with_context and context != "" and (stands or session.given(*section, checksum))
        result = _result(session, each, with_context, before)
        if result.context:
            here[section].append(context)
            session.give(*section, checksum)
        yield result


def _result(session: Session, each: Merged, with_context: bool, context_before: bool) -> Result:
    item, kb_id = each.item, each.kb_id
    before = session.given(kb_id, item.chunk_id, item.checksum)
    shown = with_context and not context_before
    session.give(kb_id, item.chunk_id, item.checksum)
    fields = {name: getattr(item, name) for name in item.__dataclass_fields__}
    return Result(**{
        **fields, "citation": each.citation, "context": item.context if shown else "", "kb_id": kb_id, "given_before": before,
        "context_given_before": context_before, "rank_score": each.score,
    })


def _citations(packs: list[tuple[str, EvidencePack]], results: tuple[Result, ...]) -> dict[str, Cited]:
    generations = {kb_id: pack.generation for kb_id, pack in packs}
    return {each.citation: Cited(each.kb_id, generations[each.kb_id], each.chunk_id, each.checksum) for each in results}


def _conflicts(packs: list[tuple[str, EvidencePack]], chosen: list[Merged]) -> tuple[FoundConflict, ...]:
    """The conflicts of every pack, with the citations of the one list: of evidence that is in it. Assertions are at odds with one
    another and need one passage that says a side; what else disagrees are passages."""
    renamed = {(each.kb_id, each.item.citation): each.citation for each in chosen}
    found = (_found(kb_id, conflict, renamed) for kb_id, pack in packs for conflict in pack.conflicts)
    return tuple(each for each in found if len(each.citations) > (each.kind != "assertions"))


def _found(kb_id: str, conflict: Conflict, renamed: dict[tuple[str, str], str]) -> FoundConflict:
    citations = tuple(renamed[kb_id, citation] for citation in conflict.citations if (kb_id, citation) in renamed)
    fields = {name: getattr(conflict, name) for name in conflict.__dataclass_fields__}
    return FoundConflict(**{**fields, "citations": citations, "kb_id": kb_id})


def _answered(kb_id: str, pack: EvidencePack, explain: bool) -> AnsweredBy:
    return AnsweredBy(
        kb_id, pack.generation, pack.snapshot, pack.as_of, pack.status, pack.confidence, pack.freshness,
        pack.trace if explain else {},
    )


def _seen(packs: list[tuple[str, EvidencePack]], results: tuple[Result, ...]) -> tuple[Seen, ...]:
    return tuple(
        Seen(kb_id, pack.generation, tuple(each.chunk_id for each in results if each.kb_id == kb_id)) for kb_id, pack in packs
    )
