"""Word, PowerPoint and Excel files become Documents, read from their own XML.

All three are zip packages of XML parts; the three readers (`word`, `slides`, `sheets`) share how a package is opened
(`package`) and what is drawn in it (`drawing`, `charts`, `diagrams`, `equations`). No library stands between: a reader of the
parts themselves keeps what the usual ones drop (text boxes, content controls, tracked changes, cached formula values) and
costs neither a heavy import nor an extra to install. What is left out on purpose is in the `ledger`.
"""

from __future__ import annotations

from ingest.errors import DocumentUnsupported
from ingest.model.document import Document
from ingest.parse.fingerprint import stamp
from ingest.settings import ParsePart


def version(settings: ParsePart) -> str:
    """Fingerprint: only this code shapes the outcome, lxml being no more than the XML reader."""
    return stamp("office", 4)


def parse(data: bytes, name: str, settings: ParsePart, media_type: str) -> Document:
    """Read a DOCX, PPTX or XLSX (macro-enabled and template kinds too), told apart by the main part inside, not by name.

    Raises DocumentEncrypted, DocumentCorrupt, DocumentTooLarge (over `max_expanded_bytes`), DocumentUnsupported (the binary
    formats of before 2007, other kinds of zip) and DocumentEmpty.
    """
    from ingest.parse.office import sheets, slides, word
    from ingest.parse.office.package import Package

    with Package.open(data, name, settings.max_expanded_bytes) as package:
        readers = {"word": word.read, "ppt": slides.read, "xl": sheets.read}
        folder = package.main.split("/")[0]
        if folder not in readers:
            raise DocumentUnsupported(f"{name} is an unknown kind of Office file ({package.main}); save it as DOCX, PPTX or XLSX")
        return readers[folder](package, media_type, version(settings))
