"""Words with times become paragraphs: one ends where the speaker pauses or another begins to speak."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ingest.model.language import join_lines

PAUSE_SECONDS = 1.2
"""A silence between two words that ends a paragraph."""
PARAGRAPH_SECONDS = 60.0
"""A speaker who never pauses gets a new paragraph at the next sentence end after this long."""

_SENTENCE_END = re.compile(r"[.!?。！？…][\"'”’」』)）]*$")


@dataclass(frozen=True, slots=True)
class Word:
    """What was said between two moments, in seconds from the start; the space that belongs before it included.

    A line of captions is one too. `confidence` is the probability that the model gives it.
    """

    start: float
    end: float
    text: str
    confidence: float = 1.0
    speaker: str | None = None


def paragraphs(words: Iterable[Word]) -> list[Word]:
    """Return the paragraphs as words of many words; their confidence is the mean of theirs."""
    return [one for group in grouped(words) if (one := joined(group)).text]


def grouped(words: Iterable[Word]) -> Iterator[list[Word]]:
    """Yield the words of each paragraph, in order; none is left out."""
    gathered: list[Word] = []
    for word in words:
        if gathered and _ends_paragraph(gathered, word):
            yield gathered
            gathered = []
        gathered.append(word)
    if gathered:
        yield gathered


def _ends_paragraph(gathered: Sequence[Word], following: Word) -> bool:
    last = gathered[-1]
    if following.speaker != last.speaker or following.start - last.end >= PAUSE_SECONDS:
        return True
    return last.end - gathered[0].start >= PARAGRAPH_SECONDS and bool(_SENTENCE_END.search(last.text.rstrip()))


def joined(gathered: Sequence[Word]) -> Word:
    """Return one paragraph: from the first word's start to the last one's end."""
    text = join_lines("".join(word.text for word in gathered).strip())
    sure = sum(word.confidence for word in gathered) / len(gathered)
    end = max(word.end for word in gathered)
    return Word(gathered[0].start, end, " ".join(text.split()), round(sure, 3), gathered[0].speaker)
