"""What a BM25 build is made under: the format of its files and the rules of its terms. Nothing numeric is imported to say so."""

from __future__ import annotations

from indexes.bm25.terms import FINGERPRINT as TERMS

FORMAT = 1
"""Of array files; see docs/formats.md."""

FINGERPRINT = f"bm25 format={FORMAT};{TERMS}"
