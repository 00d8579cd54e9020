"""An Office file as a package of XML parts, opened so that a hostile one can do no harm.

Nothing is unpacked to disk; the sum of the declared sizes is checked before anything is inflated, zipfile never inflates more
than declared, and no part beyond `MOST_TREE_BYTES` becomes a tree. XML is parsed without entities, external files or network.
Damage of any kind is DocumentCorrupt.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, Any
from urllib.parse import unquote

from lxml import etree

from ingest.errors import DocumentCorrupt, DocumentEncrypted, DocumentTooLarge, DocumentUnsupported

OLE2 = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""First bytes of Microsoft's compound file: a binary Office file of before 2007, or the envelope of an encrypted one."""

SAFELY: dict[str, Any] = {"resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False}
"""What lxml must be told whenever it reads a part."""

MOST_TREE_BYTES = 200 * 2**20
"""A tree takes some ten times its XML. Parts of honest files that are read as trees stay below a tenth of this."""

_DAMAGE = (
    zipfile.BadZipFile, zlib.error, EOFError, etree.XMLSyntaxError, ValueError, LookupError, ArithmeticError,
)
"""What reading a damaged part runs into: errors of the container and of the XML reader, and attributes that make no sense."""

R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_STRICT = "http://purl.oclc.org/ooxml/"
_TRANSITIONAL = {
    "officeDocument/relationships": "officeDocument/2006/relationships",
    "officeDocument/customProperties": "officeDocument/2006/custom-properties",
    "officeDocument/extendedProperties": "officeDocument/2006/extended-properties",
    "officeDocument/docPropsVTypes": "officeDocument/2006/docPropsVTypes",
    "officeDocument/math": "officeDocument/2006/math",
    "wordprocessingml/main": "wordprocessingml/2006/main",
    "spreadsheetml/main": "spreadsheetml/2006/main",
    "presentationml/main": "presentationml/2006/main",
    "drawingml/main": "drawingml/2006/main",
    "drawingml/chart": "drawingml/2006/chart",
    "drawingml/diagram": "drawingml/2006/diagram",
    "drawingml/picture": "drawingml/2006/picture",
    "drawingml/wordprocessingDrawing": "drawingml/2006/wordprocessingDrawing",
    "drawingml/spreadsheetDrawing": "drawingml/2006/spreadsheetDrawing",
}
"""Namespaces of the strict variant of the standard -> those that everybody writes, so that readers know one set only."""


@dataclass(frozen=True, slots=True)
class Relation:
    """From one part to another (`target` is its name) or, when external, to an address as written."""

    kind: str
    target: str
    external: bool


@dataclass(slots=True)
class Package:
    """Parts by name. `main` is the part that the package says it is about."""

    name: str
    archive: zipfile.ZipFile
    parts: frozenset[str]
    main: str = ""
    _relations: dict[str, dict[str, Relation]] = field(default_factory=dict)

    @classmethod
    @contextmanager
    def open(cls, data: bytes, name: str, max_expanded_bytes: int) -> Iterator[Package]:
        """Open `data`; errors met while its parts are read are translated too. Raises as `ingest.parse.office.parse` does."""
        _refuse_ole2(data, name)
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                expanded = sum(info.file_size for info in archive.infolist())
                if expanded > max_expanded_bytes:
                    raise DocumentTooLarge(
                        f"{name} unpacks to {expanded:,} bytes, over parse.max_expanded_bytes = {max_expanded_bytes:,}; "
                        "raise that setting if the file is to be trusted"
                    )
                package = cls(name, archive, frozenset(archive.namelist()))
                package.main = package._find_main()
                yield package
        except _DAMAGE as error:
            raise DocumentCorrupt(f"{name} is damaged ({error}); copy it again or save it again from its application") from error
        except RecursionError:
            raise DocumentCorrupt(f"{name} nests its elements too deeply; save it again from its application") from None
        except (NotImplementedError, RuntimeError) as error:
            if "password" in str(error) or "encrypted" in str(error):
                raise DocumentEncrypted(f"{name} is protected by a password; save a copy without one") from error
            if isinstance(error, NotImplementedError):
                raise DocumentUnsupported(f"{name} is compressed in an unusual way ({error}); save it again") from error
            raise

    def xml(self, part: str) -> Any:
        """Return the root element of a part. Raises DocumentCorrupt when the part is absent, DocumentTooLarge when huge."""
        self._check(part)
        size = self.archive.getinfo(part).file_size
        if size > MOST_TREE_BYTES:
            raise DocumentTooLarge(f"{self.name} has {size:,} bytes in its part {part} alone; split the document")
        root = parse_xml(self.bytes(part))
        if root.getroottree().docinfo.doctype:
            raise DocumentCorrupt(f"{self.name} declares a document type in {part}, which Office files must not; do not trust it")
        return root

    def stream(self, part: str) -> IO[bytes]:
        """Return a part as a stream that inflates as it is read; the caller closes it."""
        self._check(part)
        with self.archive.open(part) as beginning:
            head = beginning.read(4096)
        if any("<!DOCTYPE".encode(encoding) in head for encoding in ("ascii", "utf-16-le", "utf-16-be")):
            raise DocumentCorrupt(f"{self.name} declares a document type in {part}, which Office files must not; do not trust it")
        strict = _STRICT.encode() in head  # namespaces are declared on the root
        return io.BytesIO(self.bytes(part)) if strict else self.archive.open(part)

    def bytes(self, part: str) -> bytes:
        self._check(part)
        data = self.archive.read(part)
        if _STRICT.encode() in data:
            for strict, usual in _TRANSITIONAL.items():
                data = data.replace(f"{_STRICT}{strict}".encode(), f"http://schemas.openxmlformats.org/{usual}".encode())
        return data

    def relations(self, part: str) -> dict[str, Relation]:
        """Relation id -> relation of a part ("" for the package itself)."""
        if part not in self._relations:
            folder, file = posixpath.split(part)
            where = posixpath.join(folder, "_rels", f"{file}.rels")
            found = {}
            if where in self.parts:
                for element in self.xml(where):
                    if isinstance(element.tag, str) and element.get("Id"):
                        found[element.get("Id")] = self._relation(element, folder)
            self._relations[part] = found
        return self._relations[part]

    def related(self, part: str, kind: str) -> list[str]:
        """Names of the parts to which `part` relates as `kind` (the last word of the relation's type), if they exist."""
        return [r.target for r in self.relations(part).values() if r.kind == kind and not r.external and r.target in self.parts]

    def target(self, part: str, relation: str | None) -> str | None:
        """Name of the part that a relation id leads to, None when it leads nowhere in the package."""
        found = self.relations(part).get(relation or "")
        return found.target if found is not None and not found.external and found.target in self.parts else None

    def _relation(self, element: Any, folder: str) -> Relation:
        kind, target = (element.get("Type") or "").rsplit("/", 1)[-1], element.get("Target") or ""
        if element.get("TargetMode") == "External":
            return Relation(kind, target, True)
        inside = target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
        return Relation(kind, inside if inside in self.parts else unquote(inside), False)

    def _check(self, part: str) -> None:
        if part not in self.parts:
            raise DocumentCorrupt(f"{self.name} lacks its part {part}; save it again from its application")

    def _find_main(self) -> str:
        mains = self.related("", "officeDocument")
        if not mains:
            raise DocumentUnsupported(f"{self.name} is an archive but not a Word, PowerPoint or Excel file; unpack it")
        if mains[0].endswith(".bin"):
            raise DocumentUnsupported(f"{self.name} is a binary Excel workbook (XLSB); save it as XLSX")
        return mains[0]


def parse_xml(data: bytes) -> Any:
    """Parse XML without entities, external files or network."""
    return etree.fromstring(data, etree.XMLParser(**SAFELY, remove_comments=True, remove_pis=True))


def _refuse_ole2(data: bytes, name: str) -> None:
    if not data.startswith(OLE2):
        return
    if "EncryptedPackage".encode("utf-16-le") in data:
        raise DocumentEncrypted(f"{name} is protected by a password; save a copy without one")
    raise DocumentUnsupported(f"{name} is in the binary Office format of before 2007; save it as DOCX, PPTX or XLSX")
