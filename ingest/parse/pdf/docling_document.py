"""A DoclingDocument, as its JSON says it, becomes blocks: the tree in its order of reading, with page and box of every item."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ingest.model.document import Block, BlockKind, Box, Layer, Link, Omission, Provenance, Span, Table, table_text
from ingest.model.language import join_lines

EVIDENCE = "docling"
HEADING_CONFIDENCE = 0.8
"""Its layout model tells headings by their looks, and gives no figure of its own."""

_KINDS: Mapping[str, BlockKind] = {
    "title": "heading", "section_header": "heading", "code": "code", "formula": "formula", "caption": "caption",
    "footnote": "footnote",
}
_TICKS = {"checkbox_selected": "☑ ", "checkbox_unselected": "☐ "}
_FURNITURE = ("page_header", "page_footer")


@dataclass(slots=True)
class Mapped:
    """What a DoclingDocument holds, in words of ours."""

    title: str | None
    pages: int
    blocks: list[Block] = field(default_factory=list)
    links: tuple[Link, ...] = ()
    omissions: tuple[Omission, ...] = ()


def mapped(document: Mapping[str, Any]) -> Mapped:
    """Return the blocks of a DoclingDocument (`export_to_dict`), schema 1.x. Items that hold no text are told as omissions."""
    return _Mapping(document).made()


class _Mapping:
    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._heights = {int(number): float(page["size"]["height"]) for number, page in document.get("pages", {}).items()}
        self._titled = any(text["label"] == "title" for text in document.get("texts", ()))
        self._told: set[str] = set()
        self._links: list[Link] = []
        self._omissions: list[Omission] = []
        self._blocks: list[Block] = []

    def made(self) -> Mapped:
        self._take(self._document["body"].get("children", ()))
        running = [text for text in self._document.get("texts", ()) if _is_furniture(text)]
        self._take(({"$ref": text["self_ref"]} for text in running), furniture=True)
        title = next((text["text"] for text in self._document.get("texts", ()) if text["label"] == "title"), None)
        return Mapped(title, len(self._heights), self._blocks, tuple(self._links), tuple(self._omissions))

    def _take(self, references: Iterable[Mapping[str, str]], *, furniture: bool = False) -> None:
        for reference in references:
            item = self._at(reference["$ref"])
            if item["self_ref"] in self._told or (_is_furniture(item) and not furniture):
                continue
            self._told.add(item["self_ref"])
            self._item(item)

    def _at(self, reference: str) -> Mapping[str, Any]:
        found: Any = self._document
        for step in reference.removeprefix("#/").split("/"):
            found = found[int(step)] if isinstance(found, list) else found[step]
        return found  # type: ignore[no-any-return]

    def _item(self, item: Mapping[str, Any]) -> None:
        label = item["label"]
        if label in ("list", "ordered_list"):
            self._list(item)
        elif "data" in item and label in ("table", "document_index"):
            self._take(item.get("captions", ()))
            self._table(item)
            self._take(item.get("footnotes", ()))
        elif label in ("picture", "chart"):
            self._omissions.append(Omission("picture", 1, _where(item)))
            self._take(item.get("captions", ()))
            self._take(item.get("children", ()))
        elif label == "inline":
            self._inline(item)
        else:
            if item.get("text", "").strip():
                self._text(item)
            self._take(item.get("children", ()))

    def _text(self, item: Mapping[str, Any]) -> None:
        label = item["label"]
        kind = _KINDS.get(label, "paragraph")
        text = _TICKS.get(label, "") + (item["text"] if kind == "code" else _said(item))
        if item.get("hyperlink"):
            self._links.append(Link(len(self._blocks), text, str(item["hyperlink"])))
        level = 0
        if kind == "heading":
            level = 1 if label == "title" else min(int(item.get("level", 1)) + self._titled, 6)
        layer: Layer = "furniture" if _is_furniture(item) else "body"
        confidence = HEADING_CONFIDENCE if kind == "heading" else 1.0
        language = item.get("code_language")
        self._blocks.append(Block(
            kind, text, level, layer, self._place([item]), code_language=None if language in (None, "unknown") else language,
            evidence=EVIDENCE, confidence=confidence,
        ))

    def _list(self, group: Mapping[str, Any]) -> None:
        """One block of a list with the lists in it; what is no list item of it becomes a block of its own, after."""
        items, others = list(self._list_items(group, 0)), [ref for ref in group["children"] if "$ref" in ref]
        if items:
            lines = ["  " * depth + f"{_marker(item)} {_said(item)}" for item, depth in items]
            place = self._place([item for item, _ in items])
            self._blocks.append(Block("list", "\n".join(lines), 0, "body", place, evidence=EVIDENCE))
        self._take(others)

    def _list_items(self, group: Mapping[str, Any], depth: int) -> Iterator[tuple[Mapping[str, Any], int]]:
        for reference in group.get("children", ()):
            item = self._at(reference["$ref"])
            if item["label"] == "list_item" and item.get("text", "").strip():
                self._told.add(item["self_ref"])
                yield item, depth
                yield from self._list_items(item, depth + 1)
            elif item["label"] in ("list", "ordered_list"):
                self._told.add(item["self_ref"])
                yield from self._list_items(item, depth if group["label"] == "list_item" else depth + 1)

    def _inline(self, group: Mapping[str, Any]) -> None:
        """Pieces of one paragraph: words in other looks, formulas in the text."""
        parts = [self._at(reference["$ref"]) for reference in group.get("children", ())]
        self._told.update(part["self_ref"] for part in parts)
        text = " ".join(said for part in parts if (said := _said(part)))
        if text:
            self._blocks.append(Block("paragraph", text, 0, "body", self._place(parts), evidence=EVIDENCE))

    def _table(self, item: Mapping[str, Any]) -> None:
        table = _table(item["data"])
        if table is None:
            self._omissions.append(Omission("table_without_text", 1, _where(item)))
            return
        self._blocks.append(
            Block("table", table_text(table), 0, "body", self._place([item]), table=table, evidence=EVIDENCE)
        )

    def _place(self, items: Sequence[Mapping[str, Any]]) -> Provenance:
        return Provenance(boxes=tuple(self._box(prov) for item in items for prov in item.get("prov", ())))

    def _box(self, prov: Mapping[str, Any]) -> Box:
        page, box = int(prov["page_no"]), prov["bbox"]
        top, bottom = float(box["t"]), float(box["b"])
        if str(box.get("coord_origin", "")).upper().startswith("BOTTOM"):
            height = self._heights.get(page, 0.0)
            top, bottom = height - top, height - bottom
        return Box(page, *(round(value, 1) for value in (float(box["l"]), top, float(box["r"]), bottom)))


def _table(data: Mapping[str, Any]) -> Table | None:
    rows = [[""] * int(data["num_cols"]) for _ in range(int(data["num_rows"]))]
    spans: list[Span] = []
    headers: set[int] = set()
    for cell in data["table_cells"]:
        top, left = int(cell["start_row_offset_idx"]), int(cell["start_col_offset_idx"])
        bottom, right = int(cell["end_row_offset_idx"]), int(cell["end_col_offset_idx"])
        for row in range(top, min(bottom, len(rows))):
            for column in range(left, min(right, len(rows[row]))):
                rows[row][column] = _said(cell)
        if bottom - top > 1 or right - left > 1:
            spans.append(Span(top, left, bottom - top, right - left))
        if cell.get("column_header"):
            headers.update(range(top, bottom))
    if not any(text for row in rows for text in row):
        return None
    header_rows = next((row for row in range(len(rows)) if row not in headers), len(rows))
    return Table(tuple(map(tuple, rows)), header_rows, tuple(sorted(spans, key=lambda span: (span.row, span.column))))


def _said(item: Mapping[str, Any]) -> str:
    return " ".join(join_lines(item.get("text", "").strip()).split())


def _marker(item: Mapping[str, Any]) -> str:
    marker = str(item.get("marker") or "").strip()
    return marker if item.get("enumerated") and marker else "-"


def _is_furniture(item: Mapping[str, Any]) -> bool:
    return item.get("content_layer") == "furniture" or item["label"] in _FURNITURE


def _where(item: Mapping[str, Any]) -> str | None:
    prov = item.get("prov") or ()
    return f"page {prov[0]['page_no']}" if prov else None
