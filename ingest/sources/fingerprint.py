"""The version of the rules by which metadata is read (see `metadata`)."""

from __future__ import annotations

from ingest.model.canonical import digest_of
from ingest.settings import SourcesPart

VERSION = "metadata-1"
"""Changes whenever the same bytes could declare something else."""


def fingerprint(settings: SourcesPart) -> str:
    """What, besides the bytes, decides a `Declared`: these rules and the names of levels. When it changes, read again."""
    return digest_of([VERSION, settings.levels])
