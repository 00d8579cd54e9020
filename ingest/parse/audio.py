"""Speech becomes paragraphs with times: recordings in, a Document of what was said out.

faster-whisper (CTranslate2, int8, one thread) runs a model that the user has on disk; nothing is ever downloaded. Decoding is
greedy in the sense that matters here: one temperature, zero, and no fallback to sampling, so the same recording gives the
same words each time. A paragraph ends where the speaker pauses. What the model itself doubts is dropped and counted.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingest.errors import DocumentCorrupt, DocumentEmpty, DocumentUnsupported, ExtraMissing, ModelUnavailable
from ingest.model.document import Block, Document, Omission, Provenance, laid_out
from ingest.model.language import join_lines
from ingest.parse.fingerprint import stamp
from ingest.parse.speech_model import PACKAGED, SHA256, packaged_files
from ingest.settings import ParsePart

if TYPE_CHECKING:
    from faster_whisper import WhisperModel  # type: ignore[import-untyped]

CHINESE_PROMPT = "以下是普通话的句子，使用简体中文和标点。"
"""Without it the multilingual models write Mandarin in Traditional characters and without punctuation."""

PAUSE_SECONDS = 1.2
"""A silence between two segments that ends a paragraph."""
PARAGRAPH_SECONDS = 60.0
"""A speaker who never pauses gets a new paragraph at the next sentence end after this long."""
SAMPLE_RATE = 16_000

_SENTENCE_END = re.compile(r"[.!?。！？…][\"'”’」』)）]*$")


def version(settings: ParsePart) -> str:
    """Fingerprint of what turns speech into text: this code, the engine, the model's content and the language asked for."""
    libraries = ("faster-whisper", "ctranslate2")
    return stamp("audio", 1, libraries, model=_model_mark(settings.audio_model), language=settings.audio_language or "detected")


def parse(data: bytes, name: str, settings: ParsePart, media_type: str) -> Document:
    """Transcribe a recording (WAV, MP3, FLAC, Ogg, MP4/M4A, WebM).

    Raises ModelUnavailable when no model is configured or its folder is not one, ExtraMissing without faster-whisper,
    DocumentCorrupt, DocumentUnsupported, and DocumentEmpty when nobody speaks.
    """
    _check_container(data, name)
    if not settings.audio_model:
        raise ModelUnavailable(
            f"{name} is a recording and no speech model is configured; set parse.audio_model to the folder of a CTranslate2 "
            f"Whisper model, or to {PACKAGED} after installing the packages of that name"
        )
    model = _model(settings.audio_model)
    wave, tags = _decode(data, name)
    language = settings.audio_language or _language(model, wave)
    segments, doubted = _transcribe(model, wave, language)
    paragraphs = _paragraphs(segments)
    if not paragraphs:
        raise DocumentEmpty(f"{name} has no intelligible speech; leave it out with .ingestignore")
    blocks = [Block("paragraph", p.text, provenance=Provenance(time=(p.start, p.end))) for p in paragraphs]
    return Document(
        media_type=media_type,
        parser=version(settings),
        title=tags.get("title"),
        blocks=laid_out(blocks),
        omissions=(Omission("doubtful_speech", count=doubted),) if doubted else (),
        embedded={**tags, "duration_seconds": round(len(wave) / SAMPLE_RATE, 2)},
        language=language,
    )


@dataclass(frozen=True, slots=True)
class _Spoken:
    """Words between two moments, in seconds from the start of the recording."""

    start: float
    end: float
    text: str


def _model_mark(model: str) -> str:
    """A short content mark, the same wherever the model lies. Absent and incomplete models have marks of their own."""
    if not model:
        return "none"
    if model == PACKAGED:
        return SHA256["model.bin"][:16]
    try:
        weights = Path(model) / "model.bin"
        return _sampled(str(weights), weights.stat().st_size, weights.stat().st_mtime_ns)
    except OSError:
        return "missing"


@lru_cache(maxsize=8)
def _sampled(path: str, size: int, mtime_ns: int) -> str:
    """Hash of the size and of 64 KB at both ends: reading gigabytes of weights to plan a run would cost more than the run."""
    marked = hashlib.blake2b(str(size).encode(), digest_size=8)
    with Path(path).open("rb") as file:
        marked.update(file.read(65536))
        file.seek(max(0, size - 65536))
        marked.update(file.read(65536))
    return marked.hexdigest()


@lru_cache(maxsize=1)
def _model(setting: str) -> WhisperModel:
    try:
        from faster_whisper import WhisperModel
    except ImportError:
        raise ExtraMissing("transcribing recordings", "audio") from None
    # One thread: sums in another order give other last bits, and now and then another word.
    options: dict[str, Any] = {"device": "cpu", "compute_type": "int8", "cpu_threads": 1, "num_workers": 1}
    if setting == PACKAGED:
        return WhisperModel(PACKAGED, files=packaged_files(), **options)
    folder = Path(setting)
    # tokenizer.json is asked for because the engine would fetch a missing one from the network.
    missing = [name for name in ("model.bin", "config.json", "tokenizer.json") if not (folder / name).is_file()]
    if not any(folder.glob("vocabulary.*")):
        missing.append("vocabulary.*")
    if missing:
        raise ModelUnavailable(
            f"parse.audio_model = {setting} lacks {', '.join(missing)}; point it to the folder of a CTranslate2 Whisper model"
        )
    try:
        return WhisperModel(str(folder), **options)
    except (RuntimeError, ValueError, OSError) as error:
        raise ModelUnavailable(f"the speech model in {setting} cannot be loaded ({error}); copy it again") from error


