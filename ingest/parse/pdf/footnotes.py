"""Footnotes: out of the flow while it is put together over columns and pages, then back behind the text above them; and which
text cites which of them.

A footnote is small, low on its page, and begins with a mark; the mark stands raised behind a word or a sentence, which in the
text is a number without a blank before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ingest.parse.pdf.page import Line, Paragraph

_MARK = re.compile(r"[\[(（]?(\d{1,3}|[*∗†‡§¶※①-⑳]{1,3})[\])）]?")


@dataclass(slots=True)
class Cited:
    """A footnote, its mark, and the line of text that cites it, if one does."""

    footnote: Paragraph
    mark: str
    line: Line | None


@dataclass(slots=True)
class Footnotes:
    """The footnotes of a document on their way, each with the paragraph before it."""

    cited: list[Cited] = field(default_factory=list)
    _waiting: list[tuple[Paragraph, Paragraph | None]] = field(default_factory=list)

    def taken(self, found: Sequence[Paragraph]) -> list[Paragraph]:
        """Return the paragraphs without footnotes."""
        rest = [paragraph for paragraph in found if paragraph.kind != "footnote"]
        if len(rest) == len(found):
            return rest
        lines: dict[int, list[Line]] = {}
        for paragraph in rest:
            lines.setdefault(paragraph.boxes[0].page, []).extend(paragraph.lines)
        before: Paragraph | None = None
        for paragraph in found:
            if paragraph.kind != "footnote":
                before = paragraph
                continue
            self._waiting.append((paragraph, before))
            if match := _MARK.match(paragraph.text):
                page = paragraph.boxes[0].page
                self.cited.append(Cited(paragraph, match[1], _citing(match, lines.get(page, ()))))
        return rest

    def put_back(self, found: Sequence[Paragraph]) -> list[Paragraph]:
        """Return the paragraphs with the footnotes, each after the one that stood before it or that this has become part of."""
        if not self._waiting:
            return list(found)
        owner = {id(line): paragraph for paragraph in found for line in paragraph.lines}
        present = {id(paragraph) for paragraph in found}
        after: dict[int, list[Paragraph]] = {}
        first: list[Paragraph] = []
        last: Paragraph | None = None
        for footnote, before in self._waiting:
            if before is not None:
                place = owner.get(id(before.lines[-1])) if before.lines else before
                last = place if place is not None and id(place) in present else last
            (after.setdefault(id(last), []) if last is not None else first).append(footnote)
        out = list(first)
        for paragraph in found:
            out += [paragraph, *after.get(id(paragraph), ())]
        return out


def _citing(mark: re.Match[str], lines: Sequence[Line]) -> Line | None:
    behind_word = re.compile(rf"(?<=[^\s\d(（\[]){re.escape(mark[0])}(?![\d.%])|\[{re.escape(mark[1])}\]")
    return next((line for line in lines if behind_word.search(line.text)), None)
