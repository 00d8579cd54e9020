"""What lies over the cells of a sheet: text boxes, charts, diagrams, pictures, tick boxes and buttons, notes on cells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lxml import etree

from ingest.model.document import Table
from ingest.parse.ledger import Ledger
from ingest.parse.office.charts import CX, C, chart_of
from ingest.parse.office.diagrams import DGM, diagram_items
from ingest.parse.office.drawing import MC, described, is_decoration, shape_text
from ingest.parse.office.package import SAFELY, Package, R
from ingest.parse.office.sheet_cells import letters, quoted, rich_text
from ingest.parse.office.sheet_styles import S

_XDR = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
_T = "{http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments}"
_ANCHORS = (f"{_XDR}twoCellAnchor", f"{_XDR}oneCellAnchor", f"{_XDR}absoluteAnchor")
_SHEET_OF = re.compile(r"\(?'?((?:[^'!]|'')+)'?!")
_CONTROLS = ("Checkbox", "Radio", "Button", "Label", "GBox", "Drop", "List", "EditBox", "Spin", "Scroll")


@dataclass(frozen=True, slots=True)
class Drawn:
    """`kind` is paragraph, caption, list or table; `where` the locator."""

    kind: str
    text: str
    where: str
    table: Table | None = None


@dataclass(slots=True)
class Drawings:
    """Reads the drawings of one workbook. `visible` are the names of the sheets that are shown."""

    package: Package
    ledger: Ledger
    visible: frozenset[str]
    epoch_1904: bool

    def of(self, name: str, part: str) -> Iterator[Drawn]:
        """What is drawn on a sheet, by place; pictures are recorded."""
        for drawing in self.package.related(part, "drawing"):
            root = self.package.xml(drawing)
            anchors = [anchor for anchor in root if anchor.tag in _ANCHORS]
            for anchor in sorted(anchors, key=_place):
                row, column = _place(anchor)
                where = f"{quoted(name)}!{letters(column + 1)}{row + 1}"
                for element in anchor:
                    yield from self.shape(element, drawing, where, 0)
        controls = [text for vml in self.package.related(part, "vmlDrawing") for text in _controls(self.package.bytes(vml))]
        if controls:
            yield Drawn("list", "\n".join(controls), quoted(name))

    def shape(self, element: Any, part: str, where: str, depth: int) -> Iterator[Drawn]:
        tag = element.tag
        if tag == f"{MC}AlternateContent":
            choices = [child for choice in element for child in choice]
            known = (f"{_XDR}sp", f"{_XDR}grpSp", f"{_XDR}graphicFrame", f"{_XDR}pic", f"{_XDR}cxnSp")
            first = next((e.getparent() for e in choices if e.tag in known), None)
            for child in () if first is None else first:
                yield from self.shape(child, part, where, depth)
        elif tag == f"{_XDR}grpSp" and depth < 20:
            for child in element:
                yield from self.shape(child, part, where, depth + 1)
        elif tag in (f"{_XDR}sp", f"{_XDR}cxnSp"):
            yield from self.text_box(element, where)
        elif tag == f"{_XDR}pic":
            yield from self.picture(element, where)
        elif tag == f"{_XDR}graphicFrame":
            yield from self.frame(element, part, where)

    def text_box(self, shape: Any, where: str) -> Iterator[Drawn]:
        named = next(shape.iter(f"{_XDR}cNvPr"), None)
        text = shape_text(shape.find(f"{_XDR}txBody"))
        if named is not None and named.get("hidden") in ("1", "true"):
            # Form controls are written here once more, hidden; they are read where they are shown.
            if not any(str(e.tag).endswith("}compatExt") for e in named.iter()):
                self.ledger.note("hidden_shape", where, text, count=int(bool(text)))
        elif text:
            yield Drawn("paragraph", text, where)

    def picture(self, shape: Any, where: str) -> Iterator[Drawn]:
        named = next(shape.iter(f"{_XDR}cNvPr"), None)
        said = described(named)
        if not is_decoration(named):
            self.ledger.note("image", where, said)
        if said:
            yield Drawn("caption", said, where)

    def frame(self, frame: Any, part: str, where: str) -> Iterator[Drawn]:
        chart = next(frame.iter(f"{C}chart", f"{CX}chart"), None)
        diagram = next(frame.iter(f"{DGM}relIds"), None)
        if chart is not None and (target := self.package.target(part, chart.get(f"{R}id"))):
            yield from self.chart(target, where)
        elif diagram is not None and (target := self.package.target(part, diagram.get(f"{R}dm"))):
            if items := diagram_items(self.package.xml(target)):
                yield Drawn("list", "\n".join(items), where)
        else:
            self.ledger.note("embedded_object", where)

    def chart(self, part: str, where: str) -> Iterator[Drawn]:
        """A chart's titles, and its values where they cannot be read in cells that are shown."""
        chart = chart_of(self.package, part, epoch_1904=self.epoch_1904)
        if chart.caption:
            yield Drawn("caption", chart.caption, where)
        sheets = {found[1].replace("''", "'") for source in chart.sources if (found := _SHEET_OF.match(source))}
        if sheets and sheets <= self.visible:
            return
        if chart.table is not None:
            yield Drawn("table", "", where, chart.table)
        else:
            self.ledger.note("chart_without_values", where, chart.caption)

    def record_comments(self, name: str, part: str) -> None:
        """Notes on cells and what was said in threads, which are seen only when they are opened."""
        threads: set[str] = set()
        for threaded in self.package.related(part, "threadedComment"):
            for comment in self.package.xml(threaded).iter(f"{_T}threadedComment"):
                threads.add(comment.get("ref") or "")
                self.ledger.note("comment", f"{quoted(name)}!{comment.get('ref') or ''}", comment.findtext(f"{_T}text") or "")
        for comments in self.package.related(part, "comments"):
            for comment in self.package.xml(comments).iter(f"{S}comment"):
                if comment.get("ref") in threads:
                    continue  # said once more for old versions
                text = comment.find(f"{S}text")
                self.ledger.note(
                    "comment", f"{quoted(name)}!{comment.get('ref') or ''}", "" if text is None else rich_text(text)
                )


def _place(anchor: Any) -> tuple[int, int]:
    """Row and column from 0 of an anchor's upper left corner."""
    start = anchor.find(f"{_XDR}from")
    if start is None:
        return 0, 0
    return int(start.findtext(f"{_XDR}row") or 0), int(start.findtext(f"{_XDR}col") or 0)


def _controls(data: bytes) -> Iterator[str]:
    """Labels of form controls, with the state of tick boxes; notes are drawn in the same part, and left to their own."""
    root = etree.fromstring(data, etree.XMLParser(**SAFELY, recover=True))
    for shape in () if root is None else root.iter("{urn:schemas-microsoft-com:vml}shape"):
        control = shape.find("{urn:schemas-microsoft-com:office:excel}ClientData")
        kind = None if control is None else control.get("ObjectType")
        if control is None or kind not in _CONTROLS:
            continue
        box = shape.find("{urn:schemas-microsoft-com:vml}textbox")
        text = "" if box is None else " ".join("".join(map(str, box.itertext())).split())
        state = (control.findtext("{urn:schemas-microsoft-com:office:excel}Checked") or "0").strip()
        sign = {"Checkbox": "☐☒"[state == "1"], "Radio": "○◉"[state == "1"]}.get(kind, "-")
        if text:
            yield f"{sign} {text}"

