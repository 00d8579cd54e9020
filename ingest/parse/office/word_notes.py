"""Footnotes and endnotes of a Word document, by the marks that Word shows: 1, 2 and i, ii unless settings say otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ingest.parse.office.number_words import spelled
from ingest.parse.office.package import Package
from ingest.parse.office.word_styles import W, number, value_of

Key = tuple[str, str]
"""footnote or endnote, and the id in its part."""


@dataclass(slots=True)
class Notes:
    """Notes are numbered as they are met; their ids are something else."""

    elements: dict[Key, Any] = field(default_factory=dict)
    parts: dict[str, str] = field(default_factory=dict)
    formats: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Kind -> number format and first number."""
    marks: dict[Key, str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    @classmethod
    def read(cls, package: Package, body: Any) -> Notes:
        """`body` is the main part's root, whose sections may say how notes are numbered."""
        made = cls()
        settings = [package.xml(part) for part in package.related(package.main, "settings")[:1]]
        for kind, usual in (("footnote", "decimal"), ("endnote", "lowerRoman")):
            for part in package.related(package.main, f"{kind}s")[:1]:
                made.parts[kind] = part
                for note in package.xml(part).iterfind(f"{W}{kind}"):
                    if note.get(f"{W}type") in (None, "normal"):
                        made.elements[kind, note.get(f"{W}id") or ""] = note
            told = [e for root in settings for e in root.iterfind(f"{W}{kind}Pr")]
            told += [e for section in body.iter(f"{W}sectPr") for e in section.iterfind(f"{W}{kind}Pr")]
            formats = [value for e in told if (value := value_of(e, "numFmt"))]
            starts = [first for e in told if (first := number(value_of(e, "numStart"))) is not None]
            made.formats[kind] = (formats[-1] if formats else usual, starts[-1] if starts else 1)
        return made

    def cite(self, kind: str, identifier: str, own: str = "") -> str | None:
        """Return the mark of a note (`own` where the author set one), None when there is no such note."""
        if (kind, identifier) not in self.elements:
            return None
        if (kind, identifier) not in self.marks:
            if not own:
                self.counts[kind] = self.counts.get(kind, 0) + 1
            format, start = self.formats.get(kind, ("decimal", 1))
            self.marks[kind, identifier] = own.strip() or spelled(start + self.counts.get(kind, 1) - 1, format)
        return self.marks[kind, identifier]

    def uncited(self) -> Iterator[tuple[Key, Any]]:
        """Notes that nothing visible refers to."""
        for key, note in self.elements.items():
            if key not in self.marks:
                yield key, note
