"""Sound comes out of every common container, and what is damaged or endless costs no more than itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ingest.errors import DocumentCorrupt, DocumentEmpty, DocumentError, DocumentTooLarge
from ingest.parse.audio import recording
from ingest.parse.audio.recording import check_container, decode
from ingest.parse.detect import detect
from ingest.parse.ledger import Ledger

CONTAINERS = [
    ("wav", "pcm_s16le", "audio/wav"), ("mp3", "libmp3lame", "audio/mpeg"), ("ipod", "aac", "audio/mp4"),
    ("mp4", "aac", "audio/mp4"), ("mov", "aac", "audio/mp4"), ("ogg", "libopus", "audio/ogg"), ("flac", "flac", "audio/flac"),
    ("webm", "libopus", "audio/webm"), ("matroska", "libmp3lame", "audio/webm"), ("adts", "aac", "audio/aac"),
    ("avi", "libmp3lame", "video/x-msvideo"),
    ("aiff", "pcm_s16be", "audio/aiff"), ("asf", "libmp3lame", "audio/x-ms-wma"), ("mpegts", "mp2", "video/mp2t"),
]


@pytest.fixture
def tone() -> Any:
    """Eight seconds of a tone that swells."""
    at = np.arange(16_000 * 8)
    return (np.sin(at * 2 * np.pi * 440 / 16_000) * at / 8).astype(np.int16)


@pytest.mark.parametrize(("container", "codec", "media_type"), CONTAINERS)
def test_the_sound_of_a_container_is_told_and_decoded(
    tone: Any, written: Callable[..., bytes], container: str, codec: str, media_type: str
) -> None:
    data = written(tone, container, codec)
    assert detect(data, "talk") == media_type
    check_container(data, "talk")
    wave = decode(data, "talk", Ledger()).wave
    assert abs(len(wave) / 16_000 - 8) < 0.3
    assert np.abs(wave[-16_000:-2000]).mean() > 5 * np.abs(wave[2000:16_000]).mean()


def test_the_pictures_of_a_film_are_recorded(tone: Any, written: Callable[..., bytes]) -> None:
    ledger = Ledger()
    found = decode(written(tone, "mp4", "aac", film=True, title="每周例会"), "film.mp4", ledger)
    assert found.tags["title"] == "每周例会"
    assert [(o.kind, o.sample) for o in ledger.omissions()] == [("video_track", "64 x 48")]


def test_a_damaged_stretch_costs_itself(tone: Any, written: Callable[..., bytes]) -> None:
    data = bytearray(written(tone, "mp3", "libmp3lame"))
    middle = len(data) // 2
    data[middle : middle + 600] = bytes(600)
    wave = decode(bytes(data), "talk.mp3", Ledger()).wave
    assert len(wave) / 16_000 > 7


@pytest.mark.parametrize(("container", "codec"), [("flac", "flac"), ("matroska", "libmp3lame"), ("mp4", "aac")])
def test_a_file_that_promises_more_than_it_has_is_cut_short(
    tone: Any, written: Callable[..., bytes], container: str, codec: str
) -> None:
    data = written(np.concatenate([tone] * 3), container, codec)
    with pytest.raises(DocumentCorrupt, match=r"talk"):
        decode(data[: len(data) // 3], "talk", Ledger())


def test_sound_without_end_is_refused(tone: Any, written: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "MOST_SECONDS", 4)
    with pytest.raises(DocumentTooLarge, match="cut it into parts"):
        decode(written(tone, "flac", "flac"), "talk.flac", Ledger())


def test_a_film_without_sound_is_empty(written: Callable[..., bytes]) -> None:
    import io

    import av

    out = io.BytesIO()
    with av.open(out, "w", format="mp4") as file:
        stream = file.add_stream("mpeg4", rate=1)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        still = av.VideoFrame.from_ndarray(np.zeros((48, 64, 3), dtype=np.uint8), format="rgb24")
        file.mux(stream.encode(still))
        file.mux(stream.encode(None))
    with pytest.raises(DocumentEmpty, match="sound track"):
        decode(out.getvalue(), "film.mp4", Ledger())


def check(data: bytes, seeds: range) -> None:
    import random

    for seed in seeds:
        chance = random.Random(seed)  # noqa: S311  # the same damage each time
        damaged = bytearray(data[: chance.randrange(40, len(data))] if chance.random() < 0.3 else data)
        for _ in range(chance.randint(1, 40)):
            # Most damage falls into the head, where the structure is.
            at = chance.randrange(min(len(damaged), chance.choice((64, 1024, len(damaged)))))
            damaged[at] = chance.randrange(256)
        try:
            check_container(bytes(damaged), "talk")
            decode(bytes(damaged), "talk", Ledger())
        except DocumentError:
            continue


@pytest.mark.parametrize(
    ("container", "codec"), [("wav", "pcm_s16le"), ("mp3", "libmp3lame"), ("mp4", "aac"), ("webm", "libopus")]
)
def test_damage_never_escapes_the_error_tree(written: Callable[..., bytes], tone: Any, container: str, codec: str) -> None:
    check(written(tone[:32_000], container, codec), range(50))


@pytest.mark.slow
@pytest.mark.parametrize(("container", "codec"), [(container, codec) for container, codec, _ in CONTAINERS])
def test_much_damage_never_escapes_the_error_tree(written: Callable[..., bytes], tone: Any, container: str, codec: str) -> None:
    check(written(tone[:32_000], container, codec), range(50, 1050))
