"""The sound of a recording or film, decoded to what speech models take: one channel, 16,000 samples a second.

Packets are decoded one by one, so that a damaged one costs its fraction of a second and is recorded, and a file that would
decode to days of sound is refused before it fills the memory.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ingest.errors import DocumentCorrupt, DocumentEmpty, DocumentTooLarge, DocumentUnsupported
from ingest.parse.ledger import Ledger

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SAMPLE_RATE = 16_000
MOST_SECONDS = 8 * 3600
"""Eight hours are 1.8 GB as the model takes them."""
SHORT_BY = 0.05
"""Share of the promised length, at least five seconds, that may be missing before a file counts as cut short."""

_MAGIC = (b"fLaC", b"OggS", b"\x1a\x45\xdf\xa3", b".snd", b"\x30\x26\xb2\x75", b"#!AM", b"\0\0\1\xba")
_TAGS = ("title", "artist", "album", "date", "comment", "language")
_KNOWS_ITS_LENGTH = ("mov", "mp4", "flac", "matroska")


@dataclass(frozen=True, slots=True)
class Recording:
    wave: NDArray[np.float32]
    tags: dict[str, str] = field(default_factory=dict)


def check_container(data: bytes, name: str) -> None:
    """Let only recordings through to the decoder, which would follow the addresses in a play list."""
    riff = data[:4] in (b"RIFF", b"RF64") and data[8:12] in (b"WAVE", b"AVI ")
    mpeg = data[:3] == b"ID3" or (len(data) > 1 and data[0] == 0xFF and data[1] & 0xE0 == 0xE0)
    apple = data[4:8] in (b"ftyp", b"moov", b"mdat", b"wide") or (data[:4] == b"FORM" and data[8:11] == b"AIF")
    stream = data[:1] == data[188:189] == b"\x47"
    if not (riff or mpeg or apple or stream or data[:4] in _MAGIC):
        raise DocumentUnsupported(f"{name} is not a recording that can be read; convert it to WAV, MP3, FLAC, Ogg or M4A")
    promised = int.from_bytes(data[4:8], "little")
    streamed = promised in (0, 0xFFFFFFFF)  # written to a pipe, when the length could not be known
    if data[:4] == b"RIFF" and not streamed and promised + 8 > len(data) + 1:
        raise DocumentCorrupt(f"{name} is cut short: its header promises more bytes than there are; copy it again")


def decode(data: bytes, name: str, ledger: Ledger) -> Recording:
    """Return the sound and the tags. Pictures of a film and subtitles within it are recorded as left out."""
    import av
    import numpy as np

    try:
        with av.open(io.BytesIO(data), mode="r", metadata_errors="ignore") as container:
            if not container.streams.audio:
                raise DocumentEmpty(f"{name} has no sound track; leave it out with .ingestignore")
            pieces = _samples(container, name, ledger)
            promised = (container.duration or 0) / 1_000_000
            tags = {str(key).lower(): str(value).strip() for key, value in container.metadata.items()}
            kind = str(container.format.name)
            _record_tracks(container, ledger)
    except (av.error.FFmpegError, ValueError, IndexError, TypeError, OverflowError) as error:
        raise DocumentCorrupt(f"{name} cannot be decoded ({type(error).__name__}); copy it again or convert it to WAV") from error
    if not pieces:
        raise DocumentCorrupt(f"{name} has a sound track that cannot be decoded; copy it again or convert it to WAV")
    samples = np.concatenate(pieces)
    seconds = len(samples) / SAMPLE_RATE
    if any(known in kind for known in _KNOWS_ITS_LENGTH) and promised - seconds > max(5.0, SHORT_BY * promised):
        raise DocumentCorrupt(f"{name} is cut short: {seconds:.0f} of {promised:.0f} seconds can be decoded; copy it again")
    wave = samples.astype(np.float32)
    wave /= 32768.0
    return Recording(wave, {key: tags[key] for key in _TAGS if tags.get(key)})


def _samples(container: Any, name: str, ledger: Ledger) -> list[NDArray[np.int16]]:
    """Samples of the first sound track, 16 bits, in pieces."""
    import av

    resampler = av.AudioResampler(format="s16", layout="mono", rate=SAMPLE_RATE)
    pieces: list[NDArray[np.int16]] = []
    count = 0
    for packet in container.demux(container.streams.audio[0]):
        try:
            frames = packet.decode()
            resampled = [piece for frame in frames for piece in resampler.resample(_untimed(frame))]
        except av.error.InvalidDataError:
            ledger.note("damaged_sound", _clock(count // SAMPLE_RATE))
            continue
        for piece in resampled:
            pieces.append(_flat(piece))
            count += len(pieces[-1])
        if count > MOST_SECONDS * SAMPLE_RATE:
            raise DocumentTooLarge(f"{name} is longer than {MOST_SECONDS // 3600} hours; cut it into parts")
    try:
        pieces.extend(_flat(piece) for piece in resampler.resample(None))
    except (av.error.FFmpegError, ValueError):
        pass  # nothing was put in
    return pieces


def _flat(frame: Any) -> Any:
    return frame.to_ndarray().reshape(-1)


def _untimed(frame: Any) -> Any:
    """A frame without its own time, which may jump; samples follow each other."""
    frame.pts = None
    return frame


def _record_tracks(container: Any, ledger: Ledger) -> None:
    for stream in container.streams.video:
        still = "ATTACHED_PIC" in str(stream.disposition).upper()  # the cover of an album
        ledger.note("image" if still else "video_track", "", f"{stream.width} x {stream.height}")
    ledger.note("subtitle_track", "", count=len(container.streams.subtitles))
    ledger.note("sound_track", "", "other than the first", count=len(container.streams.audio) - 1)


def _clock(seconds: int) -> str:
    return f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
