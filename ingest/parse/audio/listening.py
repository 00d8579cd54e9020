"""The words of a recording with their times, and what the model itself doubts.

Silence is found first (Silero), so that nothing is heard in it; long recordings are cut at silences, so that memory does not
grow with their length. A segment is left out when the model says that it is probably no speech, when it repeats itself, or
when it is the same as several before it: these are the ways in which such models invent.
"""

from __future__ import annotations

import zlib
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ingest.parse.audio.paragraphs import Word
from ingest.parse.audio.recording import SAMPLE_RATE
from ingest.parse.audio.script import PROMPTS
from ingest.parse.ledger import Ledger

if TYPE_CHECKING:
    import numpy as np
    from faster_whisper import WhisperModel  # type: ignore[import-untyped]
    from numpy.typing import NDArray

PIECE_SECONDS, LONGEST_PIECE_SECONDS = 600, 1800
"""A piece is cut at the first silence after ten minutes, or within speech after half an hour."""
MOST_NO_SPEECH, LEAST_LOG_PROBABILITY, MOST_COMPRESSION = 0.6, -1.0, 2.4
"""Whisper's own thresholds for "no speech" and "repeats itself"."""
MOST_REPEATS = 3
"""A segment with the words of this many directly before it is a loop; refrains and counting are rarer and shorter."""
SURE = 0.5
"""Probability from which the first half minute of speech settles the language."""


@dataclass(frozen=True, slots=True)
class Heard:
    words: list[Word]
    language: str


def listen(model: WhisperModel, wave: NDArray[np.float32], language: str, script: str, ledger: Ledger) -> Heard:
    """Transcribe a recording. `language` empty: heard. Words come in order of time; none where nobody speaks."""
    from faster_whisper.vad import get_speech_timestamps  # type: ignore[import-untyped]

    spoken = [(int(one["start"]), int(one["end"])) for one in get_speech_timestamps(wave, speech_pad_ms=0)]
    if not spoken:
        return Heard([], language or "en")
    language = language or _language(model, wave, spoken)
    words: list[Word] = []
    for start, end in _pieces(spoken, len(wave)):
        words.extend(_transcribed(model, wave[start:end], start / SAMPLE_RATE, language, script, ledger))
    stretches = [(start / SAMPLE_RATE, end / SAMPLE_RATE) for start, end in spoken]
    return Heard([_in_speech(word, stretches) for word in words], language)


def _in_speech(word: Word, stretches: Sequence[tuple[float, float]]) -> Word:
    """Move the ends of a word out of the silence around a stretch of speech, of which the model is given a little."""
    at = bisect(stretches, (word.end, 0.0)) - 1
    if at < 0:
        return word
    first, last = stretches[at]
    if word.start >= last:
        return word
    return replace(word, start=_moment(max(word.start, first)), end=_moment(min(word.end, last)))


def _language(model: WhisperModel, wave: NDArray[np.float32], spoken: Sequence[tuple[int, int]]) -> str:
    """Detect the language before transcribing, because the Chinese prompt must be there from the first word."""
    import numpy as np

    taken: list[NDArray[np.float32]] = []
    for start, end in spoken:
        taken.append(wave[start:end])
        if sum(map(len, taken)) > 90 * SAMPLE_RATE:
            break
    speech = np.concatenate(taken)[: 90 * SAMPLE_RATE]
    segments = max(1, -(-len(speech) // (30 * SAMPLE_RATE)))
    found = model.detect_language(speech, language_detection_segments=segments, language_detection_threshold=SURE)
    return str(found[0])


def _pieces(spoken: Sequence[tuple[int, int]], length: int) -> Iterator[tuple[int, int]]:
    """Cut a recording into pieces with speech in them, as samples from and to."""
    start = 0
    for (_, end), (following, _) in zip(spoken, [*spoken[1:], (length, length)], strict=True):
        while end - start > LONGEST_PIECE_SECONDS * SAMPLE_RATE:
            yield start, start + LONGEST_PIECE_SECONDS * SAMPLE_RATE
            start += LONGEST_PIECE_SECONDS * SAMPLE_RATE
        if end - start > PIECE_SECONDS * SAMPLE_RATE or following == length:
            cut = length if following == length else (end + following) // 2
            yield start, cut
            start = cut


def _transcribed(
    model: WhisperModel, wave: NDArray[np.float32], offset: float, language: str, script: str, ledger: Ledger
) -> Iterator[Word]:
    prompt = PROMPTS[script] if language in ("zh", "yue") else None
    segments, _ = model.transcribe(
        wave,
        language=language,
        beam_size=5,
        temperature=0.0,
        condition_on_previous_text=False,
        initial_prompt=prompt,
        word_timestamps=True,
        vad_filter=True,
    )
    before: list[str] = []
    for segment in segments:
        text = " ".join(segment.text.split())
        if not text or (prompt and prompt.startswith(text)):  # the model at times says its instruction
            continue
        looping = before[-MOST_REPEATS:].count(text) == MOST_REPEATS or _repeats_itself(segment, text, before)
        before.append(text)
        if looping or (segment.no_speech_prob > MOST_NO_SPEECH and segment.avg_logprob < LEAST_LOG_PROBABILITY):
            ledger.note("doubtful_speech", f"{offset + segment.start:.1f}-{offset + segment.end:.1f} s", text)
        else:
            yield from _words(segment, offset)


def _repeats_itself(segment: Any, text: str, before: Sequence[str]) -> bool:
    """Whether a segment is part of what the decoder said over and over.

    The model measures this for half a minute at a time; within such a stretch what is said once and does not repeat itself
    stays, or a speaker who says a sentence twice would lose both.
    """
    if segment.compression_ratio <= MOST_COMPRESSION:
        return False
    written = text.encode()
    return text in before or len(written) > MOST_COMPRESSION * len(zlib.compress(written))


def _words(segment: Any, offset: float) -> Iterator[Word]:
    """The words of a segment; the segment itself where the model gave none."""
    if not segment.words:
        yield Word(_moment(offset + segment.start), _moment(offset + segment.end), f" {segment.text.strip()}", 1.0)
    for word in segment.words or ():
        yield Word(_moment(offset + word.start), _moment(offset + word.end), word.word, float(word.probability))


def _moment(seconds: float) -> float:
    return round(float(seconds), 2)
