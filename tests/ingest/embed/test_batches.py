"""No text is embedded twice, what was made is kept at once, and a dead worker costs little."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import psutil
import pytest

from ingest.embed import batches
from ingest.embed.batches import cache_stage, embed_missing, tokens_stage, vectors
from ingest.embed.engine import choose, load, tokenizer
from ingest.errors import ModelUnavailable, StorageFailed, WorkFailed
from ingest.execute import IN_FLIGHT
from ingest.model.canonical import sha256_hex
from ingest.progress import Silent
from ingest.settings import EmbedPart, ExecutePart

HASH = EmbedPart(engine="hash")
E5 = EmbedPart(engine="e5", batch=8)
TEXTS = [f"Passage {i} of the handbook, 第{i}段，证书轮换。" for i in range(40)]


class Watching(Silent):
    def __init__(self) -> None:
        self.total: int | None = None
        self.counted = 0
        self.notes: list[str] = []

    def start(self, stage: str, total: int | None, unit: str = "items") -> None:
        self.total = total

    def advance(self, stage: str, amount: int = 1) -> None:
        self.counted += amount

    def note(self, message: str) -> None:
        self.notes.append(message)


@pytest.fixture
def run(cache, models):
    def call(texts, settings=HASH, executor="inline", workers=2, progress=None, models=models):
        execute = ExecutePart(executor=executor, workers=workers)
        report = embed_missing(texts, choose(settings), settings, cache, execute, models, progress)
        return report.embedded, report.reused, sorted(report.failed)

    return call


@pytest.fixture
def poisoned(monkeypatch):
    """Workers that die of texts, run in processes though vectors are only hashed."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "workloads"))
    import poison

    monkeypatch.setattr(batches, "_embedding", poison.embedding)
    monkeypatch.setattr(batches, "_INLINE", frozenset())


def test_what_is_cached_is_not_embedded_again(run):
    assert run(TEXTS) == (40, 0, [])
    assert run(TEXTS) == (0, 40, [])
    assert run([*TEXTS[:3], "new", *TEXTS[3:]]) == (1, 40, [])


def test_repeated_texts_are_embedded_once(run):
    assert run(["a", "b", "a", *["b"] * 2000, "c", "a"]) == (3, 2002, [])


def test_no_texts_is_no_work(run):
    assert run([]) == (0, 0, [])


def test_another_engine_shares_nothing(run):
    run(TEXTS)
    assert run(TEXTS, EmbedPart(engine="hash", dimensions=64)) == (40, 0, [])


def test_vectors_come_back_in_order_as_the_engine_made_them(run, cache, models):
    run(TEXTS)
    made = np.stack(list(vectors(iter(TEXTS[::-1]), choose(HASH), cache)))
    assert made.tobytes() == load(choose(HASH), HASH, models).passages(TEXTS[::-1]).tobytes()


def test_odd_texts_have_keys_too(run, cache):
    odd = ["", "\ud800", "\0", "😀"]
    assert run(odd) == (4, 0, [])
    assert len(list(vectors(odd, choose(HASH), cache))) == 4


def test_a_vector_that_is_missing_or_damaged_is_never_made_up(run, cache):
    run(["a"])
    with pytest.raises(StorageFailed, match="run again"):
        list(vectors(["a", "b"], choose(HASH), cache))
    cache.put_many(cache_stage(choose(HASH)), {sha256_hex("a"): b"short"})
    with pytest.raises(StorageFailed):
        list(vectors(["a"], choose(HASH), cache))
    assert run(["a"]) == (1, 0, [])


def test_progress_counts_every_text_once_against_the_total(run):
    for texts, total in ((TEXTS, 40), (TEXTS + TEXTS, 80), (iter(TEXTS), None)):
        watching = Watching()
        run(texts, progress=watching)
        assert watching.total == total
        assert watching.counted == (total or 40)


def test_worker_processes_make_the_same_bytes_as_the_engine_here(run, cache, models):
    assert run(TEXTS[:12], E5, "processes") == (12, 0, [])
    made = np.stack(list(vectors(TEXTS[:12], choose(E5), cache)))
    assert made.tobytes() == load(choose(E5), E5, models).passages(TEXTS[:12]).tobytes()
    assert run(TEXTS[:12], E5, "processes") == (0, 12, [])


def test_an_endpoint_is_asked_once_for_a_text(run, api):
    settings = EmbedPart(engine="endpoint", endpoint_url=api.url, endpoint_model="m", dimensions=64, batch=8)
    assert run(TEXTS, settings, "processes") == (40, 0, [])
    asked = [text for request in api.requests for text in request["input"]]
    assert sorted(asked) == sorted(TEXTS)


def test_an_engine_that_cannot_be_loaded_ends_the_stage(run, tmp_path):
    (tmp_path / "models").write_text("not a folder")
    with pytest.raises(StorageFailed):
        run(TEXTS, E5, "processes", models=tmp_path / "models")


def test_what_came_before_an_error_is_kept(run, api, cache):
    settings = EmbedPart(engine="endpoint", endpoint_url=api.url, endpoint_model="m", dimensions=64, batch=8)

    class Breaking(Watching):
        def advance(self, stage: str, amount: int = 1) -> None:
            super().advance(stage, amount)
            if self.counted == 16:
                api.scripted.append(lambda handler: (handler.send_response(400), handler.end_headers()))

    with pytest.raises(ModelUnavailable):
        run(TEXTS, settings, progress=Breaking())
    assert len(cache.get_many(cache_stage(choose(settings)), [sha256_hex(text) for text in TEXTS])) == 16


