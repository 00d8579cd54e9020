"""For a real Qdrant server, which no package brings: `INGEST_QDRANT_URL=http://localhost:6333 pytest -m live` with this file.

Deselected by default. Keys come from INGEST_QDRANT_KEY, as anywhere.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from ingest.errors import ConcordError
from ingest.model.access import Principal
from ingest.progress import Silent

pytestmark = pytest.mark.live

QUERIES = ("云脉网关 安装", "connections", "两路电源", "absent")


@pytest.fixture
def live(new_base: Callable[..., Any]) -> Iterator[Any]:
    """A base on the server. What it made there goes again."""
    from indexes.qdrant.connect import Server
    from indexes.qdrant.place import identity_of

    base = new_base("live", index={"backend": "qdrant", "qdrant_url": os.environ["INGEST_QDRANT_URL"]})
    yield base
    identity = identity_of(base.kb / "server.json")
    server = Server(base.settings.index)
    for name in identity.collections if identity is not None else ():
        with suppress(ConcordError):
            server.call("delete a collection", lambda client, name=name: client.delete_collection(name))
    server.close()


def _answers(base: Any, **request: Any) -> list[Any]:
    return [
        [(item.chunk_id, round(item.scores.fused or 0, 3)) for item in base.search(query, mode=mode, **request).evidence]
        for query in QUERIES for mode in ("bm25", "vector", "hybrid")
    ]


def test_a_live_server_does_what_files_do(live: Any, new_base: Callable[..., Any]) -> None:
    from flows.history import go_back, let_go

    files = new_base("files")
    snapshots = []
    for base in (files, live):
        base.write("gateway.md")
        base.write("closed.md", "---\ntenant: larkfield\n---\n# Closed\n\nOf wombats and 两路电源.\n")
        base.run()
        base.write("gateway.md", base.docs.joinpath("gateway.md").read_text().replace("20000", "30000"))
        snapshots.append(base.run().snapshot)
    assert snapshots[0] == snapshots[1] and _answers(files) == _answers(live)
    mine = Principal("ann", (), "larkfield")
    assert _answers(files, who=mine) == _answers(live, who=mine)
    go_back(live.settings, 1)
    let_go(live.settings)
    live.write("more.md", "# More\n\nOf quokkas.\n")
    live.run()
    assert live.found("quokkas") == ["more.md"] and live.verify(deep=True) == []


def test_a_live_server_gives_a_base_back(live: Any) -> None:
    from flows.moving import move

    live.write("gateway.md")
    snapshot, before = live.run().snapshot, _answers(live)
    live.set("index", backend="auto")
    back = move(live.settings, "embedded", Silent())
    there = move(live.settings, "qdrant", Silent())
    assert back.contents == there.contents and there.snapshot == snapshot and _answers(live) == before
