"""The speech model that the user configured, loaded once a process, and its mark in fingerprints."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingest.errors import ExtraMissing, ModelUnavailable
from ingest.parse.speech_model import PACKAGED, SHA256, packaged_files

if TYPE_CHECKING:
    from faster_whisper import WhisperModel  # type: ignore[import-untyped]


def mark(model: str) -> str:
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
def load(setting: str) -> WhisperModel:
    """Raises ExtraMissing without faster-whisper, ModelUnavailable where the folder is no model of CTranslate2's form."""
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
