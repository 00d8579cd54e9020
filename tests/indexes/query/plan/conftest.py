"""A small world to ask about: two companies and their products, in two languages, with editions, windows, codes, and things that
only some may see."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

from indexes.generation.snapshot import Snapshot
from indexes.query.plan.plan import Plan
from indexes.query.plan.planner import planned
from indexes.query.request import Request, instant_of, predicate_of
from ingest.model.access import Access, Principal
from ingest.model.entity import Entity, Identifier, Name
from ingest.model.source import source_id
from ingest.settings import SearchPart

NOW = "2026-11-30T08:00:00Z"
HIDDEN = Access(level=2)
ANYBODY, CLEARED = Principal(), Principal(level=2)


def _entities() -> list[Entity]:
    def entity(id: str, type: str, *names: Name, identifiers: tuple[Identifier, ...] = ()) -> Entity:
        return Entity(f"urn:kb:entity:{id}", type, names, identifiers)

    def zh(text: str, kind: str = "alternate") -> Name:
        return Name(text, kind, "zh")

    def en(text: str, kind: str = "alternate") -> Name:
        return Name(text, kind, "en")

    return [
        entity("console", "system", zh("运维控制台", "preferred"), en("Ops Console"), zh("控制台")),
        entity("helix", "organization", zh("海力科技", "preferred"), zh("海力科技（深圳）有限公司", "legal"),
               en("Helix Technology"), identifiers=(Identifier("uscc", "91320594MAQH5N1C4N"),)),
        entity("atlas-robotics", "organization", en("Atlas Robotics", "preferred"), en("Atlas")),
        entity("atlas-robot", "product", zh("Atlas 仓储机器人", "preferred"), en("Atlas")),
        entity("wang-sales", "person", zh("王芳", "preferred"), en("Wang Fang (Sales)")),
        entity("wang-lab", "person", zh("王芳", "preferred"), en("Wang Fang (Lab)")),
        # Hidden: all of a project, one more Atlas, a longer name around a known one, and what the gateway is called inside.
        entity("saltmarsh", "organization", en("Saltmarsh Holdings", "preferred"), zh("盐沼控股")),
        entity("atlas-secret", "system", en("Atlas")),
        entity("gateway-pro", "product", zh("海力网关专业版", "preferred")),
        entity("gateway", "product", zh("海力网关", "preferred"), en("Helix Gateway"), en("HG", "abbreviation"),
               en("Project Tern")),
    ]


def _rows(row: Callable[..., Any]) -> Iterator[Any]:
    def of(number: int, text: str, *ids: str, **fields: Any) -> Any:
        named = tuple(f"urn:kb:entity:{id}" for id in ids)
        return row(number, text=text, entity_ids=named, source_id=source_id("docs", f"{number}.md"), **fields)

    gateway, july = {"family": "gateway-manual"}, "2025-07-01T00:00:00Z"
    yield of(0, "海力网关（Helix Gateway，HG）1.8 最多支持五千个连接。", "gateway", version="1.8",
             valid_from="2024-03-01T00:00:00Z", valid_until=july, **gateway)
    yield of(1, "海力网关（Helix Gateway，HG）2.0 最多支持两万个连接。", "gateway", version="2.0", valid_from=july, **gateway)
    yield of(2, "Helix Gateway 2.1 preview: forty thousand connections.", "gateway", version="V2.1", **gateway)
    yield of(3, "运维控制台（控制台，Ops Console）的安装步骤。", "console", family="console", version="1.8")
    yield of(4, "海力科技（海力科技（深圳）有限公司，Helix Technology，91320594MAQH5N1C4N）位于深圳。", "helix")
    yield of(5, "Atlas Robotics, called Atlas, builds warehouses.", "atlas-robotics")
    yield of(6, "Atlas 仓储机器人（Atlas）每小时搬运六百箱。", "atlas-robot")
    yield of(7, "销售经理王芳 Wang Fang (Sales) 负责华南。", "wang-sales")
    yield of(8, "实验室的王芳 Wang Fang (Lab) 负责测试。", "wang-lab")
    yield of(9, "ERR_1042 表示许可证缺失；E2017 表示时钟偏差。")
    yield of(10, "Part YG-ENT-20 fits HX-200 and HX-300; GET /api/v2/users lists users. Stock code 600519.")
    yield of(11, "年假制度：每年五天。", family="leave", version="2024", valid_from="2024-01-01T00:00:00Z",
             valid_until="2025-01-01T00:00:00Z")
    yield of(12, "年假制度：每年十天。", family="leave", version="2025", valid_from="2025-01-01T00:00:00Z")
    yield of(13, "Saltmarsh Holdings（盐沼控股）buys Atlas; ERR_2099, HX-999.", "saltmarsh", "atlas-secret", access=HIDDEN)
    yield of(14, "海力网关专业版 is Project Tern.", "gateway-pro", "gateway", access=HIDDEN)
    yield of(15, "机密手册", access=HIDDEN, family="gateway-manual", version="9.9")


@dataclass(frozen=True)
class World:
    snapshot: Snapshot

    def plan(self, query: str, who: Principal = ANYBODY, settings: SearchPart | None = None, **fields: Any) -> Plan:
        request = Request(query, principal=who, **fields)
        predicate = predicate_of(request, self.snapshot, instant_of(request))
        return planned(self.snapshot, request, predicate, settings or SearchPart())


@pytest.fixture(scope="session")
def world(make_snapshot: Callable[..., Any], make_row: Callable[..., Any], make_fact: Callable[..., Any]) -> Iterator[World]:
    facts = [make_fact(entity, entity.entity_id, "") for entity in _entities()]
    with make_snapshot(list(_rows(make_row)), entities=facts) as snapshot:
        yield World(snapshot)


@pytest.fixture(scope="session")
def open_world(make_snapshot: Callable[..., Any], make_row: Callable[..., Any], make_fact: Callable[..., Any]) -> Iterator[World]:
    """The same where nothing that is hidden was ever written down."""
    rows = [row for row in _rows(make_row) if row.access != HIDDEN]
    known = {id for row in rows for id in row.entity_ids}
    said = "".join(row.text for row in rows)
    entities = [replace(each, names=tuple(name for name in each.names if name.text in said)) for each in _entities()]
    facts = [make_fact(entity, entity.entity_id, "") for entity in entities if entity.entity_id in known]
    with make_snapshot(rows, entities=facts) as snapshot:
        yield World(snapshot)


@pytest.fixture
def at_noon(monkeypatch: pytest.MonkeyPatch) -> str:
    """The clock stands still."""
    monkeypatch.setattr("indexes.query.request.now", lambda: NOW)
    return NOW


@pytest.fixture(scope="session")
def anybody() -> Principal:
    return ANYBODY


@pytest.fixture(scope="session")
def cleared() -> Principal:
    """Somebody who may see everything."""
    return CLEARED
