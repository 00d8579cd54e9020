"""What besides the sources differs from what a generation was made under: settings, code, models, seeds.

In: today's settings and a manifest. Out: the differences in words, and whom they concern: documents made under other stages
(`Staleness`), every document with rows (a new embedder, new terms), or those whose text names something else than before. What
a run would do again is exactly that. Nothing is loaded or parsed to say so.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from entities.mentions.recogniser import Recogniser
from flows.alike import FINGERPRINT as NEAR
from flows.engines import as_published
from flows.pipeline import engine_of
from flows.reviewed import registry_of, relations_of
from flows.stages import Stages
from indexes.bm25.format import TERMS
from indexes.generation.kinds import kinds
from indexes.vector.format import ENGINE
from ingest.chunk.fingerprint import FINGERPRINT as CHUNKER
from ingest.errors import ConcordError
from ingest.model.canonical import canonical
from ingest.model.entity import Registry
from ingest.model.generation import Manifest
from ingest.model.report import Remark
from ingest.settings import Settings

_GONE = (" absent", "=missing")
"""How a parser's fingerprint ends a part whose library or model is not here (see `ingest.parse.fingerprint`)."""


@dataclass(frozen=True, slots=True)
class Why:
    """Why a document would be made anew. `missing`: what read it is not installed here, so nobody can tell."""

    reason: str
    missing: bool = False


class Staleness:
    """Compares the stages under which documents were made with today's."""

    def __init__(
        self, settings: Settings, manifest: Manifest | None = None, changed: Mapping[str, list[str]] | None = None
    ) -> None:
        self._stages = Stages(settings)
        self._changed = changed or {}
        self._chunker = manifest.fingerprints.get("chunk", CHUNKER) if manifest is not None else CHUNKER
        self._known: dict[tuple[Any, ...], Why | None] = {}

    def why(self, media_type: str | None, path: str, stages: Mapping[str, str]) -> Why | None:
        """Return why a document of this type at this path, made under `stages`, would be made anew; None: it would not."""
        now = self._stages.of(media_type, path)
        key = (media_type, now["chunk"], *stages.items())  # a few among thousands of documents
        if key not in self._known:
            self._known[key] = self._why(stages, now)
        return self._known[key]

    def _why(self, before: Mapping[str, str], now: Mapping[str, str]) -> Why | None:
        if before == now:
            return None
        parsed = before.get("parse", ""), now["parse"]
        gone = [part for part in _parts(parsed[1]) if part.endswith(_GONE) and part not in _parts(parsed[0])]
        if gone:
            here = f"read with {told(*parsed)[0]}, here is {', '.join(gone)}"
            return Why(f"{here}; install what read it, then check again", missing=True)
        reasons = [
            *(self._metadata() if before.get("metadata") != now["metadata"] else ()),
            *([f"its parser changed from {' to '.join(told(*parsed))}"] if parsed[0] != parsed[1] else ()),
            *(self._cut() if before.get("chunk") != now["chunk"] else ()),
        ]
        return Why("; ".join(reasons) or "it was made by another version")

    def _metadata(self) -> list[str]:
        return self._changed.get("sources") or ["the rules by which metadata is read changed"]

    def _cut(self) -> list[str]:
        chunker = [f"the chunker changed from {self._chunker} to {CHUNKER}"] if self._chunker != CHUNKER else []
        return [*self._changed.get("chunk", ()), *chunker] or ["it was cut under other settings"]


@dataclass(frozen=True, slots=True)
class Differences:
    """`lines`: what differs, in words. `everywhere`: what of it concerns every document with rows. `recogniser`: set where texts
    must be asked whether they name something else now. `problems`: what could not be compared. `registry`: today's seeds, None
    where they cannot be read."""

    staleness: Staleness
    lines: tuple[str, ...] = ()
    everywhere: tuple[str, ...] = ()
    recogniser: Recogniser | None = None
    problems: tuple[Remark, ...] = ()
    registry: Registry | None = None


