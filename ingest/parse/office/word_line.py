"""The visible content of one Word paragraph: its text, with the links, notes and drawings that are anchored in it.

Runs are walked in order. What a reader does not see (deleted, hidden, instructions of fields, prompts of empty controls) goes
to the ledger instead; what hangs on the paragraph (text boxes, charts, pictures) is gathered as attachments, for the reader
of the story to set behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ingest.parse.ledger import Ledger
from ingest.parse.office.charts import CX, C
from ingest.parse.office.diagrams import DGM
from ingest.parse.office.drawing import MC, A, described, paragraph_text
from ingest.parse.office.equations import M, equation
from ingest.parse.office.package import Package, R
from ingest.parse.office.symbols import drawn, is_picture_font, unknown
from ingest.parse.office.word_fields import Fields, link_of, without_result
from ingest.parse.office.word_notes import Notes
from ingest.parse.office.word_styles import Styles, W, is_on, number, value_of

WP = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
_PIC = "{http://schemas.openxmlformats.org/drawingml/2006/picture}"
V = "{urn:schemas-microsoft-com:vml}"
_O = "{urn:schemas-microsoft-com:office:office}"
_W14 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
_TYPEWRITER = re.compile(r"courier|consolas|mono|menlo|typewriter", re.IGNORECASE)

TINY_HALF_POINTS = 4
"""Type below two points cannot be read; it is how text is hidden from people and not from machines."""

DELETED = (f"{W}del", f"{W}moveFrom")
TRANSPARENT = tuple(f"{W}{name}" for name in ("sdtContent", "smartTag", "customXml", "ins", "moveTo", "dir", "bdo"))
_BREAKS = {f"{W}tab": "\t", f"{W}ptab": "\t", f"{W}cr": "\n", f"{W}noBreakHyphen": "-", f"{W}softHyphen": ""}


@dataclass(frozen=True, slots=True)
class Attached:
    """Something that hangs on a paragraph: kind box (a `txbxContent`), text, chart, diagram (names of parts) or note."""

    kind: str
    what: Any


@dataclass(slots=True)
class Line:
    """The content of one paragraph, as it is gathered."""

    text: str = ""
    links: list[tuple[str, str]] = field(default_factory=list)
    attached: list[Attached] = field(default_factory=list)
    plain: int = 0
    bold: int = 0
    """Characters that are not bold, and that are."""
    typewritten: int = 0
    """Characters in a font whose letters are equally wide."""
    sizes: dict[int, int] = field(default_factory=dict)
    """Characters by size in half points."""
    math: int = 0
    in_contents: bool = False

    @property
    def math_only(self) -> bool:
        return bool(self.math) and not self.plain and not self.bold


@dataclass(slots=True)
class Shared:
    """What all stories of one document (body, notes, headers) have in common."""

    package: Package
    styles: Styles
    ledger: Ledger
    notes: Notes
    ground: bool = False
    """Whether the pages have a colour of their own."""


@dataclass(slots=True)
class Gatherer:
    """Reads the paragraphs of one part. `where` is the locator of the paragraph at hand."""

    shared: Shared
    part: str
    where: str = ""
    on_white: bool = True
    """Whether white letters would be invisible here: not in tables and boxes, whose colours are somebody else's."""
    coloured: bool = False
    """Whether the paragraph at hand has a ground of its own colour."""
    fields: Fields = field(default_factory=Fields)

    def gather(self, parent: Any, into: Line, style: str | None = None) -> None:
        """Append the visible text below `parent`, a paragraph of `style` or a part of one."""
        into.in_contents = into.in_contents or self.fields.in_contents
        for element in parent:
            tag = element.tag
            if tag == f"{W}r":
                self.run(element, into, style)
            elif tag == f"{W}hyperlink":
                start = len(into.text)
                self.gather(element, into, style)
                into.links.append((into.text[start:], self.link_target(element)))
            elif tag in DELETED:
                self.omit_deletion(element)
            elif tag in (f"{M}oMath", f"{M}oMathPara"):
                self.equation(element, into)
            elif tag == f"{MC}AlternateContent":
                self.gather(_chosen(element), into, style)
            elif tag == f"{W}sdt":
                self.control(element, into, style)
            elif tag == f"{W}fldSimple":
                self.simple_field(element, into, style)
            elif tag in (f"{W}ruby", f"{W}rubyBase") or tag in TRANSPARENT:
                self.gather(element, into, style)
            elif tag == f"{W}subDoc":
                self.shared.ledger.note("linked_document", self.where, self.link_target(element))
        into.in_contents = into.in_contents or self.fields.in_contents

    def equation(self, element: Any, into: Line) -> None:
        said = equation(element)
        if self.fields.showing:
            apart = into.text and not into.text[-1].isspace() and element.tag == f"{M}oMathPara"
            into.text += ("\n" if apart else "") + said
            into.math += len(said)

    def control(self, element: Any, into: Line, style: str | None) -> None:
        """A content control: what stands in it, or for an empty tick box its state."""
        before = len(into.text)
        for content in control_content(element, self.shared.ledger, self.where):
            self.gather(content, into, style)
        box = element.find(f"{W}sdtPr/{_W14}checkbox")
        if box is not None and not into.text[before:].strip():
            state = box.find(f"{_W14}checked")
            into.text += "☒" if state is not None and state.get(f"{_W14}val") in ("1", "true", "on") else "☐"

    def simple_field(self, element: Any, into: Line, style: str | None) -> None:
        start, instruction = len(into.text), element.get(f"{W}instr") or ""
        self.gather(element, into, style)
        if target := link_of(instruction):
            into.links.append((into.text[start:], target))

    def run(self, element: Any, into: Line, paragraph: str | None) -> None:
        properties = element.find(f"{W}rPr")
        style = value_of(properties, "rStyle")
        if self.hidden(properties, style, paragraph):
            if self.fields.showing:
                said = "".join(t.text or "" for t in element.iter(f"{W}t"))
                self.shared.ledger.note("hidden_text", self.where, said, count=1 if said.strip() else 0, glue="")
            self.fields_only(element, into)
            return
        start = len(into.text)
        font = _font(properties)
        for child in element:
            self.piece(child, into, font, paragraph)
        self.weigh(into.text[start:], into, properties, style, paragraph)

    def fields_only(self, run: Any, into: Line) -> None:
        """Keep count of fields that begin or end in text that is not shown."""
        for child in run.iterfind(f"{W}fldChar"):
            self.field_mark(child, into)
        for child in run.iterfind(f"{W}instrText"):
            self.fields.say(child.text or "")

    def piece(self, child: Any, into: Line, font: str | None, style: str | None) -> None:
        tag = child.tag
        if tag == f"{W}fldChar":
            self.field_mark(child, into)
        elif tag == f"{W}instrText":
            self.fields.say(child.text or "")
        elif not self.fields.showing:
            if tag == f"{W}t":  # the result of a field within an instruction is a word of it
                self.fields.say(child.text or "")
        elif tag == f"{W}t":
            said = (child.text or "").replace("\u00ad", "")  # where a word may be broken; nobody sees it
            into.text += drawn(said, font) if font else said
        elif tag in _BREAKS:
            into.text += _BREAKS[tag]
        elif tag == f"{W}br":
            into.text += "\n"
        elif tag == f"{W}sym":
            self.symbol(child, into)
        elif tag in (f"{W}footnoteReference", f"{W}endnoteReference"):
            self.note(child, into)
        elif tag == f"{W}ruby":
            reading = "".join(t.text or "" for rt in child.iterfind(f"{W}rt") for t in rt.iter(f"{W}t"))
            self.shared.ledger.note("reading_aid", self.where, reading, count=int(bool(reading)), glue=" ")
            for base in child.iterfind(f"{W}rubyBase"):
                self.gather(base, into, style)
        elif tag in (f"{W}drawing", f"{W}pict", f"{W}object"):
            self.drawing(child, into)
        elif tag == f"{MC}AlternateContent":
            for inner in _chosen(child):
                self.piece(inner, into, font, style)
        elif tag == f"{W}contentPart":
            self.shared.ledger.note("ink", self.where)

    def weigh(self, text: str, into: Line, properties: Any | None, style: str | None, paragraph: str | None) -> None:
        """Take note of how a run looks."""
        size = len(text.strip())
        if not size:
            return
        looks = self.shared.styles.looks
        if is_on(looks("b", properties, style, paragraph)):
            into.bold += size
        else:
            into.plain += size
        fonts = None if properties is None else properties.find(f"{W}rFonts")
        if fonts is not None and _TYPEWRITER.search(fonts.get(f"{W}ascii") or ""):
            into.typewritten += size
        height = looks("sz", properties, style, paragraph)
        points = (number(height.get(f"{W}val")) if height is not None else None) or 20
        into.sizes[points] = into.sizes.get(points, 0) + size

    def field_mark(self, element: Any, into: Line) -> None:
        kind = element.get(f"{W}fldCharType")
        if kind == "begin":
            self.fields.begin(element)
        elif kind == "separate":
            self.fields.separate(len(into.text))
        elif kind == "end" and (ended := self.fields.end()) is not None and self.fields.showing:
            shown = into.text[ended.opened :] if ended.in_result else ""
            if (target := link_of(ended.instruction)) is not None:
                into.links.append((shown, target))
            elif not shown.strip():
                said, lost = without_result(ended)
                into.text += said
                if lost:
                    self.shared.ledger.note("uncalculated_field", self.where, ended.instruction)

    def symbol(self, element: Any, into: Line) -> None:
        code = element.get(f"{W}char") or ""
        if re.fullmatch(r"[0-9A-Fa-f]{1,5}", code):
            said = drawn(chr(int(code, 16)), element.get(f"{W}font"))
            if unknown(said):
                self.shared.ledger.note("unknown_symbol", self.where, f"{element.get(f'{W}font')} {code}")
            else:
                into.text += said

    def note(self, element: Any, into: Line) -> None:
        """Set the mark that Word shows, and have the note follow the paragraph. A mark of the author's own stands in the text."""
        kind = "footnote" if element.tag == f"{W}footnoteReference" else "endnote"
        own = ""
        if is_on_attribute(element, "customMarkFollows"):
            run = element.getparent()
            own = "".join(drawn(t.text or "", _font(run.find(f"{W}rPr"))) for t in run.iterfind(f"{W}t"))
            own = own or "".join(
                drawn(chr(int(s.get(f"{W}char") or "2A", 16)), s.get(f"{W}font")) for s in run.iterfind(f"{W}sym")
            )
        mark = self.shared.notes.cite(kind, element.get(f"{W}id") or "", own)
        if mark is not None:
            into.text += "" if own else f"[{mark}]"
            into.attached.append(Attached("note", (kind, element.get(f"{W}id") or "")))

    def drawing(self, element: Any, into: Line) -> None:
        """Take what is written in a drawing, and the values of charts; pictures are counted, with what is said about them."""
        for found in _drawn(element):
            tag = found.tag
            if tag == f"{W}txbxContent":
                into.attached.append(Attached("box", found))
            elif tag == f"{V}textpath":
                into.attached.append(Attached("text", found.get("string") or ""))
            elif tag == f"{A}p":
                into.attached.append(Attached("text", paragraph_text(found)))
            elif tag in (f"{C}chart", f"{CX}chart", f"{DGM}relIds"):
                kind = "diagram" if tag == f"{DGM}relIds" else "chart"
                part = self.shared.package.target(self.part, found.get(f"{R}{'dm' if kind == 'diagram' else 'id'}"))
                if part is None:
                    self.shared.ledger.note("embedded_object", self.where, kind)
                else:
                    into.attached.append(Attached(kind, part))
            elif tag == f"{_O}OLEObject":
                self.shared.ledger.note("embedded_object", self.where, found.get("ProgID") or "")
            elif tag == f"{W}control":
                self.shared.ledger.note("form_control", self.where, found.get(f"{W}name") or "")
            else:
                self.picture(element, found, into)

    def picture(self, drawing: Any, found: Any, into: Line) -> None:
        own = found.find(f"{_PIC}nvPicPr/{_PIC}cNvPr")
        frame = next(drawing.iter(f"{WP}docPr"), None)
        said = described(own) or described(frame) or " ".join((found.getparent().get("alt") or "").split())
        self.shared.ledger.note("image", self.where, said)
        if said:
            into.attached.append(Attached("description", said))

    def hidden(self, properties: Any | None, style: str | None, paragraph: str | None) -> bool:
        """Whether a run cannot be seen: marked hidden, smaller than can be read, or white on white."""
        looks = self.shared.styles.looks
        if is_on(looks("vanish", properties, style, paragraph)):
            return True
        if properties is None and style is None and paragraph is None:
            return False
        size = None if properties is None else properties.find(f"{W}sz")
        points = None if size is None else number(size.get(f"{W}val"))
        if points is not None and points < TINY_HALF_POINTS:
            return True
        colour = looks("color", properties, style, paragraph)
        if colour is None or (colour.get(f"{W}val") or "").upper() != "FFFFFF" or not self.on_white or self.shared.ground:
            return False
        marks = (looks("shd", properties, style, paragraph), looks("highlight", properties, style, paragraph))
        return not any(_colours(mark) for mark in marks) and not self.coloured

    def link_target(self, element: Any) -> str:
        relation = self.shared.package.relations(self.part).get(element.get(f"{R}id") or "")
        anchor = element.get(f"{W}anchor")
        return (relation.target if relation else "") + (f"#{anchor}" if anchor else "")

    def omit_deletion(self, element: Any) -> None:
        if self.fields.showing:
            said = "".join(t.text or "" for t in element.iter(f"{W}delText", f"{W}t"))
            objects = any(True for _ in element.iter(f"{W}drawing", f"{W}pict", f"{W}object", f"{M}t", f"{W}tr"))
            self.shared.ledger.note("tracked_deletion", self.where, said, count=int(bool(said.strip()) or objects))