def test_no_more_than_a_batch_is_with_workers_at_once(monkeypatch, run):
    taken: list[tuple[int, int]] = []

    def spy(factory, items, *, executor, workers, timeout, address):
        items = list(items)
        taken.append((workers, max(map(len, items), default=0)))
        return real(factory, items, executor="inline", workers=1)

    real = batches.map_unordered
    monkeypatch.setattr(batches, "map_unordered", spy)
    monkeypatch.setattr(batches, "_INLINE", frozenset())
    for batch in (1, 2, 3, 8, 64, 1000):
        for workers in (1, 2, 7, 64):
            taken.clear()
            run([f"{batch} {workers} {i}" for i in range(200)], EmbedPart(engine="hash", batch=batch), "processes", workers)
            used, size = taken[0]
            assert used * size * IN_FLIGHT <= max(batch, IN_FLIGHT)


def test_a_worker_that_dies_once_costs_nothing_in_the_end(poisoned, run, tmp_path):
    watching = Watching()
    assert run([*TEXTS, "once"], executor="processes", models=tmp_path, progress=watching) == (41, 0, [])
    assert watching.counted == 41
    assert "once more" in watching.notes[0]


def test_a_text_that_kills_again_is_reported_and_the_rest_of_its_batch_is_not_lost(poisoned, run, tmp_path, cache):
    watching = Watching()
    texts = [*TEXTS[:20], "poison", *TEXTS[20:]]
    assert run(texts, executor="processes", models=tmp_path, progress=watching) == (40, 0, ["poison"])
    assert watching.counted == 41
    report = embed_missing(["poison"], choose(HASH), HASH, cache, ExecutePart(workers=1), tmp_path)
    assert isinstance(report.failed["poison"], WorkFailed)
    assert len(list(vectors(TEXTS, choose(HASH), cache))) == 40


def test_workers_that_always_die_end_the_stage_instead_of_going_on_for_ever(poisoned, run, tmp_path):
    (tmp_path / "all").touch()
    with pytest.raises(WorkFailed, match="SIGKILL"):
        run([f"{i}" for i in range(2000)], executor="processes", models=tmp_path)


@pytest.mark.slow
def test_a_killed_model_worker_costs_its_batch_and_the_batch_is_made_again(run):
    before = set(psutil.Process().children())

    class Killing(Watching):
        def advance(self, stage: str, amount: int = 1) -> None:
            super().advance(stage, amount)
            if amount and self.counted == amount:
                worker = next(child for child in psutil.Process().children() if child not in before)
                os.kill(worker.pid, signal.SIGKILL)

    killing = Killing()
    assert run(TEXTS, E5, "processes", 1, progress=killing) == (40, 0, [])
    assert len(killing.notes) == 1


KILLED_HALF_WAY = """
import os, signal, sys
from pathlib import Path
from ingest.embed.batches import embed_missing
from ingest.embed.engine import choose
from ingest.progress import Silent
from ingest.settings import EmbedPart, ExecutePart
from ingest.store.cache import Cache
class Dying(Silent):
    counted = 0
    def advance(self, stage, amount=1):
        self.counted += amount
        if self.counted >= 20:
            os.kill(os.getpid(), signal.SIGKILL)
settings = EmbedPart(engine="e5", batch=8)
texts = [f"Passage {i} of the handbook, 第{i}段，证书轮换。" for i in range(40)]
embed_missing(texts, choose(settings), settings, Cache(Path(sys.argv[1])), ExecutePart(workers=2), Path(sys.argv[2]), Dying())
"""


def test_a_run_that_is_killed_loses_no_batch_that_was_finished(run, tmp_path, models):
    killed = subprocess.run([sys.executable, "-c", KILLED_HALF_WAY, str(tmp_path / "cache" / "cache.db"), str(models)])
    assert killed.returncode == -signal.SIGKILL
    assert run(TEXTS, E5, "processes") == (20, 20, [])


def test_texts_over_the_window_are_counted_whether_new_or_known(cache, models):
    choice, execute = choose(E5), ExecutePart(executor="inline")
    long = "The gateway keeps every request for thirteen months. 每个请求保留十三个月。" * 40
    fresh = embed_missing([long, "短", long], choice, E5, cache, execute, models)
    again = embed_missing([long, "短"], choice, E5, cache, execute, models)
    assert (fresh.embedded, again.embedded) == (2, 0)
    assert fresh.long == again.long == 1 and fresh.longest == again.longest > choice.window == 510


def test_numbers_of_tokens_lie_beside_the_vectors(cache, models):
    choice = choose(E5)
    embed_missing(TEXTS[:4], choice, E5, cache, ExecutePart(executor="inline"), models)
    count = tokenizer(E5, models)
    held = cache.get_many(tokens_stage(choice), [sha256_hex(text) for text in TEXTS[:4]])
    assert count is not None
    assert [int.from_bytes(held[sha256_hex(text)], "little") for text in TEXTS[:4]] == [count(text) for text in TEXTS[:4]]


def test_engine_that_tells_no_tokens_keeps_none(cache, models):
    choice = choose(HASH)
    report = embed_missing(["text " * 2000], choice, HASH, cache, ExecutePart(executor="inline"), models)
    assert (report.embedded, report.long, report.longest, choice.window) == (1, 0, 0, 0)
    assert cache.get_many(tokens_stage(choice), [sha256_hex("text " * 2000)]) == {}


def test_tokens_are_not_told_where_no_model_was_converted(tmp_path):
    assert tokenizer(E5, tmp_path) is None and tokenizer(HASH, tmp_path) is None
    assert list(tmp_path.iterdir()) == []
