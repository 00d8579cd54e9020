"""Work spread by any executor: nothing is lost, one item's trouble stays its own, and no process is left behind.

Ray is really started, once for this file, and given the whole pipeline besides.
"""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest

from ingest.errors import ClusterUnavailable, DocumentCorrupt, EngineUnavailable, ExtraMissing, ModelUnavailable, WorkFailed
from ingest.execute import IN_FLIGHT, cores, map_unordered

FIXTURES = Path(__file__).parents[3] / "fixtures"
FAILURES = Path(__file__).parents[2] / "failure" / "workloads"


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    """A Ray of this machine with two places, until the tests of this file are through."""
    from ingest.execute.cluster import connected

    module = connected("", 2)
    yield module
    module.shutdown()


def _slow(executor: str) -> Any:
    """Every map over Ray starts its actors anew, two seconds each time: `make test` does so for the promises that matter most."""
    return pytest.param(executor, marks=pytest.mark.slow)


@pytest.fixture(params=["inline", "processes", "processes fresh", "ray", _slow("ray fresh")])
def spread(request: pytest.FixtureRequest) -> Callable[..., Iterator[Any]]:
    return _spread(request)


@pytest.fixture(params=["processes", "processes fresh", "ray", _slow("ray fresh")])
def apart(request: pytest.FixtureRequest) -> Callable[..., Iterator[Any]]:
    """`map_unordered` where the work is done in other processes."""
    return _spread(request)


@pytest.fixture(params=["processes", "processes fresh", _slow("ray"), _slow("ray fresh")])
def beside(request: pytest.FixtureRequest) -> Callable[..., Iterator[Any]]:
    """As `apart`, for what is the same code in all of them."""
    return _spread(request)


def _spread(request: pytest.FixtureRequest) -> Callable[..., Iterator[Any]]:
    executor, _, fresh = request.param.partition(" ")
    if executor == "ray":
        request.getfixturevalue("ray")
    return partial(map_unordered, executor=executor, workers=2, fresh=bool(fresh))


def test_every_item_comes_back_once_with_its_index_and_value(spread, work):
    outcomes = list(spread(work.doubling, iter(range(50))))
    assert sorted((o.index, o.item, o.result()) for o in outcomes) == [(i, i, 2 * i) for i in range(50)]


def test_no_items_start_no_worker_and_call_no_factory(spread, work):
    assert list(spread(work.missing_model, [])) == []


def test_large_items_and_values_pass_through(beside, work):
    big = os.urandom(3_000_000)
    assert [o.result() for o in beside(work.identity, [big, big, big])] == [big] * 3


def test_errors_come_back_ours_as_they_are_and_others_with_type_and_text(spread, work):
    outcomes = {o.item: o for o in spread(work.misbehaving, ["corrupt", "extra", "foreign", "memory", "fine"])}
    corrupt, extra, foreign, memory, fine = (outcomes[item].error for item in ("corrupt", "extra", "foreign", "memory", "fine"))
    assert type(corrupt) is DocumentCorrupt
    assert (str(corrupt), corrupt.uri) == ("cut short", "handbook/a.pdf")
    assert type(extra) is ExtraMissing
    assert extra.extra == "pymupdf" and "pip install" in str(extra)
    assert isinstance(foreign, WorkFailed) and foreign.kind == "exception"
    assert "ZeroDivisionError: by nought" in str(foreign) and "spread_work.py" in str(foreign)
    assert memory.kind == "memory", "told apart from other exceptions"
    assert fine is None
    with pytest.raises(WorkFailed):
        outcomes["foreign"].result()


def test_what_the_factory_raises_is_raised_to_the_caller(spread, work):
    with pytest.raises(ModelUnavailable, match="install them"):
        list(spread(work.missing_model, [1, 2, 3]))


def test_a_worker_that_dies_or_hangs_costs_its_item_only_and_tells_what_it_noted(apart, work):
    ends = {"killed": "SIGKILL", "segfault": "SIGSEGV", "exit": "exit code 3", "hang": "no result after 1 seconds"}
    good = [f"fine {i}" for i in range(9)]
    items = [*good[:2], "killed", *good[2:4], "segfault", *good[4:6], "exit", "hang", *good[6:]]
    outcomes = list(apart(work.noting, items, timeout=1))
    assert sorted(o.item for o in outcomes if o.error is None) == good
    lost = {o.item: o.error for o in outcomes if o.error is not None}
    assert {item: error.kind for item, error in lost.items()} == {**dict.fromkeys(ends, "crash"), "hang": "timeout"}
    assert all(said in str(lost[item]) for item, said in ends.items())
    assert {error.notes.decode() for error in lost.values()} == {"读到第 7 页"}
    assert lost["hang"].quiet > 0.7


