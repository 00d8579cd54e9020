"""The fixture corpus through the real pipeline with the default model, and every question of `expected.yaml`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ingest.model.access import Principal
from ingest.model.instant import parse_instant
from ingest.store.layout import layout_of

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
QUESTIONS = {
    question["id"]: question
    for question in yaml.safe_load((FIXTURES / "expected.yaml").read_text(encoding="utf-8"))["questions"]
}


@pytest.fixture(scope="session")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """(settings, report) of one run over fixtures/corpus with the settings that come with it."""
    from flows.pipeline import Options, run
    from ingest.progress import Silent
    from ingest.settings import load

    settings = load(FIXTURES / "ingest.toml", {"kb": str(tmp_path_factory.mktemp("fixtures") / "kb")}, environ={})
    return settings, run(settings, Options((FIXTURES / "corpus",)), Silent())


@pytest.fixture(scope="session")
def ask(ingested: Any) -> Iterator[Callable[[dict[str, Any]], Any]]:
    """Answer a question in this process, the model loaded once."""
    from flows.answering import query_embedder
    from flows.opening import reading
    from indexes.query.evidence import search
    from indexes.query.request import Request

    settings, _ = ingested
    with reading(settings) as snapshot:
        embedder = query_embedder(settings, snapshot)

        def call(question: dict[str, Any]) -> Any:
            who = dict(question.get("principal", {}))
            as_of = question.get("as_of")
            request = Request(
                question["query"], question.get("mode", "hybrid"), 10, Principal(**{**who, "roles": tuple(who.get("roles", ()))}),
                parse_instant(as_of) if as_of else None,
            )
            return search(snapshot, embedder, request, settings.search)

        yield call


def test_every_document_of_the_corpus_is_taken(ingested: Any) -> None:
    _, report = ingested
    assert report.failures == ()
    assert report.sources["added"] >= 25
    assert report.embedded <= report.chunks["added"]


@pytest.mark.parametrize("name", QUESTIONS)
def test_question_is_answered_by_the_right_document_to_the_right_caller(name: str, ask: Callable[..., Any]) -> None:
    question = QUESTIONS[name]
    pack = ask(question)
    found = [item.uri.removeprefix("corpus/") for item in pack.evidence]
    assert not set(found) & set(question.get("never", ()))
    if "first" not in question:
        return
    if question["first"] is None:
        assert (pack.status, found) == ("insufficient_evidence", [])
        return
    assert found[:1] == [question["first"]]
    texts = [item.text + item.context for item in pack.evidence if item.uri.endswith(question["first"])]
    assert any(question.get("answer", "") in text for text in texts)


def test_nobody_gets_nothing_but_open_and_active_documents(ingested: Any, ask: Callable[..., Any]) -> None:
    """In the words of whichever question, also those that are meant for others."""
    from flows.known import catalogued
    from ingest.store.catalog import Catalog

    with Catalog(layout_of(ingested[0]).catalog) as catalog:
        records = catalogued(catalog, catalog.head())
    closed = [record for record in records.values() if not record.declared.access.admits(Principal())]
    assert len(closed) >= 5
    for question in QUESTIONS.values():
        for item in ask({**question, "principal": {}, "mode": "hybrid"}).evidence:
            declared = records[item.source_id].declared
            assert declared.access.admits(Principal()) and declared.status == "active", (question["id"], item.uri)
