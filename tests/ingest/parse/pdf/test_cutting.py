"""Texts are cut between words, where they are further apart than a blank of their font."""

from __future__ import annotations

from ingest.parse.pdf.cutting import at_borders, at_gaps, usual_blanks
from ingest.parse.pdf.page import Item


def item(text: str, starts: list[float], letter: float = 5, blank: float = 0.3) -> Item:
    words = tuple((x, x + letter * len(word)) for x, word in zip(starts, text.split(), strict=True))
    return Item(text, words[0][0], 100, words[-1][1], 110, 10, words=words, blank=blank)


def test_a_wide_gap_cuts_and_a_blank_does_not() -> None:
    parts = at_gaps(item("12 kg net", [0, 13, 60]), 0.45)
    assert [(part.text, part.x0) for part in parts] == [("12 kg", 0), ("net", 60)]


def test_a_typewriter_has_wider_blanks() -> None:
    typed = item("cp a b", [0, 16, 27], blank=0.6)
    assert at_gaps(typed, 0.45) == [typed]


def test_the_blank_of_a_font_is_what_its_words_show() -> None:
    assert usual_blanks([item("one two", [0, 18]), item("a b c", [0, 8, 16])])[""] == 0.3


def test_borders_cut_where_words_are_known_and_near_a_blank_where_not() -> None:
    assert [part.text for part in at_borders(item("2 0", [3, 16]), [12])] == ["2", "0"]
    unknown = Item("ab cd", 0, 0, 50, 10, 10)
    assert [part.text for part in at_borders(unknown, [24])] == ["ab", "cd"]
    assert at_borders(unknown, [9]) == [unknown]
