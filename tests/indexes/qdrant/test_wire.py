"""What the adapter sends, request by request, beside what was recorded; and that this and the stand-in leave no call out."""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

import indexes.qdrant
from indexes.qdrant.bm25_reader import open_reader as open_bm25
from indexes.qdrant.bm25_writer import ServerBm25Writer
from indexes.qdrant.connect import Server
from indexes.qdrant.place import Identity, place_of, write_identity
from indexes.qdrant.sweep import sweep
from indexes.qdrant.vector_reader import open_reader as open_vectors
from indexes.qdrant.vector_writer import ServerVectorWriter
from ingest.model.access import Access, Principal
from ingest.model.predicate import Editions, Predicate
from ingest.progress import Silent
from ingest.protocols import Asked, Bm25Delta, RowVector, VectorDelta
from ingest.settings import IndexPart
from ingest.store.layout import Layout

GOLDEN = Path(__file__).with_name("wire.jsonl")
REWRITE = bool(os.environ.get("CONCORD_REWRITE_GOLDEN"))
WHO = Predicate(
    Principal("ann", ("ops",), "larkfield", 2), as_of=1_700_000_000, during=(1_600_000_000, 1_800_000_000),
    families=("manual",), versions=("2.1",), scopes=("docs",), languages=("en",), sources=("urn:kb:source:" + "0" * 32,),
    editions=Editions(frozenset(("manual",)), frozenset(("2.1",))),
)


@dataclass
class Wire:
    """What went over it: requests as they are compared, and names of the client's methods that were called."""

    sent: list[dict[str, Any]] = field(default_factory=list)
    methods: set[str] = field(default_factory=set)


class Watched:
    """A client that tells which of its methods are called."""

    def __init__(self, client: Any, wire: Wire) -> None:
        self._client, self._wire = client, wire

    def __getattr__(self, name: str) -> Any:
        self._wire.methods.add(name)
        return getattr(self._client, name)


@pytest.fixture(scope="module")
def recorded(
    tmp_path_factory: pytest.TempPathFactory, make_row: Callable[..., Any], qdrant_shim: Any
) -> Iterator[tuple[Wire, Any]]:
    """Everything that the adapter does, once, on the stand-in."""
    folder = tmp_path_factory.mktemp("wire")
    wire, shim = Wire(), qdrant_shim.Shim(folder / "shim")
    with pytest.MonkeyPatch.context() as patch:
        _watch(patch, wire, shim)
        _everything(Layout(folder / "kb"), make_row)
    yield wire, shim
    shim.close()


def _watch(patch: pytest.MonkeyPatch, wire: Wire, shim: Any) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        assert request.headers["api-key"] == "sesame"
        body = json.loads(request.content) if request.content else None
        query = dict(sorted(request.url.params.items()))
        wire.sent.append({"method": request.method, "path": request.url.path, "query": query, "body": body})
        status, result = shim.answer(request.method, request.url.path, request.content)
        assert status == 200, (request, result)
        return httpx.Response(status, json={"result": result, "status": "ok", "time": 0.0})

    connect = Server._connect
    patch.setenv("INGEST_QDRANT_KEY", "sesame")
    for module in ("bm25_view", "meeting"):
        # requests in an order that can be compared
        patch.setattr(f"indexes.qdrant.{module}.together", lambda calls: [call() for call in calls])
    patch.setattr(Server, "_options", {"transport": httpx.MockTransport(answer)}, raising=False)
    patch.setattr(Server, "__init__", _without_options(Server.__init__))
    patch.setattr(Server, "_connect", lambda self: Watched(connect(self), wire))


def _without_options(init: Any) -> Any:
    def made(self: Server, settings: IndexPart) -> None:
        init(self, settings)
        del self._options  # the one of the class, with its transport, is found instead

    return made


