"""Work spread over processes: nothing is lost, one item's trouble stays its own, and no process is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import psutil
import pytest

from ingest.errors import DocumentCorrupt, ExtraMissing, ModelUnavailable, WorkFailed
from ingest.execute import IN_FLIGHT, map_unordered

WORKLOADS = Path(__file__).parent / "workloads"


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(WORKLOADS))
    import spread_work

    return spread_work


@pytest.fixture(params=["inline", "processes", "fresh"])
def spread(request: pytest.FixtureRequest) -> Callable[..., Iterator[Any]]:
    executor = "inline" if request.param == "inline" else "processes"
    return partial(map_unordered, executor=executor, workers=2, fresh=request.param == "fresh")


def until(holds: Callable[[], bool]) -> None:
    """Wait for something that happens soon; fail after a minute."""
    for _ in range(6000):
        if holds():
            return
        time.sleep(0.01)
    raise AssertionError("it never happened")


def test_every_item_comes_back_once_with_its_index_and_value(spread, work):
    outcomes = list(spread(work.doubling, iter(range(50))))
    assert sorted((o.index, o.item, o.result()) for o in outcomes) == [(i, i, 2 * i) for i in range(50)]


def test_no_items_start_no_worker_and_call_no_factory(spread, work):
    assert list(spread(work.missing_model, [])) == []


def test_large_items_and_values_pass_through(spread, work):
    big = os.urandom(3_000_000)
    assert [o.result() for o in spread(work.identity, [big, big, big])] == [big] * 3


def test_our_errors_come_back_as_they_are_even_with_their_own_constructors(spread, work):
    outcomes = {o.item: o.error for o in spread(work.misbehaving, ["corrupt", "extra", "fine"])}
    assert type(outcomes["corrupt"]) is DocumentCorrupt
    assert str(outcomes["corrupt"]) == "cut short"
    assert outcomes["corrupt"].uri == "handbook/a.pdf"
    assert type(outcomes["extra"]) is ExtraMissing
    assert outcomes["extra"].extra == "pymupdf"
    assert "pip install" in str(outcomes["extra"])
    assert outcomes["fine"] is None


def test_a_foreign_exception_comes_back_with_its_type_and_text(spread, work):
    (outcome,) = spread(work.misbehaving, ["foreign"])
    assert isinstance(outcome.error, WorkFailed)
    assert outcome.error.kind == "exception"
    assert "ZeroDivisionError: by nought" in str(outcome.error)
    assert "spread_work.py" in str(outcome.error)
    with pytest.raises(WorkFailed):
        outcome.result()


def test_running_out_of_memory_is_told_apart(spread, work):
    (outcome,) = spread(work.misbehaving, ["memory"])
    assert outcome.error.kind == "memory"


def test_what_the_factory_raises_is_raised_to_the_caller(spread, work):
    with pytest.raises(ModelUnavailable, match="install them"):
        list(spread(work.missing_model, [1, 2, 3]))


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize(("how", "said"), [("killed", "SIGKILL"), ("segfault", "SIGSEGV"), ("exit", "exit code 3")])
def test_a_dying_worker_costs_its_item_only(work, how, said, fresh):
    items = [f"fine {i}" for i in range(4)] + [how] + [f"fine {i}" for i in range(4, 9)]
    outcomes = list(map_unordered(work.misbehaving, items, executor="processes", workers=2, fresh=fresh))
    assert sorted(o.item for o in outcomes if o.error is None) == sorted(i for i in items if i != how)
    (lost,) = [o for o in outcomes if o.error is not None]
    assert (lost.item, lost.error.kind) == (how, "crash")
    assert said in str(lost.error)


@pytest.mark.parametrize("fresh", [False, True])
def test_a_hanging_worker_is_stopped_after_its_time_and_costs_its_item_only(work, fresh):
    items = ["hang", *(f"fine {i}" for i in range(9))]
    outcomes = list(map_unordered(work.misbehaving, items, executor="processes", workers=2, timeout=0.5, fresh=fresh))
    assert {o.item: o.error.kind for o in outcomes if o.error is not None} == {"hang": "timeout"}
    assert len(outcomes) == 10


def test_values_and_items_that_do_not_pickle_are_errors_of_their_own(work):
    outcomes = list(map_unordered(work.misbehaving, ["unpicklable", "fine", lambda: 0], executor="processes", workers=1))
    assert sorted(o.index for o in outcomes if o.error is not None) == [0, 2]


def test_workers_that_die_while_starting_end_the_whole_map(work):
    with pytest.raises(WorkFailed, match="while it starts"):
        list(map_unordered(work.dying_factory, range(5), executor="processes", workers=2))


def test_the_factory_runs_once_a_worker_and_fresh_means_a_process_an_item(work):
    reused = [o.result() for o in map_unordered(work.process_ids, range(20), executor="processes", workers=2)]
    assert len({made for made, _ in reused}) <= 2
    assert all(made == called for made, called in reused)
    fresh = [o.result() for o in map_unordered(work.process_ids, range(20), executor="processes", workers=2, fresh=True)]
    assert len({called for _, called in fresh}) == 20
    assert len({made for made, _ in fresh}) <= 2


def test_nothing_of_one_item_is_seen_by_the_next_when_fresh(work):
    assert {o.result() for o in map_unordered(work.counting_calls, range(6), executor="processes", workers=1, fresh=True)} == {1}


def test_a_process_with_threads_is_replaced_rather_than_forked(work):
    pids = [o.result() for o in map_unordered(work.threaded, range(4), executor="processes", workers=1, fresh=True)]
    assert len(set(pids)) == 4


def test_items_are_drawn_only_a_few_ahead(work):
    drawn = 0

    def endless() -> Iterator[int]:
        nonlocal drawn
        while True:
            drawn += 1
            yield drawn

    outcomes = map_unordered(work.doubling, endless(), executor="processes", workers=2)
    for _ in range(10):
        next(outcomes)
    outcomes.close()
    assert drawn <= 10 + 2 * IN_FLIGHT


@pytest.fixture
def started():
    """Processes that were started since the test began: other tests leave one that stays for life (multiprocessing's tracker)."""
    before = set(psutil.Process().children(recursive=True))
    return lambda: [child for child in psutil.Process().children(recursive=True) if child not in before]


def test_few_items_start_few_workers(work, started):
    outcomes = map_unordered(work.process_ids, [1], executor="processes", workers=8)
    next(outcomes)
    assert len(started()) <= 1
    outcomes.close()


def test_an_error_in_the_callers_iterator_reaches_the_caller_and_leaves_no_process(work, started):
    def broken() -> Iterator[int]:
        yield 1
        raise ConnectionError("gone")

    with pytest.raises(ConnectionError):
        list(map_unordered(work.doubling, broken(), executor="processes", workers=2))
    assert started() == []


def test_a_finished_or_closed_map_leaves_no_process(work, tmp_path, started):
    list(map_unordered(work.doubling, range(9), executor="processes", workers=2))
    assert started() == []
    for fresh in (False, True):
        outcomes = map_unordered(partial(work.sleeping_and_telling, str(tmp_path)), range(9), executor="processes", workers=2,
                                 timeout=0.5, fresh=fresh)
        next(outcomes)
        outcomes.close()
        assert started() == []


def test_workers_run_numeric_libraries_single_threaded(work):
    names = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"]
    assert [o.result() for o in map_unordered(work.environment, names, executor="processes", workers=1)] == ["1"] * 4


def test_workers_are_light(work):
    (modules,) = [o.result() for o in map_unordered(work.loaded_modules, [0], executor="processes", workers=1)]
    heavy = {"numpy", "pydantic", "sqlalchemy", "asyncio", "typer", "pebble", "ingest.settings", "ingest.execute"}
    assert not heavy & set(modules)


DRIVER = """
import sys
sys.path[:0] = [{workloads!r}, {root!r}]
import functools, spread_work
from ingest.execute import map_unordered
for outcome in map_unordered({factory}, {items}, executor="processes", workers=2, fresh={fresh}):
    print(outcome.value)
"""


def driver(factory: str, items: str, fresh: bool = False) -> list[str]:
    root = str(Path(__file__).parents[2])
    return [sys.executable, "-c", DRIVER.format(workloads=str(WORKLOADS), root=root, factory=factory, items=items, fresh=fresh)]


def test_what_workers_print_stays_out_of_the_drivers_stdout():
    ran = subprocess.run(driver("spread_work.misbehaving", "['print']"), capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout == "print\n"
    assert "library that talks" in ran.stderr
    assert "descriptor" in ran.stderr


@pytest.mark.parametrize("fresh", [False, True])
def test_workers_die_with_a_driver_that_is_killed(tmp_path, fresh):
    factory = f"functools.partial(spread_work.sleeping_and_telling, {str(tmp_path)!r})"
    process = subprocess.Popen(driver(factory, "range(9)", fresh))
    until(lambda: len(list(tmp_path.iterdir())) == 2)
    workers = [psutil.Process(int(path.name)) for path in tmp_path.iterdir()]
    process.kill()
    process.wait()
    until(lambda: not any(w.is_running() and w.status() != psutil.STATUS_ZOMBIE for w in workers))


def test_an_interrupt_of_the_whole_group_ends_driver_and_workers(tmp_path):
    factory = f"functools.partial(spread_work.sleeping_and_telling, {str(tmp_path)!r})"
    process = subprocess.Popen(driver(factory, "range(9)"), start_new_session=True, stderr=subprocess.PIPE, text=True)
    until(lambda: len(list(tmp_path.iterdir())) == 2)
    workers = [psutil.Process(int(path.name)) for path in tmp_path.iterdir()]
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT
    assert said.count("KeyboardInterrupt") == 1
    assert not any(w.is_running() and w.status() != psutil.STATUS_ZOMBIE for w in workers)
