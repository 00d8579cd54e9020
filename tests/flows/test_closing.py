"""A failure never opens a document: not to more people, not beyond its window, and not in an older generation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ingest.errors import NotFound
from ingest.model.access import Principal

NOBODY, LIN = Principal(), Principal("lin")
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(99)


def paper(rules: str = "", word: str = "QUOKKA") -> str:
    return f"---\ntitle: Paper\n{rules}---\n# Paper\n\nThe {word} stands here.\n"


@pytest.fixture
def closed(base: Any) -> Any:
    """Generation 1: a paper for Lin, beside one for everybody."""
    base.write("doc.md", paper("allowed_users: [lin]\n"))
    base.write("other.md", "# Other\n\nSteady is the MAGPIE.\n")
    base.run()
    return base


def hidden(base: Any, generation: int | None = None, who: Principal = NOBODY) -> bool:
    with pytest.raises(NotFound):
        base.show("docs/doc.md", generation, who=who)
    found = base.found("QUOKKA", generation, who=who) + base.found("Paper", generation, who=who, mode="hybrid")
    return "doc.md" not in found


LOST = {"emptied": b"", "blank": b" \n\t\n", "picture": PICTURE, "garbage": bytes(range(256)) * 9}


@pytest.mark.parametrize("data", LOST.values(), ids=LOST)
def test_document_whose_front_matter_is_lost_keeps_its_rules(closed: Any, data: bytes) -> None:
    closed.write("doc.md", data)
    (failure,) = closed.run().failures
    assert failure.serving
    assert hidden(closed)
    assert hidden(closed, 1)
    assert closed.found("QUOKKA", who=LIN) == ["doc.md"]
    closed.write("doc.md", paper())
    closed.run()
    assert closed.found("QUOKKA") == ["doc.md"], "the next version that reads may open it"


def test_emptied_document_keeps_its_window_and_its_status(base: Any) -> None:
    base.write("old.md", paper("valid_until: 2020-01-01\n", "ALDER"))
    base.write("draft.md", paper("status: draft\n", "BIRCH"))
    base.write("v1.md", paper("document: paper\nversion: '1'\nvalid_from: 2021-01-01\n", "CEDAR"))
    base.write("v2.md", paper("document: paper\nversion: '2'\nvalid_from: 2022-01-01\n", "DOUGLAS"))
    before = base.run()
    for name in ("old.md", "draft.md", "v1.md", "v2.md"):
        base.write(name, b"")
    report = base.run()
    assert len(report.failures) == 4 and all(failure.serving for failure in report.failures)
    assert (report.chunks["kept"], report.chunks["rewritten"]) == (before.chunks["added"], 0)
    assert base.found("stands") == ["v2.md"]
    assert base.found("stands", as_of="2019-06-01T00:00:00Z") == ["old.md"]
    assert base.found("stands", as_of="2021-06-01T00:00:00Z") == ["v1.md"]
    assert base.found("stands", statuses=("draft",)) == ["draft.md"]


@pytest.mark.parametrize(
    ("sidecar", "who", "seen"), [
        ("title: Paper\nversion: '2'\n", NOBODY, False), ("title: Paper\nversion: '2'\n", LIN, True),
        ("allowed_users: ['*']\n", NOBODY, False), ("allowed_users: [wang]\n", LIN, False),
        ("allowed_users: [wang]\n", Principal("wang"), False), ("allowed_users: [lin, wang]\n", LIN, True),
        ("tenant: larkfield\n", LIN, False), ("tenant: larkfield\n", Principal("lin", tenant="larkfield"), True),
        ("level: internal\n", LIN, False), ("level: internal\n", Principal("lin", level=1), True),
    ],
)
def test_sidecar_beside_a_lost_front_matter_may_close_further_and_not_open(
    closed: Any, sidecar: str, who: Principal, seen: bool
) -> None:
    closed.write("doc.md", b"")
    closed.write("doc.md.meta.yaml", sidecar)
    closed.run()
    assert closed.found("QUOKKA", who=who) == (["doc.md"] if seen else [])
    assert hidden(closed)


def test_sidecar_of_a_format_without_front_matter_still_applies(base: Any) -> None:
    base.write("doc.txt", "The QUOKKA stands here.\n")
    base.run()
    base.write("doc.txt", PICTURE)
    base.write("doc.txt.meta.yaml", "allowed_users: [lin]\nvalid_from: 2999-01-01\n")
    base.run()
    assert base.found("QUOKKA", who=LIN) == base.found("QUOKKA") == []
    assert base.found("QUOKKA", who=LIN, as_of="2999-06-01T00:00:00Z") == ["doc.txt"]


# Older generations, while the head serves nothing of a document


@pytest.fixture
def unreadable(base: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    from ingest.sources import content

    opened = content.open_below

    def refusing(folder: str, path: str) -> int:
        if path.endswith("doc.md"):
            raise PermissionError(13, "Permission denied")
        return opened(folder, path)

    return lambda: monkeypatch.setattr(content, "open_below", refusing)


@pytest.mark.parametrize("then", ["emptied", "unreadable", "picture"])
@pytest.mark.parametrize("first", ["withdrawn", "deleted"])
def test_older_generations_stay_closed_where_nothing_is_understood_any_more(
    closed: Any, unreadable: Callable[[], None], first: str, then: str
) -> None:
    closed.set("generations", keep=9)
    if first == "withdrawn":
        closed.write("doc.md", paper("alowed_users: [lin]\n"))
    else:
        closed.delete("doc.md")
    closed.run()
    assert hidden(closed, 1)
    closed.write("doc.md", PICTURE if then == "picture" else b"")
    if then == "unreadable":
        unreadable()
    closed.run()
    assert closed.head() == 3
    assert hidden(closed, 1)


def test_rules_of_a_head_that_is_pruned_while_they_are_read_are_read_again(
    base: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between asking for the head and reading its rules it is replaced and pruned: what closed the paper there is gone."""
    from flows.opening import reading
    from indexes.query import request as asked
    from indexes.query.evidence import search

    base.set("generations", keep=1)
    base.write("doc.md", paper())
    base.run()
    with reading(base.settings) as snapshot:
        base.write("doc.md", paper("allowed_users: [lin]\n"))
        base.run()
        visible_now, turns = asked.visible_now, iter(("BIRCH",))

        def slow(*arguments: Any) -> frozenset[str]:
            for word in turns:
                base.write("doc.md", paper("allowed_users: [lin]\n", word))
                base.run()
            return visible_now(*arguments)

        monkeypatch.setattr(asked, "visible_now", slow)
        assert search(snapshot, None, asked.Request("QUOKKA", "bm25"), base.settings.search).evidence == ()
