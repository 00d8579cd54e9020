"""PDFs made to measure: every text at its place, in its size and colour, with nothing that a program would add of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest

WIDTH, HEIGHT = 595, 842
FONTS = {"regular": "DemoSans", "bold": "DemoSans-Bold", "mono": "DemoMono"}


@dataclass(frozen=True)
class Text:
    """A text whose baseline starts at (x, y), y from the top of the page."""

    x: float
    y: float
    text: str
    size: float = 10
    font: str = "regular"
    colour: tuple[float, float, float] = (0, 0, 0)
    mode: int = 0

    def draw(self) -> str:
        red, green, blue = self.colour
        codes = self.text.encode("utf-16-be").hex()
        return (
            f"BT /{self.font} {self.size} Tf {red} {green} {blue} rg {self.mode} Tr "
            f"1 0 0 1 {self.x} {HEIGHT - self.y} Tm <{codes}> Tj ET"
        )


@dataclass(frozen=True)
class Rect:
    """A filled rectangle, y from the top of the page."""

    x: float
    y: float
    width: float
    height: float
    colour: tuple[float, float, float] = (1, 1, 1)

    def draw(self) -> str:
        red, green, blue = self.colour
        return f"{red} {green} {blue} rg {self.x} {HEIGHT - self.y - self.height} {self.width} {self.height} re f"


@dataclass(frozen=True)
class Rule:
    """A straight line, y from the top of the page."""

    x0: float
    y0: float
    x1: float
    y1: float

    def draw(self) -> str:
        return f"0 0 0 RG 0.7 w {self.x0} {HEIGHT - self.y0} m {self.x1} {HEIGHT - self.y1} l S"


Drawn = Text | Rect | Rule


def grid(x: float, y: float, widths: Sequence[float], height: float, rows: Sequence[Sequence[str]]) -> list[Drawn]:
    """A ruled table of one-line cells."""
    right = x + sum(widths)
    drawn: list[Drawn] = [Rule(x, y + height * i, right, y + height * i) for i in range(len(rows) + 1)]
    edges = [x + sum(widths[:i]) for i in range(len(widths) + 1)]
    drawn += [Rule(edge, y, edge, y + height * len(rows)) for edge in edges]
    for i, row in enumerate(rows):
        drawn += [Text(edges[j] + 3, y + height * i + height * 0.7, cell) for j, cell in enumerate(row) if cell]
    return drawn


def lines(
    x: float, y: float, texts: Sequence[str], *, size: float = 10, font: str = "regular", pitch: float = 1.4
) -> list[Drawn]:
    """Texts below each other."""
    return [Text(x, y + i * size * pitch, text, size, font) for i, text in enumerate(texts)]


def build(
    pages: Sequence[Sequence[Drawn]],
    *,
    info: dict[str, str] | None = None,
    outline: Sequence[tuple[str, int]] = (),
    rotate: int = 0,
    language: str | None = None,
    annotations: Sequence[str] = (),
) -> bytes:
    """Return a PDF. Letters are half as wide as their size, Han characters as wide; `outline` is (title, page from 1).

    `annotations` are the entries of dictionaries on the first page; those of form fields (/FT) make a form.

    U+E000 stands for 𠮷 (U+20BB7), which the codes of two bytes cannot name.
    """
    objects: list[bytes] = []

    def add(body: str | bytes) -> int:
        objects.append(body.encode("latin-1") if isinstance(body, str) else body)
        return len(objects)

    def stream(body: str) -> bytes:
        data = body.encode("latin-1")
        return b"<< /Length %d >>\nstream\n" % len(data) + data + b"\nendstream"

    catalog, tree = add(""), add("")
    ranges = [f"<{high:02x}00> <{high:02x}ff> <{high:02x}00>" for high in range(256) if high != 0xE0]
    parts = (ranges[:90], ranges[90:180], ranges[180:])
    blocks = "".join(f"{len(part)} beginbfrange\n" + "\n".join(part) + "\nendbfrange\n" for part in parts)
    blocks += "1 beginbfchar <e000> <d842dfb7> endbfchar\n"
    unicode_map = add(
        stream(
            "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Demo def /CMapType 2 def\n"
            f"1 begincodespacerange <0000> <ffff> endcodespacerange\n{blocks}endcmap end end"
        )
    )
    fonts = []
    for name, base in FONTS.items():
        descriptor = add(
            f"<< /Type /FontDescriptor /FontName /{base} /Flags 4 /FontBBox [0 -200 1000 800] /ItalicAngle 0 "
            "/Ascent 800 /Descent -200 "
            "/CapHeight 700 /StemV 80 >>"
        )
        below = add(
            f"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /{base} /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) "
            f"/Supplement 0 >> /FontDescriptor {descriptor} 0 R /DW 1000 /W [32 [{'500 ' * 95}] 160 591 500 8208 8230 500] >>"
        )
        font = add(
            f"<< /Type /Font /Subtype /Type0 /BaseFont /{base} /Encoding /Identity-H /DescendantFonts [{below} 0 R] "
            f"/ToUnicode {unicode_map} 0 R >>"
        )
        fonts.append(f"/{name} {font} 0 R")
    notes = [add(f"<< /Type /Annot {entries} >>") for entries in annotations]
    fields = [note for note, entries in zip(notes, annotations, strict=True) if "/FT" in entries]
    kids: list[int] = []
    for page in pages:
        content = add(stream("\n".join(one.draw() for one in page)))
        kids.append(
            add(
                f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Rotate {rotate} "
                f"/Resources << /Font << {' '.join(fonts)} >> >> /Contents {content} 0 R "
                f"/Annots [{' '.join(f'{note} 0 R' for note in notes if not kids)}] >>"
            )
        )
    objects[tree - 1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(f'{kid} 0 R' for kid in kids)}] >>".encode()
    extra = f" /Lang ({language})" if language else ""
    if fields:
        extra += f" /AcroForm << /Fields [{' '.join(f'{field} 0 R' for field in fields)}] >>"
    if outline:
        root = len(objects) + 1
        extra += f" /Outlines {root} 0 R"
        add(f"<< /Type /Outlines /First {root + 1} 0 R /Last {root + len(outline)} 0 R /Count {len(outline)} >>")
        for i, (title, page_number) in enumerate(outline):
            siblings = (f" /Prev {root + i} 0 R" if i else "") + (f" /Next {root + i + 2} 0 R" if i + 1 < len(outline) else "")
            add(f"<< /Title {_string(title)} /Parent {root} 0 R /Dest [{kids[page_number - 1]} 0 R /Fit]{siblings} >>")
    objects[catalog - 1] = f"<< /Type /Catalog /Pages {tree} 0 R{extra} >>".encode()
    about = add("<< " + " ".join(f"/{key} {_string(value)}" for key, value in (info or {}).items()) + " >>")
    out, places = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + b"trailer << /Size %d /Root %d 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        catalog,
        about,
        table,
    )


def _string(text: str) -> str:
    return "<feff" + text.encode("utf-16-be").hex() + ">"


def between_rules(
    x: float, y: float, widths: Sequence[float], rows: Sequence[Sequence[str]], *, pitch: float = 16, head: int = 1
) -> list[Drawn]:
    """A table with rules above, under its header and below, none between columns; a line feed in a cell begins a new line."""
    size = 10
    edges = [x + sum(widths[:i]) for i in range(len(widths))]
    right = x + sum(widths)
    drawn: list[Drawn] = [Rule(x, y, right, y)]
    top = y
    for number, row in enumerate(rows):
        lines_of_row = max(cell.count("\n") + 1 for cell in row)
        for edge, cell in zip(edges, row, strict=True):
            for at, line in enumerate(cell.split("\n")):
                drawn += [Text(edge + 3, top + 0.8 * pitch + at * 1.2 * size, line, size)] if line else []
        top += pitch + (lines_of_row - 1) * 1.2 * size
        if number + 1 in (head, len(rows)):
            drawn.append(Rule(x, top, right, top))
    return drawn


class Maker:
    """What tests draw with."""

    Text, Rect, Rule = Text, Rect, Rule
    width, height = WIDTH, HEIGHT
    grid = staticmethod(grid)
    lines = staticmethod(lines)
    between_rules = staticmethod(between_rules)
    build: Callable[..., bytes] = staticmethod(build)


@pytest.fixture(scope="session")
def pdf() -> type[Maker]:
    return Maker


@pytest.fixture(scope="session")
def encrypted() -> bytes:
    """A PDF that opens with the password `secret`, encrypted with RC4 of 40 bits: the scheme is in hashlib's reach."""
    import hashlib

    padding = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")
    owner = _rc4(hashlib.md5((b"owner" + padding)[:32]).digest()[:5], (b"secret" + padding)[:32])  # noqa: S324
    identifier = b"0123456789abcdef"
    permissions = (-4).to_bytes(4, "little", signed=True)
    key = hashlib.md5((b"secret" + padding)[:32] + owner + permissions + identifier).digest()[:5]  # noqa: S324
    user = _rc4(key, padding)
    data = build([[Text(50, 80, "for your eyes only")]])
    encryption = f"<< /Filter /Standard /V 1 /R 2 /O <{owner.hex()}> /U <{user.hex()}> /P -4 >>"
    more = f" /Encrypt {encryption} /ID [<{identifier.hex()}> <{identifier.hex()}>] >>"
    return data.replace(b" >>\nstartxref", more.encode() + b"\nstartxref")


def _rc4(key: bytes, data: bytes) -> bytes:
    state, j = list(range(256)), 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)