def differences(settings: Settings, manifest: Manifest, *, re_engine: bool = False) -> Differences:
    """Compare settings, code, models and seeds with what a generation was made under."""
    if not re_engine:
        settings = as_published(settings, manifest)
    problems: list[Remark] = []
    changed = changed_settings(settings, manifest)
    lines = [line for part in changed.values() for line in part]
    everywhere: list[str] = []
    published = manifest.fingerprints
    if published.get("chunk") != CHUNKER:
        lines.append(f"the chunker changed from {published.get('chunk')} to {CHUNKER}")
    if published.get("terms") != TERMS:
        lines.append(f"the rules of terms changed from {' to '.join(told(published.get('terms', ''), TERMS))}")
        everywhere.append("the rules of terms changed")
    if published.get("near") != NEAR:
        lines.append(f"the rules by which copies are found changed from {published.get('near')} to {NEAR}")
    try:
        choice = engine_of(settings, manifest, re_engine=re_engine)
    except ConcordError as error:
        problems.append(Remark("engine", str(error)))
    else:
        if published.get("embed") != choice.fingerprint:
            lines.append(f"the embedder changed from {published.get('embed')} to {choice.fingerprint}")
            everywhere.append("the embedder changed")
    lines.extend(_formats(settings, manifest))
    problems.extend(_index_engine())
    try:
        if published.get("relations") != relations_of(settings):
            lines.append("the vocabulary of relations changed")
    except ConcordError as error:
        problems.append(Remark("registry", str(error)))
    registry, recogniser = None, None
    try:
        registry = registry_of(settings)
    except ConcordError as error:
        problems.append(Remark("registry", str(error)))
    else:
        recogniser = Recogniser(registry)
        if registry.digest() != manifest.registry:
            lines.append("the registry's seeds changed")
        elif published.get("recognise") != recogniser.fingerprint:
            lines.append("the rules by which entities are recognised changed")
        recogniser = recogniser if published.get("recognise") != recogniser.fingerprint else None
    return Differences(
        Staleness(settings, manifest, changed), tuple(lines), tuple(everywhere), recogniser, tuple(problems), registry
    )


def changed_settings(settings: Settings, manifest: Manifest) -> dict[str, list[str]]:
    """Part -> its settings that shape content and are others than a manifest records, in words."""
    now = settings.told_values()
    return {
        part: list(_changed(part, _recorded(manifest, part), now[part], getattr(settings, part).shaping()))
        for part, digest in settings.shape_digests().items() if manifest.settings.get(part) != digest
    }


def _recorded(manifest: Manifest, part: str) -> dict[str, Any]:
    return manifest.values.get(part) or (manifest.scoring if part == "bm25" else {})


def _changed(part: str, before: dict[str, Any], now: dict[str, Any], shaping: Iterable[str]) -> Iterator[str]:
    if not before:
        yield f"settings of {part} changed"
        return
    found = [name for name in sorted(before.keys() | now.keys()) if canonical(before.get(name)) != canonical(now.get(name))]
    for name in found:
        yield f"{part}.{name} changed from {_value(before.get(name))} to {_value(now.get(name))}"
    if not found:  # a path, which no manifest tells
        places = [f"{part}.{name}" for name in shaping if name not in now]
        yield f"{' or '.join(places) or f'settings of {part}'} changed"


def _value(value: Any) -> str:
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)


def _formats(settings: Settings, manifest: Manifest) -> Iterator[str]:
    """Indexes that are built anew, from the catalog, because their format changed and not what goes into them."""

    def no_vectors(texts: object) -> Any:
        raise AssertionError("nothing is written")

    for kind in kinds(settings, manifest.fingerprints.get("embed", ""), 0, no_vectors):
        published = manifest.build(kind.name).fingerprint
        if published != kind.fingerprint.replace(TERMS, manifest.fingerprints.get("terms", TERMS)):
            yield f"the format of the {kind.name} index changed from {' to '.join(told(published, kind.fingerprint))}"


def _index_engine() -> Iterator[Remark]:
    package = ENGINE.rpartition(" ")[0]
    try:
        version(package)
    except PackageNotFoundError:
        missing = f"the engine of the vector index, {ENGINE}, is not installed"
        yield Remark("engine", f"{missing}; install it with: pip install '{ENGINE.replace(' ', '==')}'")


def told(before: str, now: str) -> tuple[str, str]:
    """Return what of two fingerprints differs: their parts (`pdf 1; liteparse 2.18.0`) that the other has not."""
    first, second = _parts(before), _parts(now)
    return (
        ", ".join(part for part in first if part not in second) or before or "nothing",
        ", ".join(part for part in second if part not in first) or now or "nothing",
    )


def _parts(fingerprint: str) -> list[str]:
    return [part.strip() for part in fingerprint.split(";") if part.strip()]