def test_values_and_items_that_do_not_pickle_are_errors_of_their_own(beside, work):
    outcomes = list(beside(work.misbehaving, ["unpicklable", "fine", lambda: 0]))
    assert sorted(o.index for o in outcomes if o.error is not None) == [0, 2]


def test_workers_that_die_while_they_start_end_the_whole_map(beside, work):
    with pytest.raises(WorkFailed, match="while it starts"):
        list(beside(work.dying_factory, range(5)))


def test_items_are_drawn_only_a_few_ahead(beside, work):
    drawn = 0

    def endless() -> Iterator[int]:
        nonlocal drawn
        while True:
            drawn += 1
            yield drawn

    outcomes = beside(work.doubling, endless())
    for _ in range(10):
        next(outcomes)
    outcomes.close()
    assert drawn <= 10 + 2 * IN_FLIGHT


def test_an_error_in_the_callers_iterator_reaches_the_caller_and_leaves_no_process(beside, work, running, until):
    def broken() -> Iterator[int]:
        yield 1
        raise ConnectionError("gone")

    with pytest.raises(ConnectionError):
        list(beside(work.doubling, broken()))
    until(lambda: running() == [])


def test_a_finished_or_closed_map_leaves_no_process(apart, work, tmp_path, running, until):
    list(apart(work.doubling, range(9)))
    until(lambda: running() == [])
    outcomes = apart(partial(work.sleeping_and_telling, str(tmp_path)), range(9), timeout=0.5)
    next(outcomes)
    outcomes.close()
    until(lambda: running() == [])


def test_workers_run_numeric_libraries_single_threaded(beside, work):
    names = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"]
    assert [o.result() for o in beside(work.environment, names)] == ["1"] * 4


def test_a_worker_is_not_told_what_opens_the_cluster(work, monkeypatch):
    monkeypatch.setenv("RAY_AUTH_TOKEN", "HUNTER")
    (outcome,) = map_unordered(work.environment, ["RAY_AUTH_TOKEN"], executor="processes", workers=1)
    assert outcome.result() == ""


# The whole pipeline


