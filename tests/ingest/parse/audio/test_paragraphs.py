"""Paragraphs by pause, by length, by speaker."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ingest.parse.audio.paragraphs import Word, grouped, paragraphs


def test_a_long_pause_ends_a_paragraph() -> None:
    spoken = [Word(0, 2, " First sentence."), Word(2.3, 4, " Second one."), Word(6, 8, " After the pause.")]
    assert [(p.text, p.start, p.end) for p in paragraphs(spoken)] == [
        ("First sentence. Second one.", 0, 4), ("After the pause.", 6, 8),
    ]


def test_chinese_is_joined_without_a_space() -> None:
    said = [Word(0, 2, "服务器在二号机房。"), Word(2.1, 4, "钥匙在前台。")]
    assert paragraphs(said)[0].text == "服务器在二号机房。钥匙在前台。"


def test_one_who_never_pauses_gets_paragraphs_at_sentence_ends() -> None:
    assert len(paragraphs(Word(5.0 * i, 5.0 * i + 4.9, f" Sentence {i}.") for i in range(30))) == 3


def test_another_speaker_begins_another_paragraph() -> None:
    found = paragraphs([Word(0, 1, " Yes.", speaker="A"), Word(1, 2, " No.", speaker="B"), Word(2, 3, " No!", speaker="B")])
    assert [(p.speaker, p.text) for p in found] == [("A", "Yes."), ("B", "No. No!")]


def test_confidence_is_the_mean_of_the_words() -> None:
    assert paragraphs([Word(0, 1, " a", 0.5), Word(1, 2, " b", 1.0)])[0].confidence == 0.75


@given(st.lists(st.tuples(st.floats(0, 5), st.floats(0, 5), st.sampled_from([" a", " b.", "词", "。"]), st.sampled_from("AB"))))
def test_every_word_is_in_one_paragraph(parts: list[tuple[float, float, str, str]]) -> None:
    at, words = 0.0, []
    for gap, length, text, speaker in parts:
        words.append(Word(at + gap, at + gap + length, text, speaker=speaker))
        at += gap + length
    assert [word for group in grouped(words) for word in group] == words