def control_content(element: Any, ledger: Ledger, where: str) -> Iterator[Any]:
    """The content of a control (`w:sdt`), unless it is the prompt of an empty one."""
    if is_on(element.find(f"{W}sdtPr/{W}showingPlcHdr")):
        said = "".join(t.text or "" for t in element.iter(f"{W}t"))
        ledger.note("placeholder", where, said, count=int(bool(said.strip())))
    else:
        yield from element.iterfind(f"{W}sdtContent")


def is_on_attribute(element: Any, name: str) -> bool:
    return element.get(f"{W}{name}") in ("1", "true", "on")


def _font(properties: Any | None) -> str | None:
    """The picture font of a run, None for any other."""
    fonts = None if properties is None else properties.find(f"{W}rFonts")
    name = None if fonts is None else fonts.get(f"{W}ascii") or fonts.get(f"{W}hAnsi")
    return name if is_picture_font(name) else None


def _colours(mark: Any | None) -> bool:
    """Whether a shading or highlight gives its ground a colour other than white."""
    if mark is None:
        return False
    fill = mark.get(f"{W}fill")
    if fill is None:
        return (mark.get(f"{W}val") or "none") not in ("none", "white")
    pattern = mark.get(f"{W}val") or "clear"
    return fill.upper() not in ("AUTO", "FFFFFF") or pattern not in ("clear", "nil") or mark.get(f"{W}themeFill") is not None


