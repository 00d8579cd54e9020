"""SmartArt as a nested list: the texts of its nodes in the order and depth of the diagram."""

from __future__ import annotations

from typing import Any

from ingest.parse.office.drawing import shape_text

DGM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
DEEPEST = 20


def diagram_items(root: Any) -> list[str]:
    """Items of a diagram's data part, `- ` in front and two spaces a level."""
    texts: dict[str, str] = {}
    tops: list[str] = []
    for point in root.iter(f"{DGM}pt"):
        kind, identifier = point.get("type") or "node", point.get("modelId") or ""
        if kind == "doc":
            tops.append(identifier)
        elif kind in ("node", "asst", "sibTrans", "parTrans"):
            texts[identifier] = " ".join(shape_text(point.find(f"{DGM}t")).split())
    children: dict[str, list[tuple[int, str]]] = {}
    for connection in root.iter(f"{DGM}cxn"):
        if (connection.get("type") or "parOf") == "parOf":
            order, child = int(connection.get("srcOrd") or 0), connection.get("destId") or ""
            children.setdefault(connection.get("srcId") or "", []).append((order, child))
            # What is written on the arrows between nodes stands behind the node they leave.
            children.setdefault(child, []).append((-1, connection.get("sibTransId") or ""))
    items: list[str] = []
    seen: set[str] = set()

    def walk(identifier: str, depth: int) -> None:
        for _, child in sorted(children.get(identifier, ())):
            if child in seen or depth > DEEPEST:
                continue
            seen.add(child)
            if text := texts.get(child):
                items.append(f"{'  ' * depth}- {text}")
            walk(child, depth + 1 if texts.get(child) else depth)

    for top in tops:
        walk(top, 0)
    items.extend(f"- {text}" for identifier, text in texts.items() if text and identifier not in seen)
    return items
