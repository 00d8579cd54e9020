"""Exports hold to the shipped shapes in every form, and what breaks a promise is told with its node."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from entities.jsonld import rdf, write
from entities.jsonld.shapes import violations
from entities.relations import bundled
from ingest.errors import UsageError
from ingest.model.entity import Registry

REDIRECTS = {"urn:kb:entity:norrvik": "urn:kb:entity:larkfield"}


def written(describe: Any, file: Path, registry: Registry) -> Path:
    every, refer = describe(registry, REDIRECTS)
    writer: Any = {".jsonld": write.graph, ".ttl": rdf.turtle, ".nq": rdf.nquads}[file.suffix]
    file.write_bytes(b"".join(writer(write.nodes(every, refer, bundled()), bundled())))
    return file


@pytest.mark.parametrize("name", ["all.jsonld", "all.ttl", "all.nq"])
def test_export_holds_to_the_shapes(describe: Any, tmp_path: Path, fixtures_registry: Registry, name: str) -> None:
    assert violations(written(describe, tmp_path / name, fixtures_registry)) == []


def test_turtle_and_n_quads_say_the_same(describe: Any, tmp_path: Path, fixtures_registry: Registry) -> None:
    from rdflib import Graph

    turtle = Graph().parse(written(describe, tmp_path / "all.ttl", fixtures_registry), format="turtle")
    quads = Graph().parse(written(describe, tmp_path / "all.nq", fixtures_registry), format="nt")
    assert set(turtle) == set(quads) and len(turtle) > 500


def spoiled(describe: Any, change: Callable[[dict[str, Any]], None], tmp_path: Path, registry: Registry) -> Path:
    file = written(describe, tmp_path / "all.jsonld", registry)
    said = json.loads(file.read_bytes())
    change(next(node for node in said["@graph"] if node["@id"] == "urn:kb:entity:yungate"))
    file.write_text(json.dumps(said, ensure_ascii=False), encoding="utf-8")
    return file


@pytest.mark.parametrize(("change", "message"), [
    (lambda node: node.update(name=["one", "another"]), "exactly one name"),
    (lambda node: node.update(confidence=1.5), "from 0 to 1"),
    (lambda node: node.update({"@type": "kb:Nonsense"}), "a class of the vocabulary"),
    (lambda node: node.update(developer="云脉"), "a developer is an organisation"),
    (lambda node: node.update(validFrom="2026-01-01T00:00:00Z", validUntil="2025-01-01T00:00:00Z"), "before validUntil"),
    (lambda node: node["nameRecord"][0].update(kind="nickname"), "preferred, legal"),
    (lambda node: node["statement"][0].pop("predicate"), "one relation"),
    (lambda node: node["statement"][0].pop("object"), ""),
])
def test_broken_promise_is_told(
    describe: Any, tmp_path: Path, fixtures_registry: Registry, change: Callable[[dict[str, Any]], None], message: str
) -> None:
    found = violations(spoiled(describe, change, tmp_path, fixtures_registry))
    assert any(message in each.message for each in found), found


@pytest.mark.parametrize(("name", "content"), [
    ("x.jsonld", b"{"), ("x.ttl", b"@@"), ("x.nq", b"<"), ("x.txt", b""), ("x.jsonld", b"\xff"),
])
def test_what_is_no_export_is_a_usage_error(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UsageError):
        violations(tmp_path / name)
