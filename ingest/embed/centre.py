"""How far the activations of multilingual-e5-small lie from zero: shifts that make int8 arithmetic ten times as exact.

CTranslate2 rounds the input of every linear layer to 255 steps of its largest value. In this model that input is the output of
a layer norm, which has a few channels far from zero in every text, and most of all at the begin token, to which the last layers
attend from everywhere: its rounding error is in every vector. A constant taken from the norm's bias and given back through the
biases of the layers that read it changes no result but shrinks what is rounded. Any constant is exact; a good one is found by
running a few sentences through the model in float32. Measured on paragraphs: 1 - cosine to float32 falls from .0009 to .0004.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingest.embed.unigram import Unigram
from ingest.embed.weights import Packed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

_SENTENCES = (
    "passage: The gateway retries every request three times before it gives up and reports an error to its owner.",
    "passage: 网关对每个请求重试三次，之后放弃并向负责人报告错误。",
    "query: 发票多久开具一次？",
    "query: How do I renew a certificate?",
)
_BEGIN_SHARE_ATTENTION, _BEGIN_SHARE_FEED = 0.8, 0.15
"""Of the begin token in a shift, the other tokens' mean being the rest. Attention spreads the begin token's error over all
tokens, the feed-forward layer works on each alone; found by trying, and flat around these values."""

_STEPS = 64
"""Shifts are rounded to 1/64, so that the last bits of another machine's arithmetic do not make another model."""


def shifts(model: Packed) -> tuple[list[Matrix], list[Matrix]]:
    """Return for each layer what to take from the input of its attention, and from that of its feed-forward part: [hidden]."""
    unigram = Unigram(model.pieces, model.scores.tolist(), model.normal, model.unknown)
    numbers = [[model.begin, *unigram(sentence), model.end] for sentence in _SENTENCES]
    states = [_embedded(model, part) for part in numbers]
    attention, feed = [], []
    for layer in range(model.layers):
        attention.append(_shift(states, _BEGIN_SHARE_ATTENTION))
        weights = {part: model.whole(f"l{layer}.{part}.w") for part in ("q", "k", "v", "ao", "fi", "fo")}
        between = [_attended(model, layer, weights, state) for state in states]
        feed.append(_shift(between, _BEGIN_SHARE_FEED))
        states = [_fed(model, layer, weights, state) for state in between]
    return attention, feed


def _shift(states: list[Matrix], begin_share: float) -> Matrix:
    import numpy as np

    begin = np.mean([state[0] for state in states], axis=0)
    others = np.concatenate([state[1:-1] for state in states]).mean(axis=0)
    between = begin_share * begin + (1 - begin_share) * others
    rounded: Matrix = (np.rint(between * _STEPS) / _STEPS).astype(np.float32)
    return rounded


def _embedded(model: Packed, numbers: list[int]) -> Matrix:
    import numpy as np

    state = np.concatenate([model.matrix("emb.word", number, number + 1) for number in numbers])
    state += model.vector("emb.pos").reshape(-1, model.hidden)[: len(numbers)]
    state += model.vector("emb.type")[: model.hidden]
    return _normed(model, "emb.ln", state)


def _attended(model: Packed, layer: int, weights: dict[str, Matrix], state: Matrix) -> Matrix:
    """Self-attention with its residual and norm: [tokens, hidden] -> [tokens, hidden]."""
    import numpy as np

    width = model.hidden // model.heads
    query, key, value = (
        (state @ weights[part].T + model.vector(f"l{layer}.{part}.b")).reshape(len(state), model.heads, width).swapaxes(0, 1)
        for part in ("q", "k", "v")
    )
    scores = query @ key.swapaxes(1, 2) / np.float32(width**0.5)
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    context = (shares @ value).swapaxes(0, 1).reshape(len(state), model.hidden)
    return _normed(model, f"l{layer}.aln", state + context @ weights["ao"].T + model.vector(f"l{layer}.ao.b"))


def _fed(model: Packed, layer: int, weights: dict[str, Matrix], state: Matrix) -> Matrix:
    """The feed-forward part with its residual and norm. GELU by its tanh form: near enough for a shift."""
    import numpy as np

    inner: Matrix = state @ weights["fi"].T + model.vector(f"l{layer}.fi.b")
    inner *= np.float32(0.5) * (1 + np.tanh(np.float32(0.7978846) * (inner + np.float32(0.044715) * inner**3)))
    return _normed(model, f"l{layer}.oln", state + inner @ weights["fo"].T + model.vector(f"l{layer}.fo.b"))


def _normed(model: Packed, name: str, state: Matrix) -> Matrix:
    centred = state - state.mean(axis=1, keepdims=True)
    spread = (centred**2).mean(axis=1, keepdims=True) + model.epsilon
    normed: Matrix = centred / spread**0.5 * model.vector(f"{name}.w") + model.vector(f"{name}.b")
    return normed