@pytest.fixture
def spread_base(request: pytest.FixtureRequest, new_base: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Make a base whose documents and texts all go through two workers of an executor, however few they are."""

    def make(executor: str, **parts: Any) -> Any:
        if executor == "ray":
            request.getfixturevalue("ray")
        monkeypatch.setattr("flows.gather._INLINE_BYTES", 0)
        monkeypatch.setattr("ingest.embed.batches._INLINE", frozenset())
        return new_base(executor, execute={"executor": executor, "workers": 2}, **parts)

    return make


def test_the_same_snapshot_comes_of_every_executor(spread_base):
    made = {}
    for executor in ("inline", "processes", "ray"):
        report = spread_base(executor).run(FIXTURES / "corpus")
        made[executor] = (report.snapshot, report.chunks["added"], report.embedded, [failed.uri for failed in report.failures])
        assert report.chunks["added"] > 150
    assert made["processes"] == made["inline"]
    assert made["ray"] == made["inline"]


@pytest.fixture
def hostile(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers do to a document what its name says."""
    monkeypatch.syspath_prepend(str(FAILURES))
    import hostile_work

    monkeypatch.setattr("flows.gather.worker", hostile_work.worker)


@pytest.mark.parametrize("executor", ["processes", "ray"])
def test_documents_that_kill_and_hang_their_workers_cost_themselves_only(spread_base, hostile, executor):
    base = spread_base(executor, parse={"timeout_seconds": 2})
    for name in ("killed", "hang", "good 1", "good 2", "good 3"):
        base.write(f"{name}.md", "# Paper\n\nThe QUOKKA stands here.\n")
    report = base.run()
    assert {one.uri: one.error for one in report.failures} == dict.fromkeys(("docs/hang.md", "docs/killed.md"), "ParserFailed")
    assert base.found("QUOKKA") == ["good 1.md", "good 2.md", "good 3.md"]
    assert base.verify() == []


KILLED = """
import sys
import flows.gather, ingest.embed.batches
flows.gather._INLINE_BYTES = 0
ingest.embed.batches._INLINE = frozenset()
from ingest.cli.main import main
main()
"""


@pytest.mark.parametrize("executor", ["inline", "processes", _slow("ray")])
def test_a_run_that_was_killed_is_resumed_without_embedding_again_what_was_kept(spread_base, executor):
    """The process that writes is killed when it has kept three batches of eight; what those held is not embedded again."""
    base = spread_base("inline", embed={"engine": "hash", "batch": 8})
    for number in range(40):
        base.write(f"{number}.md", f"# Paper {number}\n\nThe QUOKKA stands here, 袋鼠 {number} 号。\n")
    words = ["run", str(base.docs), "--kb", str(base.kb), "--executor", executor, "--workers", "2"]
    stop = {"INGEST_EMBED__ENGINE": "hash", "INGEST_EMBED__BATCH": "8", "INGEST_DEBUG__STOP_AT": "vectors kept:3"}
    ran = subprocess.run([sys.executable, "-c", KILLED, *words], env={**os.environ, **stop}, capture_output=True, timeout=200)
    assert ran.returncode == -signal.SIGKILL, ran.stderr
    with closing(sqlite3.connect(base.kb / "cache" / "cache.db")) as db:
        ((kept,),) = db.execute("select count(*) from entries where stage like 'embed:%'")
    report = base.run()
    assert kept >= 6 and report.embedded == 40 - kept
    assert base.verify() == []


@pytest.mark.slow
def test_no_process_of_ray_is_left_of_one_that_was_killed(work, until):
    before = set(Path(tempfile.gettempdir()).glob("ray-*"))
    script = f"import sys; sys.path.insert(0, {str(Path(work.__file__).parent)!r}); import spread_work\n" \
        "from ingest.execute import map_unordered\n" \
        "for one in map_unordered(spread_work.resting, range(1000), executor='ray', workers=2): print(one.item, flush=True)"
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline()
    below = psutil.Process(process.pid).children(recursive=True)
    assert len(below) > 4
    process.kill()
    process.wait()
    until(lambda: not [one for one in below if one.is_running() and one.status() != psutil.STATUS_ZOMBIE])
    for folder in set(Path(tempfile.gettempdir()).glob("ray-*")) - before:
        shutil.rmtree(folder)


def test_worker_of_another_machine_that_would_parse_otherwise_ends_the_run(spread_base, monkeypatch):
    """Its documents would be kept under the names of others."""
    base = spread_base("processes")
    base.write("a.md")
    monkeypatch.setattr("flows.stages.CHUNKER", "of tomorrow")
    with pytest.raises(EngineUnavailable, match="install the same versions"):
        base.run()


# Of Ray alone


def test_an_actor_that_is_killed_costs_its_item_only(ray, work, running):
    """Not its worker: the place where the worker is, as when a machine is lost."""
    outcomes = map_unordered(work.resting, range(8), executor="ray", workers=2)
    done = [next(outcomes)]
    running()[0].parent().kill()
    done += list(outcomes)
    lost = [o for o in done if o.error is not None]
    assert sorted(o.item for o in done) == list(range(8)) and len(lost) == 1
    assert lost[0].error.kind == "crash" and "actor" in str(lost[0].error)


@pytest.mark.slow
def test_an_actor_that_hangs_is_given_up_and_costs_its_item_only(ray, work, running, monkeypatch):
    monkeypatch.setattr("ingest.execute.placed.LATE_SECONDS", 1.0)
    outcomes = map_unordered(work.resting, range(8), executor="ray", workers=2, timeout=1.0)
    done = [next(outcomes)]
    running()[0].parent().suspend()
    done += list(outcomes)
    lost = [o for o in done if o.error is not None]
    assert sorted(o.item for o in done) == list(range(8)) and len(lost) == 1
    assert lost[0].error.kind == "crash" and "hangs" in str(lost[0].error)


@pytest.mark.slow
def test_more_workers_than_the_cluster_has_cores_are_not_waited_for(ray, work):
    assert len({o.result()[0] for o in map_unordered(work.process_ids, range(30), executor="ray", workers=50)}) <= max(2, cores())


@pytest.mark.slow
def test_a_cluster_whose_cores_are_taken_is_told(ray, work, monkeypatch):
    monkeypatch.setattr("ingest.execute.placed.PLACED_SECONDS", 0.5)
    taken = [ray.remote(num_cpus=1)(_Guest).remote() for _ in range(int(ray.cluster_resources()["CPU"]))]
    ray.get([guest.here.remote() for guest in taken])
    with pytest.raises(ClusterUnavailable, match="its cores are taken"):
        list(map_unordered(work.doubling, range(4), executor="ray", workers=2))
    ray.kill(taken.pop())
    monkeypatch.undo()
    for guest in taken:
        ray.kill(guest)


class _Guest:
    def here(self) -> bool:
        return True


def test_ray_that_is_not_installed_is_named(monkeypatch, work):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ExtraMissing, match="ray"):
        list(map_unordered(work.doubling, [1], executor="ray", workers=1))


UNREACHABLE = """
from ingest.execute import map_unordered
import functools, operator
from ingest.errors import ClusterUnavailable
try:
    list(map_unordered(functools.partial(operator.attrgetter, "real"), [1], executor="ray", workers=1, address="127.0.0.1:1"))
except ClusterUnavailable as error:
    print(error)
"""


def test_cluster_that_cannot_be_reached_is_told_with_what_to_do():
    ran = subprocess.run([sys.executable, "-c", UNREACHABLE], capture_output=True, text=True, timeout=120)
    assert "127.0.0.1:1 cannot be reached" in ran.stdout and "execute.ray_address" in ran.stdout
