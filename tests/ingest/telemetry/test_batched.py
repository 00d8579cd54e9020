"""Batches of a stage are spans; items are not."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ingest.progress import Silent
from ingest.telemetry.batched import batched


def test_nobody_listens_and_progress_is_handed_on_as_it_is() -> None:
    silent = Silent()
    assert batched(silent) is silent


def test_a_stage_of_many_items_makes_few_spans_that_add_up(kept: Any) -> None:
    progress = batched(Silent())
    progress.start("parse", 250_000, "documents")
    for _ in range(250_000):
        progress.advance("parse")
    progress.finish("parse")
    spans = [span for span in kept.spans if span.name == "batch parse"]
    assert len(spans) == 100
    assert sum(span.attributes["concord.items"] for span in spans) == 250_000
    assert all(before.end_time <= after.end_time and before.end_time <= after.start_time
               for before, after in pairwise(spans))


def test_what_is_left_is_a_batch_and_nothing_is_pending_at_the_end(kept: Any) -> None:
    progress = batched(Silent())
    progress.start("embed", 1_500, "texts")
    progress.advance("embed", 1_200)
    (pending,) = kept.points()["concord.work.pending"]
    assert pending.value == 300
    progress.advance("embed", 300)
    progress.finish("embed")
    assert [span.attributes["concord.items"] for span in kept.spans] == [1_200, 300]
    (pending,) = kept.points()["concord.work.pending"]
    assert (pending.value, dict(pending.attributes)) == (0, {"concord.stage": "embed"})


def test_a_stage_without_items_makes_no_span(kept: Any) -> None:
    progress = batched(Silent())
    progress.start("prove", None)
    progress.finish("prove")
    assert kept.spans == []
