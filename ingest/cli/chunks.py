"""How chunks are told: parents as headlines, below them their children; what a child repeats stands in ⟦ ⟧."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flows.work import Looked
    from ingest.model.chunk import Child
    from ingest.settings import Settings


def as_json(item: Looked, settings: Settings, count: Callable[[str], int] | None) -> dict[str, Any]:
    """Return settings, parents and children as `ingest parse --chunks --format json` prints them. `count`: tokens of a text."""
    return {
        "chunk_settings": settings.chunk.of(item.document.media_type, item.path).model_dump(mode="json", exclude={"rules"}),
        "parents": item.chunked.parents,
        "children": [
            {
                "chunk_id": child.chunk_id, "parent_id": child.parent_id, "kind": child.kind, "heading_path": child.heading_path,
                "prefix": child.prefix, "text": child.text, "overlap": child.overlap, "subject": child.subject,
                "version": item.declared.version, "scope": item.declared.scope, "valid_from": item.declared.valid_from,
                "valid_until": item.declared.valid_until, "units": child.units,
                "tokens": count(child.embed_text) if count is not None else None, "provenance": child.provenance,
            }
            for child in item.chunked.children
        ],
    }


def lines(item: Looked, settings: Settings, count: Callable[[str], int] | None) -> Iterator[str]:
    """Yield what `ingest parse --chunks` prints below the document."""
    part = settings.chunk.of(item.document.media_type, item.path)
    yield (
        f"=== cut into parents of {part.parent_min}-{part.parent_max} and children of {part.child_min}-{part.child_max} units "
        f"(what belongs together: up to {part.atomic_max})"
    )
    children = item.chunked.children
    for number, parent in enumerate(item.chunked.parents, 1):
        yield ""
        yield f"=== parent {number}, {parent.units} units, {_path(parent.heading_path)}"
        for child in children:
            if child.parent_id == parent.parent_id:
                yield ""
                yield from _of(child, count)


def _of(child: Child, count: Callable[[str], int] | None) -> Iterator[str]:
    tokens = f", {count(child.embed_text)} tokens" if count is not None else ""
    where = _where(child)
    yield f"--- {child.kind}, {child.units} units{tokens}{where}, {_path(child.heading_path)}"
    if child.prefix:
        yield f"    embedded with: {child.prefix}"
    repeated = f"⟦{child.text[: child.overlap]}⟧" if child.overlap else ""
    yield f"{repeated}{child.text[child.overlap :]}"


def _path(path: tuple[str, ...]) -> str:
    return " > ".join(path) or "(no heading)"


def _where(child: Child) -> str:
    place = child.provenance
    if place.time is not None:
        return f", {place.time[0]:.1f}-{place.time[1]:.1f} s"
    if place.boxes:
        first, last = place.boxes[0].page, place.boxes[-1].page
        return f", page {first}" if first == last else f", pages {first}-{last}"
    if place.lines is not None:
        return f", lines {place.lines[0]}-{place.lines[1]}"
    return f", {place.locator}" if place.locator else ""
