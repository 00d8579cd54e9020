"""An answer is held to its pack as the knowledge bases are now."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ingest.errors import NotFound, NotGranted


def test_citations_and_quotations_that_hold_are_valid(ask: Any, audit: Any) -> None:
    pack = ask("keyword_search", query="机柜")
    said = "上架前要看电源 [K1]。手册说“上架后先接管理口，再接业务口” [K1]。"
    checked = ask("verify_citations", answer=said, pack=pack["pack"])
    assert checked["valid"]
    assert [(each["citation"], each["times"], each["problems"]) for each in checked["results"]] == [("K1", 2, [])]
    assert [(each["found_in"], each["problem"]) for each in checked["quoted"]] == [(["K1"], None)]
    entry = audit.entries[-1]
    assert entry["citations"] == {"cited": 1, "valid": 1}
    assert entry["seen"][0].rows == tuple(each["chunk_id"] for each in pack["results"])


def test_what_was_not_given_or_not_said_is_named(ask: Any, audit: Any) -> None:
    ask("keyword_search", query="机柜")
    checked = ask("verify_citations", answer="Racks need “three supplies” [K1]. See [K7]. Nothing is cited here.")
    assert not checked["valid"]
    assert {each["citation"]: each["problems"] for each in checked["results"]} == {"K1": [], "K7": ["unknown"]}
    assert [each["problem"] for each in checked["quoted"]] == ["nowhere"]
    assert checked["uncited"] == ["Nothing is cited here."]
    assert audit.entries[-1]["citations"] == {"cited": 2, "valid": 1}


def test_text_around_a_passage_may_be_quoted_too(ask: Any) -> None:
    pack = ask("keyword_search", query="valve 3-7", top_k=1)
    (found,) = pack["results"]
    around = next(line for line in found["context"].splitlines() if len(line) > 60 and line not in found["text"])
    assert ask("verify_citations", answer=f'It says "{around[:60].rpartition(" ")[0]}" [K1].', pack=pack["pack"])["valid"]


def test_pack_that_this_session_was_not_given_is_not_there(ask: Any) -> None:
    pack = ask("keyword_search", query="机柜")["pack"]
    with pytest.raises(NotFound):
        ask.also()("verify_citations", answer="x [K1]", pack=pack)
    with pytest.raises(NotFound):
        ask("verify_citations", answer="x [K1]", pack="P999")


def test_bases_that_are_not_meant_are_not_asked(ask: Any) -> None:
    ask("keyword_search", query="机柜")
    with pytest.raises(NotGranted):
        ask("verify_citations", answer="x [K1]", kb_ids=("other",))


@pytest.mark.parametrize(
    "change", ["# Gate\n\nIt opens at nine.\n", None, "---\nallowed_roles: [sre]\n---\n# Gate\n\nIt opens at seven.\n"],
)
def test_citation_of_what_was_changed_taken_away_or_closed_since_does_not_hold(
    base: Any, audit: Any, change: str | None
) -> None:
    from flows.serving import bases_of
    from indexes.serve.callers import Caller
    from indexes.serve.operations import Operations
    from indexes.serve.session import alone
    from ingest.model.access import Principal
    from ingest.model.canonical import plain

    base.write("gate.md", "# Gate\n\nIt opens at seven.\n")
    base.write("other.md", "# Other\n\nNothing of the sort.\n")
    base.run()
    bases = bases_of(base.settings)
    operations = Operations(bases, audit)
    session, caller = alone(base.settings.serve), Caller("me", Principal(), bases.kb_ids)
    run: Callable[..., Any] = lambda name, **given: plain(operations.run(  # noqa: E731  # one line for two calls
        name, caller, session, next(each for each in operations.every if each.name == name).arguments(**given)
    ))
    run("keyword_search", query="seven")
    assert run("verify_citations", answer='"It opens at seven" [K1].')["valid"]
    base.delete("gate.md") if change is None else base.write("gate.md", change)
    base.run()
    checked = run("verify_citations", answer='"It opens at seven" [K1].')
    assert (checked["valid"], [each["problems"] for each in checked["results"]]) == (False, [["gone"]])
    assert checked["quoted"][0]["problem"] == "nowhere"
    bases.close()
