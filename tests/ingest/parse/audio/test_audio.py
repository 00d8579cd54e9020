"""Recordings: the words with their times, the same each time, and a clear refusal of what is none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ingest.errors import DocumentCorrupt, DocumentEmpty, DocumentUnsupported, ExtraMissing, ModelUnavailable
from ingest.model.document import Document
from ingest.parse import audio
from ingest.parse.audio import model
from ingest.parse.speech_model import PACKAGED
from ingest.settings import ParsePart

SETTINGS = ParsePart(audio_model=PACKAGED)
RATE = 16_000


def parsed(data: bytes, settings: ParsePart = SETTINGS) -> Document:
    return audio.parse(data, "talk.wav", settings, "audio/wav")


def silence(seconds: float) -> Any:
    return np.zeros(int(RATE * seconds), dtype=np.int16)


def words(text: str) -> list[str]:
    numbers = {"2": "two"}
    return [numbers.get(word, word) for word in "".join(c if c.isalnum() else " " for c in text.lower()).split()]


def word_errors(said: list[str], heard: list[str]) -> int:
    """Edit distance in words."""
    row = list(range(len(heard) + 1))
    for at, word in enumerate(said, start=1):
        before, row[0] = row[0], at
        for to, other in enumerate(heard, start=1):
            before, row[to] = row[to], min(row[to] + 1, row[to - 1] + 1, before + (word != other))
    return row[-1]


def loud(samples: Any) -> Any:
    """Whether there is sound, in slices of 20 ms."""
    whole = np.abs(samples[: len(samples) // 320 * 320].astype(np.float32))
    return whole.reshape(-1, 320).mean(axis=1) > 150


@pytest.fixture(scope="module")
def parted(briefing: Any) -> tuple[Any, list[float]]:
    """Two seconds of silence, the briefing with three more in its longest pause, one of silence; and when sound sets in."""
    sounding = np.flatnonzero(loud(briefing))
    longest = int(np.argmax(np.diff(sounding)))
    middle = int(sounding[longest] + sounding[longest + 1]) // 2 * 320
    whole = np.concatenate([silence(2), briefing[:middle], silence(3), briefing[middle:], silence(1)])
    return whole, [2 + sounding[0] * 0.02, 5 + sounding[longest + 1] * 0.02]


@pytest.fixture(scope="module")
def heard(parted: Any, written: Callable[..., bytes]) -> Document:
    return parsed(written(parted[0]))


def test_what_is_said_is_understood(heard: Document, briefing_words: str) -> None:
    said = words(briefing_words)
    assert word_errors(said, words(heard.text)) <= 0.2 * len(said)
    assert heard.language == "en"


def test_times_are_those_of_the_sound(heard: Document, parted: Any) -> None:
    samples, onsets = parted
    times = [block.provenance.time for block in heard.blocks if block.provenance.time]
    for sounded in onsets:
        assert min(abs(start - sounded) for start, _ in times) <= 0.5
    assert abs(times[-1][1] - (np.flatnonzero(loud(samples))[-1] * 0.02)) <= 0.5
    assert heard.embedded["duration_seconds"] == round(len(samples) / RATE, 2)


def test_a_pause_parts_paragraphs_and_each_has_a_confidence(heard: Document) -> None:
    assert len(heard.blocks) >= 2
    assert all(0.3 < block.confidence <= 1 for block in heard.blocks)


def test_the_same_recording_gives_the_same_document(heard: Document, parted: Any, written: Callable[..., bytes]) -> None:
    assert parsed(written(parted[0])) == heard


def test_silence_and_noise_say_nothing(written: Callable[..., bytes]) -> None:
    hum = (np.sin(np.arange(RATE * 3) * 2 * np.pi * 120 / RATE) * 500).astype(np.int16)
    for quiet in (silence(1.5), hum):
        with pytest.raises(DocumentEmpty, match="speech"):
            parsed(written(quiet))


def test_a_cut_recording_is_corrupt(briefing: Any, written: Callable[..., bytes]) -> None:
    data = written(briefing)
    with pytest.raises(DocumentCorrupt, match="cut short"):
        parsed(data[: len(data) // 2])
    with pytest.raises(DocumentCorrupt):
        parsed(b"ID3\x04\0\0\0\0\0\0" + b"\0" * 500)


def test_a_play_list_is_never_opened() -> None:
    with pytest.raises(DocumentUnsupported, match="convert"):
        parsed(b"#EXTM3U\nhttp://example.org/secret.ts\n")


def test_without_a_model_the_error_names_the_setting(briefing: Any, written: Callable[..., bytes]) -> None:
    with pytest.raises(ModelUnavailable, match=r"talk\.wav.*parse\.audio_model"):
        parsed(written(briefing), ParsePart())


def test_without_the_engine_the_error_names_the_extra(
    briefing: Any, written: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "faster_whisper", None)
    with pytest.raises(ExtraMissing, match=r"concord-kb\[audio\]"):
        parsed(written(briefing), ParsePart(audio_model=str(tmp_path)))


def test_an_incomplete_model_folder_is_named_with_what_it_lacks(
    briefing: Any, written: Callable[..., bytes], tmp_path: Path
) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelUnavailable, match=r"model\.bin, tokenizer\.json, vocabulary"):
        parsed(written(briefing), ParsePart(audio_model=str(tmp_path)))


def test_the_fingerprint_follows_the_model_not_its_place(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.bin").write_bytes(b"weights")
    one, two = (audio.version(ParsePart(audio_model=str(tmp_path / name))) for name in ("one", "two"))
    assert one == two
    (tmp_path / "two" / "model.bin").write_bytes(b"other w")
    assert audio.version(ParsePart(audio_model=str(tmp_path / "two"))) != one
    for other in (ParsePart(audio_language="zh"), ParsePart(audio_script="traditional")):
        assert audio.version(other) != audio.version(ParsePart())
    assert model.mark("") == "none" and model.mark(str(tmp_path / "nowhere")) == "missing"
