"""A machine without the engine that a knowledge base was embedded with says so, with the exit code of what cannot be told."""

from __future__ import annotations

from typing import Any

import pytest

from ingest.errors import EngineUnavailable


@pytest.fixture
def elsewhere(base: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A knowledge base made with the default engine, on a machine where its packages are not installed."""
    from ingest.embed import engine
    from ingest.embed import hash as hashing

    installed = monkeypatch.context

    def e5(settings: Any) -> engine.Choice:
        return engine.Choice("e5", hashing.fingerprint(256), 256)

    with installed() as there:
        there.setattr("flows.pipeline.choose", e5)
        there.setattr("ingest.embed.batches.load", lambda *_: hashing.Hash(256))
        base.set("embed", engine="auto")
        base.write("手册.md")
        base.run()
    monkeypatch.setattr(engine, "_installed", lambda *packages: False)
    return base


def test_run_search_and_check_say_that_the_engine_is_not_here(elsewhere: Any) -> None:
    for call in (elsewhere.run, lambda: elsewhere.search("云脉", mode="hybrid"), lambda: elsewhere.search("云脉", mode="vector")):
        with pytest.raises(EngineUnavailable, match=r"concord-kb\[e5\]") as raised:
            call()
        assert raised.value.exit_code == 6
    check = elsewhere.check()
    assert (check.status, check.exit_code) == ("unknown", 6)
    assert elsewhere.head() == 1


def test_words_are_still_found_without_the_engine(elsewhere: Any) -> None:
    assert elsewhere.found("机柜", mode="bm25") == ["手册.md"]
    assert elsewhere.verify() == []
