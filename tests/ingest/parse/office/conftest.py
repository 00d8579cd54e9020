"""Office files made with the libraries that people make them with, and a way to change a part of one."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture(scope="session")
def saved() -> Callable[[Any], bytes]:
    """Bytes of a document of python-docx or python-pptx."""

    def save(document: Any) -> bytes:
        out = io.BytesIO()
        document.save(out)
        return out.getvalue()

    return save


@pytest.fixture(scope="session")
def patched() -> Callable[..., bytes]:
    """`patched(data, part, old, new)`: the file with the text of one part replaced; `old=None` writes the whole part."""

    def patch(data: bytes, part: str, old: str | None, new: str) -> bytes:
        out = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
            for info in source.infolist():
                content = source.read(info)
                if info.filename == part:
                    assert old is None or old.encode() in content
                    content = new.encode() if old is None else content.replace(old.encode(), new.encode())
                target.writestr(info.filename, content)
            if part not in source.namelist():
                target.writestr(part, new)
        return out.getvalue()

    return patch


NAMESPACES = " ".join(
    f'xmlns:{prefix}="{uri}"'
    for prefix, uri in {
        "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "w14": "http://schemas.microsoft.com/office/word/2010/wordml",
        "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
        "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
        "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
        "cx": "http://schemas.microsoft.com/office/drawing/2014/chartex",
        "dgm": "http://schemas.openxmlformats.org/drawingml/2006/diagram",
        "pic": "http://schemas.openxmlformats.org/drawingml/2006/picture",
        "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
        "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
        "p": "http://schemas.openxmlformats.org/presentationml/2006/main",
        "xdr": "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing",
        "v": "urn:schemas-microsoft-com:vml",
        "o": "urn:schemas-microsoft-com:office:office",
    }.items()
)


@pytest.fixture(scope="session")
def packed() -> Callable[..., bytes]:
    """`packed(main, xml, parts)`: a package around the part `main`.

    `parts` is relation id -> (kind, part name, content) of the parts that `main` relates to; a content that is text is XML
    whose root element gets the usual namespaces.
    """

    def pack(main: str, xml: str | bytes, parts: dict[str, tuple[str, str, str | bytes]] | None = None) -> bytes:
        office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
        package = "http://schemas.openxmlformats.org/package/2006/relationships"
        folder, _, file = main.rpartition("/")
        own = "".join(
            f'<Relationship Id="{identifier}" Type="{office}/{kind}" Target="/{name}"/>'
            for identifier, (kind, name, _) in (parts or {}).items()
        )
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("[Content_Types].xml", "<Types/>")
            archive.writestr(
                "_rels/.rels",
                f'<Relationships xmlns="{package}"><Relationship Id="r0" Type="{office}/officeDocument" Target="{main}"/>'
                "</Relationships>",
            )
            archive.writestr(f"{folder}/_rels/{file}.rels", f'<Relationships xmlns="{package}">{own}</Relationships>')
            for name, content in [(main, xml), *((name, content) for _, name, content in (parts or {}).values())]:
                archive.writestr(name, named(content) if isinstance(content, str) else content)
        return out.getvalue()

    return pack


def named(xml: str) -> str:
    """Give the root element of `xml` the usual namespaces."""
    end = min(at for sign in (" ", ">", "/>") if (at := xml.find(sign)) > 0)
    return f"{xml[:end]} {NAMESPACES}{xml[end:]}"