def _check_container(data: bytes, name: str) -> None:
    """Let only recordings through to the decoder, which would follow the addresses in a play list."""
    riff = data[:4] == b"RIFF" and data[8:12] == b"WAVE"
    mpeg = data[:3] == b"ID3" or (len(data) > 1 and data[0] == 0xFF and data[1] & 0xE0 == 0xE0)
    if not (riff or mpeg or data[:4] in (b"fLaC", b"OggS", b"\x1a\x45\xdf\xa3") or data[4:8] == b"ftyp"):
        raise DocumentUnsupported(f"{name} is not a recording that can be read; convert it to WAV, MP3, FLAC, Ogg or M4A")
    promised = int.from_bytes(data[4:8], "little")
    streamed = promised in (0, 0xFFFFFFFF)  # written to a pipe, when the length could not be known
    if riff and not streamed and promised + 8 > len(data) + 1:
        raise DocumentCorrupt(f"{name} is cut short: its header promises more bytes than there are; copy it again")


def _decode(data: bytes, name: str) -> tuple[Any, dict[str, str]]:
    """Return the recording as float32 mono at 16 kHz and its tags (title, artist, album, date)."""
    import av
    from faster_whisper.audio import decode_audio  # type: ignore[import-untyped]

    try:
        with av.open(io.BytesIO(data), metadata_errors="ignore") as container:
            raw = {str(key).lower(): str(value).strip() for key, value in container.metadata.items()}
            if not container.streams.audio:
                raise DocumentEmpty(f"{name} has no sound track; leave it out with .ingestignore")
        wave = decode_audio(io.BytesIO(data), sampling_rate=SAMPLE_RATE)
    except (av.error.FFmpegError, ValueError, IndexError, TypeError) as error:
        # TypeError: what decode_audio runs into when not one frame can be decoded.
        raise DocumentCorrupt(f"{name} cannot be decoded ({type(error).__name__}); copy it again or convert it to WAV") from error
    return wave, {key: raw[key] for key in ("title", "artist", "album", "date") if raw.get(key)}


def _language(model: WhisperModel, wave: Any) -> str:
    """Detect the language before transcribing, because the Chinese prompt must be there from the first word."""
    from faster_whisper.vad import get_speech_timestamps  # type: ignore[import-untyped]

    spoken = get_speech_timestamps(wave)
    if not spoken:
        return "en"
    start = spoken[0]["start"]
    return str(model.detect_language(wave[start : start + 30 * SAMPLE_RATE])[0])


def _transcribe(model: WhisperModel, wave: Any, language: str) -> tuple[list[_Spoken], int]:
    """Return what was said, and how many segments were dropped as probably not speech or as a loop of the decoder."""
    segments, _ = model.transcribe(
        wave,
        language=language,
        beam_size=5,
        temperature=0.0,
        condition_on_previous_text=False,
        initial_prompt=CHINESE_PROMPT if language == "zh" else None,
        word_timestamps=True,
        vad_filter=True,
    )
    kept, doubted = [], 0
    for segment in segments:
        text = " ".join(segment.text.split())
        # The thresholds are Whisper's own for "no speech" and "repeats itself".
        if (segment.no_speech_prob > 0.6 and segment.avg_logprob < -1.0) or segment.compression_ratio > 2.4:
            doubted += 1
        elif text and text != CHINESE_PROMPT:
            kept.append(_Spoken(*_times(segment), text))
    return kept, doubted


def _times(segment: Any) -> tuple[float, float]:
    """The first and last word's times, which exclude the silence that segments carry at their ends."""
    words = segment.words or ()
    start, end = (words[0].start, words[-1].end) if words else (segment.start, segment.end)
    return round(float(start), 2), round(float(end), 2)


def _paragraphs(segments: Iterable[_Spoken]) -> list[_Spoken]:
    made: list[_Spoken] = []
    gathered: list[_Spoken] = []
    for segment in segments:
        if gathered and _ends_paragraph(gathered, segment):
            made.append(_joined(gathered))
            gathered = []
        gathered.append(segment)
    return [*made, _joined(gathered)] if gathered else made


def _ends_paragraph(gathered: Sequence[_Spoken], following: _Spoken) -> bool:
    if following.start - gathered[-1].end >= PAUSE_SECONDS:
        return True
    return gathered[-1].end - gathered[0].start >= PARAGRAPH_SECONDS and bool(_SENTENCE_END.search(gathered[-1].text))


def _joined(gathered: Sequence[_Spoken]) -> _Spoken:
    text = join_lines("\n".join(segment.text for segment in gathered))
    return _Spoken(gathered[0].start, gathered[-1].end, text)
