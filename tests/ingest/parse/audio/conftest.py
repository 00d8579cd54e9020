"""Recordings made from the one of the corpus, whose words are known, and from silence."""

from __future__ import annotations

import io
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
import yaml

ROOT = Path(__file__).parents[4] / "fixtures"
RATE = 16_000


@pytest.fixture(scope="session")
def briefing() -> Any:
    """The samples of the briefing of the corpus, 16 bits, and below, what is said in it."""
    with wave.open(str(ROOT / "corpus/audio/ops-briefing-2026-03.en.wav")) as file:
        return np.frombuffer(file.readframes(file.getnframes()), dtype=np.int16)


@pytest.fixture(scope="session")
def briefing_words() -> str:
    return str(yaml.safe_load((ROOT / "binary/briefing.wav.yaml").read_text(encoding="utf-8"))["text"])


@pytest.fixture(scope="session")
def written() -> Callable[..., bytes]:
    """`written(samples, container, codec)`: 16-bit samples as a file; WAV where nothing is said."""

    def write(samples: Any, container: str = "wav", codec: str = "pcm_s16le", film: bool = False, **tags: str) -> bytes:
        out = io.BytesIO()
        with av.open(out, "w", format=container) as file:
            rate = 48_000 if codec == "libopus" else RATE
            stream = file.add_stream(codec, rate=rate)
            stream.layout = "mono"
            picture = file.add_stream("mpeg4", rate=1) if film else None
            file.metadata.update(tags)
            frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(samples).reshape(1, -1), format="s16", layout="mono")
            frame.sample_rate = RATE
            resampler = av.AudioResampler(format=stream.format, layout="mono", rate=rate)
            if picture is not None:
                picture.width, picture.height, picture.pix_fmt = 64, 48, "yuv420p"
                still = av.VideoFrame.from_ndarray(np.zeros((48, 64, 3), dtype=np.uint8), format="rgb24")
                file.mux(picture.encode(still))
                file.mux(picture.encode(None))
            fifo = av.AudioFifo()
            for piece in [*resampler.resample(frame), *resampler.resample(None)]:
                fifo.write(piece)
            size = stream.codec_context.frame_size or 1024
            while fifo.samples:
                file.mux(stream.encode(fifo.read(min(size, fifo.samples))))
            file.mux(stream.encode(None))
        return out.getvalue()

    return write
