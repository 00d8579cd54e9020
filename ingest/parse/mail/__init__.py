"""Letters (.eml) and pages saved as letters (.mhtml).

    headers   encoded words, addresses, dates, file names
    body      the words of one part: paragraphs, quoted replies, the signature
    letter    the parser: which part is the body, what is attached, letters inside letters
    archive   a web page with its pictures in one file
"""

from __future__ import annotations

from ingest.model.canonical import digest_of
from ingest.model.document import Document
from ingest.parse.fingerprint import stamp
from ingest.settings import ParsePart


def version(settings: ParsePart) -> str:
    """Attachments bring the parsers of their formats with them, so all of those count."""
    from ingest.parse import route
    from ingest.parse.detect import MAIL, MHTML

    others = {module: media_type for media_type, module in route.MEDIA_TYPES.items() if media_type not in (MAIL, MHTML)}
    parsers = digest_of([route.fingerprint(media_type, settings) for media_type in others.values()])
    return stamp("mail", 1, parts=parsers[:12])


def parse(data: bytes, name: str, settings: ParsePart, media_type: str) -> Document:
    """Parse a letter or a saved page. Raises DocumentEncrypted, DocumentCorrupt, DocumentTooLarge, DocumentUnsupported."""
    from ingest.parse.detect import MHTML
    from ingest.parse.mail import archive, letter

    return archive.parse(data, name, settings) if media_type == MHTML else letter.parse(data, name, settings)


__all__ = ["parse", "version"]
