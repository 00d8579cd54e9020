"""Each base is pinned to its head, re-pinned between requests, and fails alone; nobody reaches one that was not granted."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexes.generation.snapshot import Snapshot
from indexes.query.evidence import search
from indexes.query.request import Request
from indexes.serve.bases import Bases, Opened, Served, reason
from indexes.serve.callers import Caller
from ingest.errors import (
    BudgetExhausted,
    BuildCorrupt,
    ConcordError,
    KnowledgeBaseMissing,
    NotFound,
    NotGranted,
    ServerBusy,
    StorageFailed,
)
from ingest.model.access import Principal
from ingest.settings import Settings
from ingest.store.lease import alone

_IDS = st.sampled_from(("a", "b", "c", "d"))
ALL = Caller("all", Principal(), ("one", "two"))


def no_embedder(snapshot: Snapshot) -> Any:
    raise AssertionError("words need no vectors")


def prune_but_one(base: Any) -> None:
    from flows.opening import writing
    from indexes.generation.prune import prune

    with writing(base.settings) as opened:
        prune(opened.layout, opened.catalog, 1)


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory, make_base: Callable[..., Any]) -> Path:
    """A folder with two published bases."""
    folder = tmp_path_factory.mktemp("published")
    for name, text in (("one", "# 云脉网关\n\n云脉网关返回 quokka。\n"), ("two", "# Gateway\n\nIt answers wombat.\n")):
        base = make_base(folder / name)
        base.write(f"{name}.md", text)
        base.run()
    return folder.rename(folder.with_name("moved"))  # a root that is no longer where it was may be taken over by a copy


@pytest.fixture
def two(published: Path, new_base: Callable[..., Any]) -> dict[str, Any]:
    """Two published bases by id."""
    made = {}
    for name in ("one", "two"):
        made[name] = new_base(name)
        shutil.copytree(published / name, made[name].folder, dirs_exist_ok=True)
    return made


@pytest.fixture
def serving() -> Iterator[Callable[..., Bases]]:
    opened: list[Bases] = []

    def serve(bases: dict[str, Any], **how: Any) -> Bases:
        served = [Served(name, f"title of {name}", base.settings, no_embedder) for name, base in bases.items()]
        opened.append(Bases(served, **{"watch": 60, **how}))
        return opened[-1]

    yield serve
    for bases in opened:
        bases.close()


def generation(opened: Opened) -> int:
    return opened.generation


def found(query: str) -> Callable[[Opened], list[str]]:
    """Ask a base by words: the uris that it answers."""

    def ask(opened: Opened) -> list[str]:
        pack = search(opened.snapshot, None, Request(query, mode="bm25"), opened.settings.search)
        return [item.uri for item in pack.evidence]

    return ask


def test_every_granted_base_is_asked_in_the_order_of_configuration(two: dict[str, Any], serving: Callable[..., Bases]) -> None:
    bases = serving(two)
    assert bases.kb_ids == ("one", "two")
    assert bases.title("two") == "title of two"
    assert bases.each(ALL, None, found("quokka")) == ([("one", ["docs/one.md"]), ("two", [])], [])
    assert bases.each(ALL, ["two", "one", "two"], generation) == ([("one", 1), ("two", 1)], [])
    assert bases.each(ALL, [], generation) == ([], [])


@pytest.mark.parametrize("asked", [["two"], ["one", "two"], ["nowhere"], ["ONE"], [""]])
def test_no_argument_reaches_what_was_not_granted_nor_learns_whether_it_exists(
    two: dict[str, Any], serving: Callable[..., Bases], asked: Sequence[str]
) -> None:
    bases = serving(two)
    narrow = Caller("narrow", Principal(), ("one", "gone"))
    said = []
    for kb_ids in (asked, ["absent"]):
        with pytest.raises(NotGranted) as raised:
            bases.each(narrow, kb_ids, generation)
        said.append(str(raised.value).replace(repr(kb_ids[-1]), "it"))
    assert len(set(said)) == 1
    assert "two" not in said[0]
    assert bases.each(narrow, None, generation) == ([("one", 1)], [])
    assert bases.granted(Caller("nobody", Principal(), ())) == ()


@given(st.sets(_IDS), st.sets(_IDS), st.none() | st.lists(_IDS))
def test_what_is_asked_is_what_is_configured_and_given_and_named(
    configured: set[str], given: set[str], named: list[str] | None
) -> None:
    bases = Bases([Served(kb_id, kb_id, Settings(), no_embedder) for kb_id in sorted(configured)], watch=60)
    caller = Caller("x", Principal(), tuple(sorted(given)))
    may = configured & given
    try:
        asked = bases.granted(caller, named)
    except NotGranted:
        assert named is not None and not set(named) <= may
    else:
        assert list(asked) == sorted(may if named is None else may & set(named))
    finally:
        bases.close()


def test_next_request_is_answered_from_the_new_head_and_the_old_one_is_closed(
    two: dict[str, Any], serving: Callable[..., Bases]
) -> None:
    bases = serving(two)
    with bases.pinned("one") as opened:
        before = opened.snapshot
    with bases.pinned("one") as opened:
        assert opened.snapshot is before  # nothing was published: nothing is opened anew
    two["one"].write("new.md", "# New\n\nnumbat\n")
    two["one"].run()
    with bases.pinned("one") as opened:
        assert opened.generation == 2
    assert bases.each(ALL, None, found("numbat"))[0][0] == ("one", ["docs/new.md"])
    with alone(before.layout.reader_lock(1)) as mine:
        assert mine


def test_request_in_flight_stays_on_its_generation_and_is_its_last_readers_to_close(
    two: dict[str, Any], serving: Callable[..., Bases]
) -> None:
    bases = serving(two)
    one = two["one"]
    with bases.pinned("one") as slow:
        for number in range(3):
            one.write(f"{number}.md", f"# {number}\n\npossum{number}\n")
            one.run()
            with bases.pinned("one") as quick:
                assert quick.generation == number + 2
        assert slow.generation == 1
        assert found("quokka")(slow) == ["docs/one.md"]
        assert found("possum1")(slow) == []
        assert 1 in one.generations()
    prune_but_one(one)
    assert one.generations() == [4]


def test_base_that_nobody_asks_keeps_no_old_generation_from_being_pruned(
    two: dict[str, Any], serving: Callable[..., Bases]
) -> None:
    bases = serving(two, watch=0.02)
    with bases.pinned("one"):
        pass
    two["one"].write("new.md", "# New\n\nnumbat\n")
    two["one"].run()
    deadline = time.monotonic() + 20
    while two["one"].generations() != [2] and time.monotonic() < deadline:
        prune_but_one(two["one"])
        time.sleep(0.02)
    assert two["one"].generations() == [2]


def test_missing_base_fails_alone_and_is_there_when_it_is_published(
    two: dict[str, Any], new_base: Callable[..., Any], serving: Callable[..., Bases]
) -> None:
    three = new_base("three")
    bases = serving({**two, "three": three})
    everything = Caller("all", Principal(), ("one", "two", "three"))
    results, failed = bases.each(everything, None, generation)
    assert results == [("one", 1), ("two", 1)]
    assert failed == [{"kb_id": "three", "error": "nothing is published there at the moment"}]
    three.write("a.md")
    three.run()
    assert bases.each(everything, None, generation) == ([("one", 1), ("two", 1), ("three", 1)], [])


def test_base_that_is_replaced_is_opened_anew(two: dict[str, Any], serving: Callable[..., Bases]) -> None:
    """The other has generation 1 too: the number alone would not tell."""
    bases = serving(two)
    assert bases.each(ALL, ["one"], found("wombat"))[0] == [("one", [])]
    one = two["one"].kb
    one.rename(one.with_name("old"))
    assert bases.each(ALL, ["one"], generation)[1][0]["error"] == "nothing is published there at the moment"
    shutil.copytree(two["two"].kb, one)
    assert bases.each(ALL, ["one"], found("wombat")) == ([("one", ["docs/two.md"])], [])


@pytest.mark.parametrize("damage", ["manifest", "builds", "catalog", "folder"])
def test_damaged_base_fails_alone_tells_no_path_and_recovers(
    two: dict[str, Any], serving: Callable[..., Bases], damage: str, tmp_path: Path
) -> None:
    bases = serving(two)
    kb: Path = two["one"].kb
    sound = kb.with_name("sound")
    bases.each(ALL, None, found("quokka"))
    bases.close()
    shutil.copytree(kb, sound)
    bases = serving(two)
    if damage == "manifest":
        (kb / "generations" / "1" / "manifest.json").write_text("{}")
    elif damage == "builds":
        shutil.rmtree(kb / "builds")
    elif damage == "catalog":
        for suffix in ("-wal", "-shm"):
            (kb / f"catalog.db{suffix}").unlink(missing_ok=True)
        (kb / "catalog.db").write_bytes(b"no database" * 500)
    else:
        shutil.rmtree(kb / "generations")
    results, failed = bases.each(ALL, None, found("wombat"))
    assert results == [("two", ["docs/two.md"])]
    assert [each["kb_id"] for each in failed] == ["one"]
    assert str(tmp_path) not in failed[0]["error"] and "/" not in failed[0]["error"]
    shutil.rmtree(kb)
    sound.rename(kb)
    assert bases.each(ALL, None, found("quokka")) == ([("one", ["docs/one.md"]), ("two", [])], [])


def test_base_that_turns_out_to_be_damaged_is_opened_anew_for_the_next_request(
    two: dict[str, Any], serving: Callable[..., Bases]
) -> None:
    bases = serving(two)
    with pytest.raises(BuildCorrupt), bases.pinned("one") as opened:
        before = opened.snapshot
        raise BuildCorrupt("a row is not what was published")
    with bases.pinned("one") as opened:
        assert opened.snapshot is not before


@pytest.mark.parametrize("error", [BudgetExhausted("used up", what="calls"), NotFound("no such id"), NotGranted("not yours")])
def test_what_is_refused_to_a_caller_is_no_failure_of_a_base(
    two: dict[str, Any], serving: Callable[..., Bases], error: ConcordError
) -> None:
    def refuse(opened: Opened) -> None:
        raise error

    with pytest.raises(type(error)):
        serving(two).each(ALL, None, refuse)


@pytest.mark.parametrize(
    "error",
    [
        KnowledgeBaseMissing("no knowledge base at /srv/kb"), BuildCorrupt("/srv/kb/builds is damaged"),
        StorageFailed("/srv/kb: disk full"), ConcordError("/srv/kb: who knows"),
    ],
)
def test_reasons_name_no_place(error: ConcordError) -> None:
    assert "/" not in reason(error) and "srv" not in reason(error)


def test_only_so_many_bases_are_open(new_base: Callable[..., Any], serving: Callable[..., Bases]) -> None:
    made = {}
    for number in range(3):
        made[f"b{number}"] = new_base(f"b{number}")
        made[f"b{number}"].write("a.md", f"# A\n\nkoala{number}\n")
        made[f"b{number}"].run()
    bases = serving(made, open_bases=2)
    everything = Caller("all", Principal(), tuple(made))
    for _ in range(2):
        assert bases.each(everything, None, generation) == ([(name, 1) for name in made], [])
        assert [name for name, slot in bases._slots.items() if slot.current] == ["b1", "b2"]
    with bases.pinned("b0") as opened:
        assert bases.each(everything, ["b1", "b2"], generation)[1] == []
        assert found("koala0")(opened) == ["docs/a.md"]  # whoever reads keeps what is read


def test_who_waits_too_long_is_told_to_ask_again(two: dict[str, Any], serving: Callable[..., Bases]) -> None:
    bases = serving(two, at_once=1, patience=0.02)
    with bases.pinned("one"), pytest.raises(ServerBusy, match="ask again"):
        bases.each(ALL, ["two"], generation)
    assert bases.each(ALL, ["two"], generation) == ([("two", 1)], [])


def test_many_ask_while_generations_are_published_and_nobody_gets_a_mixture(
    two: dict[str, Any], serving: Callable[..., Bases]
) -> None:
    """Every generation n has one document that says n, and it alone: an answer of two generations would show two, or none."""
    one = two["one"]
    one.write("n.md", "# N\n\nPROBE number 1\n")
    one.run()
    bases = serving(two)
    wrong: list[object] = []
    seen: set[int] = set()
    stop = threading.Event()

    def ask(opened: Opened) -> tuple[int, list[str]]:
        pack = search(opened.snapshot, None, Request("PROBE", mode="bm25"), opened.settings.search)
        return pack.generation, [item.text.rpartition(" ")[2].strip() for item in pack.evidence]

    def client() -> None:
        last = 0
        while not stop.wait(0.05):
            try:
                ((_, (number, said)),), failed = bases.each(ALL, ["one"], ask)
            except ConcordError as error:
                wrong.append(error)
                continue
            if failed or said != [str(number - 1)] or number < last:
                wrong.append((number, said, failed, last))
            last = number
            seen.add(number)

    threads = [threading.Thread(target=client) for _ in range(12)]
    for thread in threads:
        thread.start()
    for number in range(2, 5):
        one.write("n.md", f"# N\n\nPROBE number {number}\n")
        one.run()
    stop.set()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(seen) >= 3
    assert one.generations()[0] == 5
