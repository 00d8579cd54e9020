"""Processes of this machine: how many there are, what they share, and that none is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from ingest.execute import map_unordered

WORKLOADS = Path(__file__).parent / "workloads"


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


def test_few_items_start_few_workers(work, running):
    outcomes = map_unordered(work.process_ids, [1], executor="processes", workers=8)
    next(outcomes)
    assert len(running()) <= 1
    outcomes.close()


def test_workers_are_light(work):
    (modules,) = [o.result() for o in map_unordered(work.loaded_modules, [0], executor="processes", workers=1)]
    heavy = {"numpy", "pydantic", "sqlalchemy", "asyncio", "typer", "pebble", "ingest.settings", "ingest.execute"}
    assert not heavy & set(modules)


DRIVER = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored, where tests run in the background
sys.path[:0] = [{workloads!r}, {root!r}]
import functools, spread_work
from ingest.execute import map_unordered
for outcome in map_unordered({factory}, {items}, executor="processes", workers=2, fresh={fresh}):
    print(outcome.value)
"""


def driver(factory: str, items: str, fresh: bool = False) -> list[str]:
    root = str(Path(__file__).parents[3])
    return [sys.executable, "-c", DRIVER.format(workloads=str(WORKLOADS), root=root, factory=factory, items=items, fresh=fresh)]


def test_what_workers_print_stays_out_of_the_drivers_stdout():
    ran = subprocess.run(driver("spread_work.misbehaving", "['print']"), capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout == "print\n"
    assert "library that talks" in ran.stderr
    assert "descriptor" in ran.stderr


@pytest.mark.parametrize("fresh", [False, True])
def test_workers_die_with_a_driver_that_is_killed(tmp_path, until, fresh):
    factory = f"functools.partial(spread_work.sleeping_and_telling, {str(tmp_path)!r})"
    process = subprocess.Popen(driver(factory, "range(9)", fresh))
    until(lambda: len(list(tmp_path.iterdir())) == 2)
    workers = [psutil.Process(int(path.name)) for path in tmp_path.iterdir()]
    process.kill()
    process.wait()
    until(lambda: not any(w.is_running() and w.status() != psutil.STATUS_ZOMBIE for w in workers))


def test_an_interrupt_of_the_whole_group_ends_driver_and_workers(tmp_path, until):
    factory = f"functools.partial(spread_work.sleeping_and_telling, {str(tmp_path)!r})"
    process = subprocess.Popen(driver(factory, "range(9)"), start_new_session=True, stderr=subprocess.PIPE, text=True)
    until(lambda: len(list(tmp_path.iterdir())) == 2)
    workers = [psutil.Process(int(path.name)) for path in tmp_path.iterdir()]
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT
    assert said.count("KeyboardInterrupt") == 1
    assert not any(w.is_running() and w.status() != psutil.STATUS_ZOMBIE for w in workers)
