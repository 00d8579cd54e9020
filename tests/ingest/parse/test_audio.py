"""Recordings: the words with their times, the same each time, and a clear refusal of what is none."""

from __future__ import annotations

import io
import wave
from pathlib import Path

import pytest

from ingest.errors import DocumentCorrupt, DocumentEmpty, DocumentUnsupported, ModelUnavailable
from ingest.model.document import Document
from ingest.parse import audio
from ingest.parse.speech_model import PACKAGED
from ingest.settings import ParsePart

BRIEFING = Path(__file__).parents[3] / "fixtures/corpus/audio/ops-briefing-2026-03.en.wav"
SETTINGS = ParsePart(audio_model=PACKAGED)


def parsed(data: bytes, settings: ParsePart = SETTINGS) -> Document:
    return audio.parse(data, "talk.wav", settings, "audio/wav")


def silence(seconds: float) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16_000)
        file.writeframes(b"\0\0" * int(16_000 * seconds))
    return out.getvalue()


@pytest.fixture(scope="module")
def briefing() -> Document:
    return parsed(BRIEFING.read_bytes())


def test_the_briefing_of_the_corpus_is_understood(briefing: Document) -> None:
    said = briefing.text.lower()
    for words in ("good morning", "spare battery", "server room", "blue cabinet", "loading dock", "sign the list"):
        assert words in said


def test_paragraphs_have_their_times(briefing: Document) -> None:
    duration = briefing.embedded["duration_seconds"]
    times = [block.provenance.time for block in briefing.blocks]
    for time in times:
        assert time is not None and 0 <= time[0] < time[1] <= duration + 0.1
    assert times == sorted(times, key=lambda time: time or (0, 0))


def test_the_language_is_heard(briefing: Document) -> None:
    assert briefing.language == "en"


def test_the_same_recording_gives_the_same_document(briefing: Document) -> None:
    assert parsed(BRIEFING.read_bytes()) == briefing


def test_a_long_pause_ends_a_paragraph() -> None:
    spoken = [
        audio._Spoken(0, 2, "First sentence."),
        audio._Spoken(2.3, 4, "Second one."),
        audio._Spoken(6, 8, "After the pause."),
    ]
    assert [p.text for p in audio._paragraphs(spoken)] == ["First sentence. Second one.", "After the pause."]
    assert [(p.start, p.end) for p in audio._paragraphs(spoken)] == [(0, 4), (6, 8)]


def test_chinese_sentences_are_joined_without_a_space() -> None:
    spoken = [audio._Spoken(0, 2, "服务器在二号机房。"), audio._Spoken(2.1, 4, "钥匙在前台。")]
    assert audio._paragraphs(spoken)[0].text == "服务器在二号机房。钥匙在前台。"


def test_one_who_never_pauses_gets_paragraphs_at_sentence_ends() -> None:
    spoken = [audio._Spoken(5.0 * i, 5.0 * i + 4.9, f"Sentence {i}.") for i in range(30)]
    assert len(audio._paragraphs(spoken)) == 3


def test_silence_is_empty() -> None:
    with pytest.raises(DocumentEmpty, match="speech"):
        parsed(silence(1.5))


def test_a_cut_recording_is_corrupt() -> None:
    data = BRIEFING.read_bytes()
    with pytest.raises(DocumentCorrupt, match="cut short"):
        parsed(data[: len(data) // 2])
    with pytest.raises(DocumentCorrupt):
        parsed(b"ID3\x04\0\0\0\0\0\0" + b"\0" * 500)


def test_a_play_list_is_never_opened() -> None:
    with pytest.raises(DocumentUnsupported, match="convert"):
        parsed(b"#EXTM3U\nhttp://example.org/secret.ts\n")


def test_without_a_model_the_error_names_the_setting() -> None:
    with pytest.raises(ModelUnavailable, match=r"talk\.wav.*parse\.audio_model"):
        parsed(BRIEFING.read_bytes(), ParsePart())


def test_an_incomplete_model_folder_is_named_with_what_it_lacks(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelUnavailable, match=r"model\.bin, tokenizer\.json, vocabulary"):
        parsed(BRIEFING.read_bytes(), ParsePart(audio_model=str(tmp_path)))


def test_the_fingerprint_follows_the_model_not_its_place(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.bin").write_bytes(b"weights")
    one, two = (audio.version(ParsePart(audio_model=str(tmp_path / name))) for name in ("one", "two"))
    assert one == two
    (tmp_path / "two" / "model.bin").write_bytes(b"other w")
    assert audio.version(ParsePart(audio_model=str(tmp_path / "two"))) != one
    assert audio.version(ParsePart(audio_language="zh")) != audio.version(ParsePart())
