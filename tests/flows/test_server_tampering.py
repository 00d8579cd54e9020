"""Points that somebody else deleted, added or changed: found out, told apart, and mended to the same snapshot."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from ingest.errors import BuildCorrupt
from ingest.progress import Silent


class Tampering:
    """A base on the stand-in, and a way to its points past the adapter."""

    def __init__(self, base: Any, url: str) -> None:
        self.base, self._url = base, url
        base.set("index", backend="qdrant", qdrant_url=url, retries=0)
        base.write("gateway.md")
        base.write("other.md", "# 其他\n\n备份每日凌晨两点执行，保留三十天。\n")
        self.snapshot = base.run().snapshot
        self.points: list[dict[str, Any]] = self.send("POST", "/points/scroll", {
            "limit": 100, "with_payload": True, "with_vector": True
        })["points"]

    def send(self, method: str, route: str, body: dict[str, Any]) -> Any:
        (name,) = json.loads((self.base.kb / "server.json").read_text())["collections"]
        answer = httpx.request(method, f"{self._url}/collections/{name}{route}", json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()["result"]

    def set_payload(self, payload: dict[str, Any]) -> None:
        """Change the first point."""
        self.send("POST", "/points/payload", {"payload": payload, "points": [self.points[0]["id"]]})

    def found(self, **level: Any) -> set[tuple[str, str]]:
        return {(drift.kind, drift.where.partition("/")[0]) for drift in self.base.verify(**level)}

    def mended(self) -> bool:
        from flows.repair import mend
        from indexes.generation.verify import Level

        done = mend(self.base.settings, Silent(), Level(deep=True))
        with self.base.catalog() as catalog:
            snapshot = catalog.published(catalog.head()).manifest.snapshot
        return not done.left and snapshot == self.snapshot and self.base.verify(deep=True) == []


@pytest.fixture
def tampering(base: Any, qdrant_url: str) -> Iterator[Tampering]:
    yield Tampering(base, qdrant_url)


def test_a_deleted_point_is_missed_at_once(tampering: Tampering) -> None:
    chunk = tampering.points[0]["payload"]["chunk_id"]
    tampering.send("POST", "/points/delete", {"filter": {"must": [{"key": "chunk_id", "match": {"any": [chunk]}}]}})
    for mode in ("bm25", "vector"):
        with pytest.raises(BuildCorrupt, match="holds 3 rows"):
            tampering.base.search("备份", mode=mode)
    assert tampering.found() == {("lost", "vector"), ("lost", "bm25")}
    assert tampering.mended()


def test_a_point_that_was_put_beside_is_a_ghost(tampering: Tampering) -> None:
    ghost = {**tampering.points[0], "id": "00000000-0000-0000-0000-000000000001"}
    ghost["payload"] = {**ghost["payload"], "chunk_id": "urn:kb:chunk:" + "0" * 32}
    tampering.send("PUT", "/points", {"points": [ghost]})
    assert tampering.found() == {("ghost", "vector"), ("ghost", "bm25")}
    assert tampering.mended()


CHANGES: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "checksum": lambda payload: {"row_checksum": "0" * 32},
    "tenant": lambda payload: {"tenant": "somebody"},
    "acl": lambda payload: {"acl": ["user:mallory"]},
    "window": lambda payload: {"valid_until": 5},
    "counts": lambda payload: {"counts": [count + 1 for count in payload["counts"]]},
    "terms": lambda payload: {"terms": ["quokka", *payload["terms"][1:]]},
}


@pytest.mark.parametrize(
    "change", [change if change in ("tenant", "counts") else pytest.param(change, marks=pytest.mark.slow) for change in CHANGES]
)
def test_a_changed_field_is_found(tampering: Tampering, change: str) -> None:
    tampering.set_payload(CHANGES[change](tampering.points[0]["payload"]))
    found = {where for _, where in tampering.found(deep=True)}
    assert found == ({"bm25"} if change in ("counts", "terms") else {"vector", "bm25"})
    assert tampering.mended()


@pytest.mark.parametrize("vector", ["dense", "terms"])
def test_a_changed_vector_is_found_by_looking_deep(tampering: Tampering, vector: str) -> None:
    held = tampering.points[0]["vector"]
    changed: Any = [-number for number in held["dense"]]
    if vector == "terms":
        changed = {**held["terms"], "values": [value / 2 for value in held["terms"]["values"]]}
    update = {"update_vectors": {"points": [{"id": tampering.points[0]["id"], "vector": {vector: changed}}]}}
    tampering.send("POST", "/points/batch", {"operations": [update]})
    assert tampering.found() == set()
    assert {where for _, where in tampering.found(deep=True)} == {{"dense": "vector", "terms": "bm25"}[vector]}
    assert tampering.mended()


def test_a_collection_that_is_gone_is_made_again(tampering: Tampering) -> None:
    tampering.send("DELETE", "", {})
    with pytest.raises(BuildCorrupt, match="verify --repair"):
        tampering.base.search("备份")
    assert tampering.mended()
    assert tampering.base.found("凌晨") == ["other.md"]


def test_a_collection_of_somebody_else_is_left_alone(new_base: Callable[..., Any], qdrant_url: str) -> None:
    from ingest.errors import UsageError

    one, two = (new_base(name, index={"backend": "qdrant", "qdrant_url": qdrant_url, "collection": "shared"}) for name in "ab")
    one.write("gateway.md")
    two.write("gateway.md")
    one.run()
    with pytest.raises(UsageError, match=r"shared-256 .* set index.collection"):
        two.run()
    assert one.verify() == []