def _everything(layout: Layout, make_row: Callable[..., Any]) -> None:
    settings = IndexPart(qdrant_url="http://127.0.0.1:6333", retries=0, alias="knowledge")
    layout.folder.mkdir()
    write_identity(layout.qdrant, Identity("0123456789abcdef0123456789abcdef"))
    closed = Access(tenant="larkfield", users=("ann",), level=1)
    rows = [make_row(0, family="manual", version="2.1", access=closed), make_row(2, valid_from="2024-01-01T00:00:00Z")]
    place = place_of(layout, Server(settings))
    for number, (held, gone) in enumerate([(rows, []), ([make_row(3)], [rows[1].chunk_id]), ([make_row(5)], [])]):
        _write(layout, place, number, held, frozenset(gone), base=None if not number else 0)
    folder = layout.builds
    vectors = open_vectors(folder / "vector" / "2", Server(settings))
    query = np.array([1, 0, 0, 0], np.float32)
    vectors.search(query, WHO, 3)
    vectors.by_language(query, Predicate(None, statuses=None), 2)
    vectors.contents([row.chunk_id for row in rows])
    list(vectors.pairs())
    words = open_bm25(folder / "bm25" / "2", Server(settings))
    words.rank("gateway ERR_1042", WHO, 3)
    words.rank("gateway ERR_1042", Predicate(), 3)
    name = Asked((("gateway", "429"), ("网关",)), once=True)
    words.meets([Asked((("backup",), ("gateway",)), (0.7, 0.3))], [name], 0.2, Predicate(), 2)
    words.having([("gateway", "429"), ("网关",)], [rows[0].chunk_id])
    words.codes_like("err1024", Predicate(), 3)
    words.versions(Predicate())
    words.families(["2.1"], Predicate())
    words.dated(Predicate(None))
    words.contents([rows[0].chunk_id])
    for kind in ("vector", "bm25"):
        for old in ("0", "1"):
            for path in (folder / kind / old).iterdir():
                path.unlink()
    sweep(layout, settings)
    for kind in ("vector", "bm25"):
        for path in (folder / kind / "2").iterdir():
            path.unlink()
    sweep(layout, settings)


def _write(layout: Layout, place: Any, number: int, rows: list[Any], gone: frozenset[str], base: int | None) -> None:
    """Write both indexes below staging and move them into place, as publishing does."""
    staged = layout.staging / str(number)
    last = {kind: layout.builds / kind / str(base) if base is not None else None for kind in ("vector", "bm25")}
    items = [RowVector(row, np.eye(4, dtype=np.float32)[at]) for at, row in enumerate(rows)]
    ServerVectorWriter(place).write(last["vector"], VectorDelta(items, len(rows), gone, 4), staged / "vector", Silent())
    ServerBm25Writer(place, 4).write(last["bm25"], Bm25Delta(rows, len(rows), gone), staged / "bm25", Silent())
    for kind in ("vector", "bm25"):
        (layout.builds / kind).mkdir(parents=True, exist_ok=True)
        (staged / kind).rename(layout.builds / kind / str(number))


def test_requests_are_those_that_were_recorded(recorded: tuple[Wire, Any]) -> None:
    lines = [json.dumps(each, ensure_ascii=False, sort_keys=True) for each in recorded[0].sent]
    if REWRITE:
        GOLDEN.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert lines == GOLDEN.read_text(encoding="utf-8").splitlines()


def test_nothing_is_being_rewritten() -> None:
    assert not REWRITE, "golden files were rewritten; look at the difference and run again without CONCORD_REWRITE_GOLDEN"


def test_every_call_that_the_adapter_makes_is_among_them(recorded: tuple[Wire, Any]) -> None:
    """Read from its source: what is called on a client anywhere below `indexes/qdrant`."""
    folder = Path(indexes.qdrant.__file__).parent
    made = {
        node.func.attr
        for file in folder.glob("*.py") for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name) and node.func.value.id == "client"
    }
    assert made and made == recorded[0].methods - {"close"}


def test_the_stand_in_has_just_the_routes_that_are_called(recorded: tuple[Wire, Any], qdrant_shim: Any) -> None:
    assert set(recorded[1].calls) == {(method, pattern) for method, pattern, _ in qdrant_shim.ROUTES}


def test_the_stand_in_refuses_what_it_does_not_know(qdrant_shim: Any, tmp_path: Path) -> None:
    shim = qdrant_shim.Shim(tmp_path)
    assert shim.answer("POST", "/collections/x/points/search", b"{}")[0] == 501
    assert shim.answer("GET", "/collections/x", b"")[0] == 404


def test_no_request_is_sent_over_rpc(recorded: tuple[Wire, Any]) -> None:
    assert all(each["path"].startswith("/collections") for each in recorded[0].sent)