def shaded(properties: Any | None) -> bool:
    """Whether a `pPr` gives its paragraph a ground of a colour."""
    return _colours(None if properties is None else properties.find(f"{W}shd"))


def _chosen(alternatives: Any) -> Any:
    """Of a content written twice, the writing for new readers; that for old ones where nothing in the first can be read."""
    choices = [e for e in alternatives if e.tag == f"{MC}Choice"]
    fallback = [e for e in alternatives if e.tag == f"{MC}Fallback"]
    said = (f"{W}t", f"{W}txbxContent", f"{C}chart", f"{CX}chart", f"{DGM}relIds", f"{_PIC}pic", f"{M}t", f"{A}t")
    for choice in choices:
        if any(True for _ in choice.iter(*said)):
            return choice
    return fallback[0] if fallback else choices[0] if choices else ()


def _drawn(element: Any) -> Iterator[Any]:
    """What is in a drawing, outermost first: text boxes, lettering, charts, diagrams, objects, pictures."""
    for child in element:
        tag = child.tag
        if tag == f"{MC}AlternateContent":
            yield from _drawn(_chosen(child))
        elif tag in (
            f"{W}txbxContent", f"{C}chart", f"{CX}chart", f"{DGM}relIds", f"{_O}OLEObject", f"{W}control", f"{_PIC}pic",
            f"{V}imagedata", f"{A}p",
        ):
            if not (tag == f"{V}imagedata" and _is_preview(child)):
                yield child
        elif tag == f"{V}textpath":
            if (child.get("string") or "").strip():
                yield child
        else:
            yield from _drawn(child)


def _is_preview(picture: Any) -> bool:
    """Whether a picture only shows what an embedded object looks like."""
    return any(ancestor.tag == f"{W}object" for ancestor in picture.iterancestors())
