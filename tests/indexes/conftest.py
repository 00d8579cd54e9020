"""Rows, predicates and histories for the contract suites of the three indexes.

Everything is a session-scoped fixture that returns a function or a hypothesis strategy (draw with `st.data()`), because test
modules cannot import from here. The universe is small on purpose: ids collide, so histories replace and remove what they added.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from fixtures.processes import quick_folder
from ingest.model.access import Access, Principal
from ingest.model.chunk import chunk_id, parent_id
from ingest.model.document import Provenance
from ingest.model.predicate import Editions, Predicate
from ingest.model.row import ChunkRow, sealed

TEXTS = (
    "The gateway answers 429 when a client sends more than 600 requests a minute.",
    "网关在客户端每分钟发送超过六百个请求时返回错误码 429。",
    "ERR_1042 means that the licence file is missing; copy it to /etc/helix and restart.",
    "错误码 ERR_1042 表示许可证文件缺失，请复制到指定目录后重启服务。",
    "北京海力科技有限公司负责第二代存储网关的交付与验收。",
    "Helix Storage Ltd delivers the second generation of the storage gateway.",
    "數據備份每日凌晨兩點執行，保留三十天。",
    "Backups run at two in the morning and are kept for thirty days.",
    "GET /api/v2/users returns the users of a tenant, one page at a time.",
    "接口 GET /api/v2/users 分页返回租户的全部用户。",
    "Версия 2.1 поддерживает восстановление на момент времени.",
    "バージョン 2.1 は時点復旧をサポートします。",
)
SOURCES = tuple(f"urn:kb:source:{number:032x}" for number in range(6))
ENTITIES = tuple(f"urn:kb:entity:{name}" for name in ("gateway", "helix", "backup", "users", "海力"))


def make(number: int, **fields: Any) -> ChunkRow:
    """Return row `number`; its ids, text and source depend on the number only, `fields` replace the rest.

    `text` may be given too (and changes the chunk id unless `chunk_id` is given).
    """
    source = fields.get("source_id", SOURCES[number // 4 % len(SOURCES)])
    text = fields.get("text", f"{TEXTS[number % len(TEXTS)]} ({number})")
    path = ("Manual", f"第{number // 2 + 1}章")
    values: dict[str, Any] = {
        "chunk_id": chunk_id(source, path, text, 0), "source_id": source, "kind": "paragraph", "heading_path": path, "text": text,
        "parent_id": parent_id(source, path, f"{number // 2}", 0), "title": f"手册 Manual {number // 4}",
        "prefix": f"Manual | {path[1]}", "overlap": 0, "subject": "storage gateway", "units": len(text), "scope": "docs",
        "entity_ids": (ENTITIES[number % len(ENTITIES)],), "family": None, "version": None, "status": "active",
        "valid_from": None, "valid_until": None, "access": Access(), "language": "zh" if "的" in text else "en",
        "provenance": Provenance(span=(0, len(text))), "confidence": 1.0,
    }
    return sealed({**values, **fields})


@dataclass(frozen=True, slots=True)
class Step:
    """One run: what it removes (held or not) and what it adds. An id that is in both is replaced."""

    removed: frozenset[str]
    added: tuple[ChunkRow, ...]


def effective(steps: list[Step]) -> dict[str, ChunkRow]:
    """Return the rows in effect after `steps`, by chunk id."""
    held: dict[str, ChunkRow] = {}
    for step in steps:
        for gone in step.removed:
            held.pop(gone, None)
        held.update({row.chunk_id: row for row in step.added})
    return held


_USERS = ("alice", "王芳", "*")
_ROLES = ("sales", "ops")
_WHEN = (None, "0001-01-01T00:00:00Z", "2024-01-01T00:00:00Z", "2025-07-01T00:00:00Z", "9999-12-31T23:59:59Z")
_INSTANTS = (-(1 << 62), -(1 << 62) + 1, -62135596800, 1704067199, 1704067200, 1751328000, 253402300799, (1 << 62) - 1, 1 << 62)


def _some(values: tuple[Any, ...]) -> st.SearchStrategy[tuple[Any, ...] | None]:
    return st.none() | st.lists(st.sampled_from(values), max_size=2, unique=True).map(tuple)


_ACCESS = st.builds(
    Access, tenant=st.sampled_from((None, None, "acme", "碧海")), users=_some(_USERS), roles=_some(_ROLES),
    level=st.sampled_from((0, 0, 1, 3)),
)
_PRINCIPALS = st.builds(
    Principal, user=st.sampled_from((None, *_USERS)), roles=_some(_ROLES).map(lambda roles: roles or ()),
    tenant=st.sampled_from((None, "acme", "碧海")), level=st.sampled_from((0, 1, 3)),
)
_ROWS = st.builds(
    make, st.integers(0, 23), access=st.just(Access()) | _ACCESS,
    status=st.sampled_from(("active", "active", "draft", "deprecated")), title=st.sampled_from(("手册", "Manual")),
    valid_from=st.sampled_from(_WHEN), valid_until=st.sampled_from(_WHEN), family=st.sampled_from((None, "handbook", "手册")),
    version=st.sampled_from((None, "1.0", "2.1")), scope=st.sampled_from((None, "docs", "docs/制度")),
    language=st.sampled_from((None, "zh", "en")),
    entity_ids=st.lists(st.sampled_from(ENTITIES), max_size=3, unique=True).map(tuple),
)
_EDITIONS = st.builds(
    Editions, st.frozensets(st.sampled_from(("", "handbook", "手册", "absent"))),
    st.frozensets(st.sampled_from(("", "1.0", "2.1"))),
)
_PREDICATES = st.builds(
    Predicate, principal=st.none() | st.just(Principal()) | _PRINCIPALS, as_of=st.none() | st.sampled_from(_INSTANTS),
    during=st.none() | st.tuples(st.sampled_from(_INSTANTS), st.sampled_from(_INSTANTS)),
    statuses=st.none() | st.just(("active",)) | _some(("active", "draft", "deprecated", "archived")),
    families=_some(("", "handbook", "手册", "absent")), versions=_some(("", "1.0", "2.1")),
    scopes=_some(("", "docs", "docs/制度")), languages=_some(("", "zh", "en")), sources=_some(SOURCES),
    editions=st.none() | _EDITIONS,
)
# Half of all predicates set one condition only: with all of them drawn at once, almost nothing would be admitted.
_ALL = Predicate(None, statuses=None)
_NARROW = st.one_of(
    st.just(Predicate()), st.just(_ALL), st.builds(replace, st.just(_ALL), principal=_PRINCIPALS),
    st.builds(replace, st.just(_ALL), as_of=st.sampled_from(_INSTANTS)),
    st.builds(replace, st.just(_ALL), during=st.tuples(st.sampled_from(_INSTANTS), st.sampled_from(_INSTANTS))),
    st.builds(replace, st.just(_ALL), sources=_some(SOURCES)),
    st.builds(replace, st.just(_ALL), editions=_EDITIONS),
)


def _unique(rows: list[ChunkRow]) -> tuple[ChunkRow, ...]:
    return tuple({row.chunk_id: row for row in rows}.values())


_UNKNOWN = st.integers(0, 3).map(lambda number: f"urn:kb:chunk:{number:032x}")
_ADDED = st.lists(_ROWS, max_size=8).map(_unique)
_KNOWN = st.integers(0, 23).map(lambda number: make(number).chunk_id)
_STEPS = st.builds(Step, removed=st.frozensets(_KNOWN | _UNKNOWN, max_size=8), added=_ADDED)


@pytest.fixture(scope="session")
def make_row() -> Callable[..., ChunkRow]:
    """`make_row(number, **fields)`: see `make`."""
    return make


@pytest.fixture(scope="session")
def make_step() -> Callable[..., Step]:
    """`make_step(removed, added)`."""
    return lambda removed, added: Step(frozenset(removed), tuple(added))


@pytest.fixture(scope="session")
def rows_in_effect() -> Callable[[list[Step]], dict[str, ChunkRow]]:
    """`rows_in_effect(steps)`: what an index must hold after these steps."""
    return effective


@pytest.fixture(scope="session")
def some_rows() -> st.SearchStrategy[tuple[ChunkRow, ...]]:
    """Up to 20 rows with different ids and any filter columns."""
    return st.lists(_ROWS, max_size=20).map(_unique)


@pytest.fixture(scope="session")
def some_predicates() -> st.SearchStrategy[Predicate]:
    """Predicates of every kind, extremes of time included."""
    return _NARROW | _PREDICATES


@pytest.fixture(scope="session")
def some_histories() -> st.SearchStrategy[list[Step]]:
    """One to five runs over one small universe of rows."""
    return st.lists(_STEPS, min_size=1, max_size=5)


@pytest.fixture(scope="session")
def server_in_process(qdrant_shim: Any) -> Callable[..., Any]:
    """`with server_in_process(key=..., retries=...) as (server, shim)`: the adapter on the stand-in, without a network."""
    import httpx

    from indexes.qdrant.connect import Server
    from ingest.settings import IndexPart

    @contextmanager
    def connected(key: str = "", **settings: Any) -> Iterator[tuple[Server, Any]]:
        folder = tempfile.TemporaryDirectory(dir=quick_folder())
        shim = qdrant_shim.Shim(Path(folder.name), key)

        def answer(request: httpx.Request) -> httpx.Response:
            given = request.headers.get("api-key", "")
            status, result = shim.answer(request.method, request.url.path, request.content, given)
            said = {"result": result, "status": "ok"} if status == 200 else {"status": {"error": result}}
            return httpx.Response(status, json={**said, "time": 0.0})

        part = IndexPart(**{"qdrant_url": "http://127.0.0.1:6333", "retries": 0, **settings})
        server = Server(part, transport=httpx.MockTransport(answer))
        try:
            yield server, shim
        finally:
            server.close()
            shim.close()
            folder.cleanup()

    return connected
