"""Ten readers at once, on one snapshot of a published base."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier
from typing import Any

import pytest

from flows.answering import query_embedder
from flows.opening import reading
from indexes.query.evidence import search
from indexes.query.request import Request, predicate_of
from indexes.query.visible import Visible
from ingest.model.access import Principal
from ingest.model.evidence import EvidencePack

READERS = 10
QUESTIONS = ("网关 接受 多少 连接", "ERR_1042", "two power supplies of the cabinet", "安装前确认什么", "NX-7 gateway")
CALLERS = (Principal(), Principal("lin"))


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory, make_base: Callable[..., Any]) -> Any:
    base = make_base(tmp_path_factory.mktemp("readers"))
    base.write("manual.md")
    for number in range(20):
        rule = "---\nallowed_users: [lin]\n---\n" if number % 3 == 0 else ""
        base.write(f"note-{number}.md", f"{rule}# Note {number}\n\nThe gateway NX-{number} has two power supplies. 网关说明。\n")
    base.run()
    return base


def requests() -> list[Request]:
    return [
        Request(question, mode, principal=who, as_of="2026-01-01T00:00:00Z")
        for question in QUESTIONS for mode in ("bm25", "vector", "hybrid") for who in CALLERS  # type: ignore[arg-type]
    ]


def timeless(pack: EvidencePack) -> EvidencePack:
    return replace(pack, trace={**pack.trace, "milliseconds": {}})


def test_ten_readers_of_one_snapshot_get_the_answers_of_one(published: Any) -> None:
    with reading(published.settings) as snapshot:
        embedder = query_embedder(published.settings, snapshot)
        alone = [timeless(search(snapshot, embedder, request, published.settings.search)) for request in requests()]
        lin = predicate_of(Request("", principal=CALLERS[1], statuses=None), snapshot, None)
        document = Visible(snapshot, lin).show("docs/note-0.md")
    assert any(len(pack.evidence) > 1 for pack in alone)
    with reading(published.settings) as snapshot:  # afresh, so that the ten also race to open its indexes
        start = Barrier(READERS)

        def read(_: int) -> tuple[list[EvidencePack], Any]:
            start.wait()
            packs = [timeless(search(snapshot, embedder, request, published.settings.search)) for request in requests()]
            return packs, Visible(snapshot, lin).show("docs/note-0.md")

        with ThreadPoolExecutor(READERS) as pool:
            assert all(answers == (alone, document) for answers in pool.map(read, range(READERS)))
