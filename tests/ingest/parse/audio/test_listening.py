"""What a model invents is dropped and recorded; tried with a model that says what it is told to."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ingest.parse.audio import listening
from ingest.parse.audio.listening import listen
from ingest.parse.audio.paragraphs import Word
from ingest.parse.audio.script import PROMPTS, in_script
from ingest.parse.ledger import Ledger


class Told:
    """A model that says these segments of every piece, and remembers what it was asked."""

    def __init__(self, *segments: Any, language: str = "en") -> None:
        self.segments, self.language, self.asked = segments, language, list[dict[str, Any]]()

    def transcribe(self, wave: Any, **options: Any) -> tuple[Any, None]:
        self.asked.append({**options, "samples": len(wave)})
        return iter(self.segments), None

    def detect_language(self, speech: Any, **options: Any) -> tuple[str, float, list[Any]]:
        return self.language, 0.9, []


def segment(start: float, text: str, no_speech: float = 0.0, sure: float = -0.2, compression: float = 1.0) -> Any:
    words = [SimpleNamespace(start=start, end=start + 1, word=f" {text}", probability=0.9)]
    doubts = {"no_speech_prob": no_speech, "avg_logprob": sure, "compression_ratio": compression}
    return SimpleNamespace(start=start, end=start + 1, text=text, words=words, **doubts)


@pytest.fixture(autouse=True)
def spoken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Speech throughout, but for a second of silence after every minute."""
    import faster_whisper.vad

    def found(wave: Any, **options: Any) -> list[dict[str, int]]:
        return [{"start": at, "end": min(at + 59 * 16_000, len(wave))} for at in range(0, len(wave), 60 * 16_000)]

    monkeypatch.setattr(faster_whisper.vad, "get_speech_timestamps", found)


def heard(model: Any, seconds: float = 30, language: str = "en", script: str = "simplified") -> tuple[list[str], list[Any]]:
    ledger = Ledger()
    found = listen(model, np.zeros(int(16_000 * seconds), dtype=np.float32), language, script, ledger)
    return [word.text.strip() for word in found.words], [(o.kind, o.where, o.sample) for o in ledger.omissions()]


def test_doubtful_segments_are_recorded_with_their_times() -> None:
    model = Told(
        segment(0, "kept"), segment(2, "silence", no_speech=0.7, sure=-1.2), segment(4, "la " * 60, compression=2.5),
        segment(5, "kept", compression=2.5), segment(5.5, "said once", compression=2.5),
        segment(6, "unsure but spoken", no_speech=0.7, sure=-0.5),
    )
    assert heard(model) == (
        ["kept", "said once", "unsure but spoken"],
        [
            ("doubtful_speech", "2.0-3.0 s", "silence"), ("doubtful_speech", "4.0-5.0 s", ("la " * 60).strip()),
            ("doubtful_speech", "5.0-6.0 s", "kept"),
        ],
    )


def test_a_loop_is_cut_off() -> None:
    said, left_out = heard(Told(*(segment(n, "Thank you.") for n in range(9)), segment(9, "The end.")))
    assert said == ["Thank you."] * 3 + ["The end."] and len(left_out) == 6


def test_nothing_is_carried_from_one_segment_to_the_next_and_nothing_is_sampled() -> None:
    model = Told(segment(0, "x"))
    heard(model)
    assert model.asked[0]["condition_on_previous_text"] is False and model.asked[0]["temperature"] == 0.0
    assert model.asked[0]["vad_filter"] is True and model.asked[0]["word_timestamps"] is True


@pytest.mark.parametrize("script", ["simplified", "traditional"])
def test_chinese_is_asked_for_in_a_script_and_the_prompt_is_not_an_answer(script: str) -> None:
    model = Told(segment(0, PROMPTS[script]), segment(2, "你好"), language="zh")
    assert heard(model, language="", script=script)[0] == ["你好"]
    assert model.asked[0]["initial_prompt"] == PROMPTS[script]


def test_chinese_comes_in_the_script_asked_for_and_nothing_else_changes() -> None:
    assert in_script("歡迎使用雲脈網關", "simplified", "zh") == "欢迎使用云脉网关"
    assert in_script("欢迎使用云脉网关", "traditional", "zh") == "歡迎使用雲脈網關"
    assert in_script("東京の天気", "simplified", "ja") == "東京の天気"


def test_words_do_not_reach_into_the_silence_around_them() -> None:
    stretches = [(2.0, 4.0), (9.0, 12.0)]
    for given, kept in (((1.6, 2.4), (2.0, 2.4)), ((3.5, 4.3), (3.5, 4.0)), ((8.7, 9.5), (9.0, 9.5)), ((5.0, 6.0), (5.0, 6.0))):
        word = listening._in_speech(Word(*given, "x"), stretches)
        assert (word.start, word.end) == kept


def test_long_recordings_are_heard_in_pieces_that_cover_all(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Told(segment(1, "x"))
    monkeypatch.setattr(listening, "PIECE_SECONDS", 120)
    said, _ = heard(model, seconds=600)
    assert sum(asked["samples"] for asked in model.asked) == 600 * 16_000
    assert len(said) == len(model.asked) == 4
