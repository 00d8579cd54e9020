"""What a BM25 build is made under: the format of its files and the rules of its terms. Nothing is imported to say so."""

from __future__ import annotations

import unicodedata
from importlib.metadata import version

FORMAT = 1
"""Of array files; see docs/formats.md."""

TERMS = ";".join((
    "terms=1", f"opencc={version('opencc')}", f"pystemmer={version('PyStemmer')}",
    f"unicode={unicodedata.unidata_version}",
))
"""Everything that shapes terms (see `terms`): a build made under another fingerprint must be made anew."""

FINGERPRINT = f"bm25 format={FORMAT};{TERMS}"
