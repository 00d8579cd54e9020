"""multilingual-e5-small made ready for CTranslate2: the packed 4-bit weights go in, a verified folder of int8 weights comes out.

The format of the folder is in docs/formats.md. It is made once, under a lock, and renamed into place; every load hashes it
again and a damaged one is made anew, so nobody ever computes with half a model. Rows are unpacked and quantised a few
thousand at a time, because the whole word table as float32 would take 400 MB.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingest.embed import centre, weights
from ingest.errors import StorageFailed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMAT = 2
"""Raised when the same weights come to be converted otherwise."""

_MANIFEST = "concord.json"
_ROWS_AT_ONCE = 4096


def converted(models: Path) -> Path:
    """Return the folder below `models` that holds the converted model, whole; convert first where it is not there.

    Raises ExtraMissing or ModelUnavailable for the packed weights, StorageFailed where the folder cannot be written.
    """
    folder = _folder(models)
    if _whole(folder):
        return folder
    packed = weights.verified()
    try:
        models.mkdir(parents=True, exist_ok=True)
        with _locked(models / f"{folder.name}.lock"):
            if not _whole(folder):
                _make(packed, folder)
    except OSError as error:
        raise StorageFailed(
            f"the converted model cannot be written to {folder}: {error.strerror or error}; free 130 MB or check permissions"
        ) from error
    return folder


def present(models: Path) -> Path | None:
    """Return the folder of the converted model, or None where it is not there whole. Writes nothing."""
    folder = _folder(models)
    return folder if _whole(folder) else None


def _folder(models: Path) -> Path:
    return models / f"e5-{weights.SHA256[:12]}-ct{version('ctranslate2')}-int8"


def manifest(folder: Path) -> dict[str, Any]:
    """Return what concord.json says of a converted model."""
    found: dict[str, Any] = json.loads((folder / _MANIFEST).read_bytes())
    return found


def _whole(folder: Path) -> bool:
    """Is every file there, and what it was when it was written? Takes 70 ms where the processor hashes by itself."""
    try:
        said = manifest(folder)
        if (said["format"], said["weights"]) != (FORMAT, weights.SHA256):
            return False
        return all(_described(folder / name) == entry for name, entry in said["files"].items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _described(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        return {"size": path.stat().st_size, "sha256": hashlib.file_digest(file, "sha256").hexdigest()}


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _make(packed: Path, folder: Path) -> None:
    """Convert beside `folder`, then rename. We hold the lock, so whatever lies there was left by a process that died."""
    prefix = f".{folder.name}-"
    for left in folder.parent.glob(f"{prefix}*"):
        shutil.rmtree(left, ignore_errors=True)
    if folder.exists():
        shutil.rmtree(folder)
    making = Path(tempfile.mkdtemp(prefix=prefix, dir=folder.parent))
    try:
        _write(weights.Packed(packed), making)
        making.rename(folder)
    except BaseException:
        shutil.rmtree(making, ignore_errors=True)
        raise


def _write(model: weights.Packed, folder: Path) -> None:
    spec = _spec(model)
    spec.save(str(folder))
    (folder / "vocabulary.json").write_text('["<unk>"]', encoding="utf-8")
    (folder / "pieces.txt").write_text("\n".join(model.pieces), encoding="utf-8", newline="")
    (folder / "scores.f32").write_bytes(model.scores.tobytes())
    (folder / "normal.json").write_text(json.dumps(model.normal), encoding="utf-8")
    said = {
        "format": FORMAT,
        "weights": weights.SHA256,
        "ctranslate2": version("ctranslate2"),
        "tokens": {"begin": model.begin, "end": model.end, "unknown": model.unknown},
        "files": {path.name: _described(path) for path in sorted(folder.iterdir())},
    }
    (folder / _MANIFEST).write_text(json.dumps(said, indent=1), encoding="utf-8")


def _spec(model: weights.Packed) -> Any:
    """CTranslate2's description of a BERT encoder, filled. Token types are its second embedding, added to the first."""
    from ctranslate2.specs import common_spec, transformer_spec  # type: ignore[import-untyped]

    encoder = transformer_spec.TransformerEncoderSpec(
        model.layers,
        model.heads,
        pre_norm=False,
        activation=common_spec.Activation.GELU,
        layernorm_embedding=True,
        num_source_embeddings=2,
        embeddings_merge=common_spec.EmbeddingsMerge.ADD,
    )
    encoder.scale_embeddings = False  # BERT does not multiply embeddings by the root of their width
    words, types = encoder.embeddings
    words.weight, words.weight_scale = _quantised(model, "emb.word")
    types.weight = model.vector("emb.type").reshape(-1, model.hidden)
    encoder.position_encodings.encodings = model.vector("emb.pos").reshape(-1, model.hidden)
    _fill_norm(encoder.layernorm_embedding, model, "emb.ln")
    for number, layer in enumerate(encoder.layer):
        _fill_layer(layer, model, f"l{number}")
    _centre(encoder, model)
    spec = transformer_spec.TransformerEncoderModelSpec(encoder)
    spec.config.unk_token, spec.config.layer_norm_epsilon = "<unk>", float(model.epsilon)
    spec.register_vocabulary([f"<{number}>" for number in range(words.weight.shape[0])])
    spec.validate()
    spec.optimize()
    return spec


