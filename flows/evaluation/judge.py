"""One answer held against what its question expects."""

from __future__ import annotations

import hashlib
from typing import Any

from flows.evaluation.leaks import Hidden
from flows.evaluation.outcome import Came, Outcome, Part
from flows.evaluation.question import Question
from flows.evaluation.ranks import CUTS, GAIN_AT, gain, ranks_of, recall, reciprocal
from indexes.generation.snapshot import Snapshot
from ingest.model.evidence import EvidencePack
from ingest.model.source import SourceRecord, source_id

_CAME = 3
_TEXT = 160


class Judge:
    """Judges answers from one generation."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._hidden = Hidden(snapshot)
        self._families: dict[str, tuple[str | None, str | None]] = {}
        self._there: dict[str, bool] = {}

    def judged(
        self, question: Question, pack: EvidencePack | None, milliseconds: float, *, error: str = "", without_graph: bool = False
    ) -> Outcome:
        """Return the outcome. `pack` None: asking raised `error`. `without_graph`: it was right without expansion, too."""
        expected = question.expected
        evidence = pack.evidence if pack is not None else ()
        refused = pack is not None and pack.status != "ok"
        ranks = ranks_of(expected.needs, evidence)
        missing = [need.uri for need in expected.needs if not self._is_there(need.uri)]
        leaks = self._hidden.leaks(expected.never, question.query, pack, error)
        parts: dict[str, Part] = {}
        missed = [f"error: {error}"] if error else []
        missed += [f"{uri} is not in this generation" for uri in dict.fromkeys(missing)]
        if ranks:
            parts |= {f"Recall@{k}": (recall(ranks, k), 1) for k in CUTS}
            parts |= {f"nDCG@{GAIN_AT}": (gain(ranks), 1), "MRR": (reciprocal(ranks), 1)}
            parts["evidence hit"] = (sum(rank is not None for rank in ranks) / len(ranks), 1)
            if gain(ranks) < 1:
                missed.append("rank " + ", ".join("none" if rank is None else str(rank) for rank in ranks))
        if expected.refusal is not None:
            parts |= _refusal(refused, expected.refusal)
            if refused != expected.refusal:
                missed.append("refused" if refused else "answered")
        if expected.entities is not None:
            linked = _linked(pack, expected.entities)
            parts["entity linking"] = (linked, 1)
            missed += [] if linked else ["entity not linked"]
        if expected.version is not None:
            right = self._right_version(question, pack)
            parts["right version"] = (right, 1)
            missed += [] if right else ["other version"]
        if expected.conflict is not None:
            told = pack is not None and any(each.kind == expected.conflict for each in pack.conflicts)
            parts["conflict reported"] = (told, 1)
            missed += [] if told else ["conflict not reported"]
        if evidence:
            parts["citation validity"] = (sum(_valid(item.text, item.checksum) for item in evidence), len(evidence))
        parts["leaks"] = (len(leaks), 1)
        missed += [f"leak: {leak}" for leak in leaks]
        needed = bool(ranks) and right_by(ranks) and not without_graph
        if ranks:
            parts["needed the graph"] = (needed, 1)
        return Outcome(
            question.id, question.category, question.language, question.query, parts, ranks, refused, round(milliseconds, 3),
            tuple(missed), leaks, needed, error, _came(pack) if missed else (),
        )

    def _is_there(self, uri: str) -> bool:
        urn = _urn(uri)
        if urn not in self._there:
            self._there[urn] = urn in self._snapshot.catalog.get("sources", self._snapshot.generation, [urn])
        return self._there[urn]

    def _right_version(self, question: Question, pack: EvidencePack | None) -> bool:
        """Whether the first item of the families that answer has the version that was meant."""
        families = {self._family(_urn(need.uri)) for need in question.expected.needs}
        for item in pack.evidence if pack is not None else ():
            if self._family(item.source_id) in families:
                return item.version == question.expected.version
        return False

    def _family(self, urn: str) -> tuple[str | None, str | None]:
        """(document family or the source itself, tenant)."""
        if urn not in self._families:
            fact = self._snapshot.catalog.get("sources", self._snapshot.generation, [urn]).get(urn)
            declared = None if fact is None else fact.noun(SourceRecord).declared
            self._families[urn] = (
                (urn, None) if declared is None or declared.family is None else (declared.family, declared.access.tenant)
            )
        return self._families[urn]


def right_by(ranks: tuple[int | None, ...]) -> bool:
    """Whether everything needed is among the first items."""
    return all(rank is not None and rank <= GAIN_AT for rank in ranks)


def _refusal(refused: bool, expected: bool) -> dict[str, Part]:
    """Precision: of those that were refused, how many should be. Recall: of those that should be, how many were."""
    parts: dict[str, Part] = {"refusal precision": (refused and expected, refused)}
    if expected:
        parts["refusal recall"] = (refused, 1)
    else:
        parts["refused wrongly"] = (refused, 1)
    return parts


def _linked(pack: EvidencePack | None, entities: tuple[str, ...]) -> bool:
    """Whether the plan took the names in the query for these entities, each name for one alone."""
    plan: dict[str, Any] = (pack.trace.get("plan") or {}) if pack is not None else {}
    named = plan.get("entities", ())
    linked = {each["entity_ids"][0] for each in named if len(each["entity_ids"]) == 1}
    where = [(each["start"], each["end"]) for each in named if set(each["entity_ids"]) & set(entities)]
    rivals = {
        id for each in named for id in each["entity_ids"]
        if any(each["start"] < end and start < each["end"] for start, end in where)
    }
    return linked >= set(entities) and rivals <= set(entities)


def _urn(uri: str) -> str:
    root, _, path = uri.partition("/")
    return source_id(root, path)


def _valid(text: str, checksum: str) -> bool:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() == checksum


def _came(pack: EvidencePack | None) -> tuple[Came, ...]:
    return tuple(
        Came(item.uri, " > ".join(item.heading_path), _beginning(" ".join(item.text.split())))
        for item in (pack.evidence[:_CAME] if pack is not None else ())
    )


def _beginning(text: str) -> str:
    return text if len(text) <= _TEXT else f"{text[:_TEXT].rstrip()}…"
