"""Access that was withdrawn stays withdrawn, whatever happens to the text: it no longer parses, or an older one is asked for or
gone back to."""

from __future__ import annotations

from typing import Any

import pytest

from flows.history import go_back, let_go
from ingest.errors import NotFound
from ingest.model.access import Principal

NOBODY, LIN, WANG = Principal(), Principal("lin"), Principal("王芳")
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(99)


def paper(rule: str = "", word: str = "QUOKKA") -> str:
    return f"---\ntitle: Paper\n{rule}---\n# Paper\n\nThe {word} stands here.\n"


def see(base: Any, word: str = "QUOKKA", generation: int | None = None) -> list[str]:
    """Who finds the word."""
    who = {"nobody": NOBODY, "lin": LIN, "王芳": WANG, "level 2": Principal(level=2), "tenant": Principal(tenant="larkfield")}
    return [name for name, principal in who.items() if "doc.md" in base.found(word, generation, who=principal)]


CLOSINGS: dict[str, tuple[str | bytes | None, str | None, list[str]]] = {
    # how it was closed -> (new bytes, or None: the file is deleted; new sidecar; who may see it afterwards)
    "to one user": (paper("allowed_users: [lin]\n"), None, ["lin"]),
    "to nobody": (paper("allowed_users: []\n"), None, []),
    "to a level": (paper("level: 2\n"), None, ["level 2"]),
    "to a tenant": (paper("tenant: larkfield\n"), None, ["tenant"]),
    "by a sidecar": (paper(), "allowed_users: [lin]\n", ["lin"]),
    "by a sidecar beside a text that no longer parses": (PICTURE, "allowed_users: [lin]\n", ["lin"]),
    "above a text that no longer parses": ("---\ntitle: Paper\nallowed_users: [lin]\n---\n", None, ["lin"]),
    "by metadata that cannot be read": (paper("alowed_users: [lin]\n"), None, []),
}


@pytest.fixture(params=CLOSINGS)
def closed(base: Any, request: pytest.FixtureRequest) -> tuple[Any, list[str]]:
    """A document that everybody saw in generation 1 and that was closed in generation 2, and who still sees it."""
    text, sidecar, still = CLOSINGS[request.param]
    base.write("doc.md", paper())
    base.write("other.md", paper(word="WOMBAT"))
    base.run()
    assert len(see(base)) == 5
    base.write("doc.md", text)
    if sidecar is not None:
        base.write("doc.md.meta.yaml", sidecar)
    base.write("other.md", paper(word="NUMBAT"))
    base.run()
    return base, still


def test_going_back_gives_no_access_back(closed: tuple[Any, list[str]]) -> None:
    base, still = closed
    before = base.search("NUMBAT").snapshot
    assert see(base) == see(base, generation=1) == still, "nor does asking an older generation"
    went = go_back(base.settings, 1)
    assert base.found("WOMBAT") == ["other.md"], "the content went back"
    assert base.found("NUMBAT") == []
    assert see(base) == still
    assert (*went.kept_narrower, *went.kept_closed) == ("docs/doc.md",), "and it is told"
    assert base.verify() == []
    if not still:
        assert base.show("docs/other.md")["kind"] == "document"
        with pytest.raises(NotFound):
            base.show("docs/doc.md", who=LIN)
    if went.kept_closed:
        assert all(len(held) == 1 for held in base.held().values()), "it is in no index"
    assert see(base, generation=1) == see(base, generation=2) == still, "older generations are read under the rules of now"
    let_go(base.settings)
    assert base.run().snapshot == before, "released, it is what its sources say"
    assert see(base) == still
    assert base.verify() == []


@pytest.mark.slow
def test_going_back_twice_gives_no_access_back(closed: tuple[Any, list[str]]) -> None:
    base, still = closed
    base.set("generations", keep=9)
    for target in (1, 2, 1, 3):
        go_back(base.settings, target)
        assert see(base) == still
        assert base.verify() == []


def test_going_back_gives_back_what_was_opened_only_to_those_who_might_then(base: Any) -> None:
    base.write("doc.md", paper("allowed_users: [lin]\n"))
    base.run()
    base.write("doc.md", paper("allowed_users: [lin, 王芳]\n"))
    base.run()
    assert see(base) == ["lin", "王芳"]
    with base.catalog() as catalog:
        then = catalog.published(1).manifest
    went = go_back(base.settings, 1)
    assert see(base) == ["lin"]
    assert (went.snapshot, went.kept_closed, went.kept_narrower) == (then.snapshot, (), ()), "the builds of then, as they are"


@pytest.mark.parametrize(("rule", "still"), [("", 5), ("allowed_users: [lin]\n", 1)])
def test_document_that_is_gone_comes_back_under_the_last_rule_it_had(base: Any, rule: str, still: int) -> None:
    base.write("doc.md", paper())
    base.write("other.md", paper(word="WOMBAT"))
    base.run()
    base.write("doc.md", paper(rule, "QUOKKA changed"))
    base.run()
    base.delete("doc.md")
    base.run()
    assert see(base) == []
    go_back(base.settings, 1)
    assert len(see(base)) == still
    assert base.verify() == []


def test_version_that_stays_closed_leaves_the_window_of_the_one_before_as_it_was(base: Any) -> None:
    base.write("v1.md", paper("document: paper\nversion: '1'\nvalid_from: 2024-01-01\n", "ALDER"))
    base.write("doc.md", paper("document: paper\nversion: '2'\nvalid_from: 2025-01-01\n"))
    base.run()
    base.write("doc.md", paper("document: paper\nversion: '2'\nvalid_from: 2025-01-01\nallowed_users: [lin]\n"))
    base.run()
    go_back(base.settings, 1)
    assert base.found("ALDER", as_of="2024-06-01T00:00:00Z") == ["v1.md"]
    assert see(base) == ["lin"]
    assert base.verify() == []