def _fill_layer(layer: Any, model: weights.Packed, name: str) -> None:
    attention = layer.self_attention
    _fill_linear(attention.linear[0], model, f"{name}.q", f"{name}.k", f"{name}.v")
    _fill_linear(attention.linear[1], model, f"{name}.ao")
    _fill_linear(layer.ffn.linear_0, model, f"{name}.fi")
    _fill_linear(layer.ffn.linear_1, model, f"{name}.fo")
    _fill_norm(attention.layer_norm, model, f"{name}.aln")
    _fill_norm(layer.ffn.layer_norm, model, f"{name}.oln")


def _centre(encoder: Any, model: weights.Packed) -> None:
    """Move the inputs of linear layers towards zero, where rounding to int8 costs less; see `ingest.embed.centre`.

    What a norm's bias loses, the layers that read it get back through their biases, and the residual through the bias of the
    layer that is added to it. The last norm makes the output and stays as it is.
    """
    import numpy as np

    attention, feed = centre.shifts(model)
    before = encoder.layernorm_embedding
    for number, layer in enumerate(encoder.layer):
        from_attention, from_feed = attention[number], feed[number]
        entry, back = layer.self_attention.linear
        before.beta -= from_attention
        entry.bias += np.concatenate([model.whole(f"l{number}.{part}.w") @ from_attention for part in ("q", "k", "v")])
        back.bias += from_attention
        layer.self_attention.layer_norm.beta -= from_feed
        layer.ffn.linear_0.bias += model.whole(f"l{number}.fi.w") @ from_feed
        layer.ffn.linear_1.bias += from_feed
        before = layer.ffn.layer_norm


def _fill_norm(norm: Any, model: weights.Packed, name: str) -> None:
    norm.gamma, norm.beta = model.vector(f"{name}.w"), model.vector(f"{name}.b")


def _fill_linear(linear: Any, model: weights.Packed, *names: str) -> None:
    import numpy as np

    parts = [_quantised(model, f"{name}.w") for name in names]
    linear.weight = np.concatenate([weight for weight, _ in parts])
    linear.weight_scale = np.concatenate([scale for _, scale in parts])
    linear.bias = np.concatenate([model.vector(f"{name}.b") for name in names])


def _quantised(model: weights.Packed, name: str) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return a matrix as CTranslate2 stores int8: each row times its scale, 127 / its largest absolute value, rounded."""
    import numpy as np

    rows = model.rows(name)
    whole = np.empty((rows, model.columns_of(name)), np.int8)
    scales = np.empty(rows, np.float32)
    for start in range(0, rows, _ROWS_AT_ONCE):
        stop = min(start + _ROWS_AT_ONCE, rows)
        part = model.matrix(name, start, stop)
        largest = np.abs(part).max(axis=1)
        largest[largest == 0] = 127
        scales[start:stop] = np.float32(127) / largest
        whole[start:stop] = np.rint(part * scales[start:stop, None])
    return whole, scales
