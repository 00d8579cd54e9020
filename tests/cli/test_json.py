"""The JSON of every command, in the shape that is documented, and nothing else on standard output."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

RUN = {
    "generation", "snapshot", "published", "sources", "chunks", "embedded", "failures", "warnings", "seconds", "builds", "report"
}
SOURCES = {"added", "changed", "same", "gone", "renamed", "failed"}
CHUNKS = {"added", "removed", "kept", "rewritten"}
FAILURE = {"uri", "stage", "error", "message", "retryable", "serving"}
SECONDS = ["plan", "parse", "chunk", "entities", "embed", "index", "prove", "publish"]
PACK = {
    "generation", "snapshot", "query", "as_of", "principal", "status", "evidence", "conflicts", "confidence", "clarification",
    "freshness", "trace",
}
EVIDENCE = {
    "citation", "chunk_id", "parent_id", "source_id", "uri", "title", "heading_path", "text", "context", "entity_ids", "version",
    "also_in", "status", "valid_from", "valid_until", "checksum", "confidence", "scores", "provenance", "flags",
}
PROVENANCE = {"boxes", "lines", "time", "locator", "span"}
CHILD = {
    "chunk_id", "parent_id", "kind", "heading_path", "prefix", "text", "overlap", "subject", "version", "scope", "valid_from",
    "valid_until", "units", "tokens", "provenance",
}


def test_run_prints_its_report(ingest: Callable[..., Any], docs: Path) -> None:
    (docs / "empty.md").touch()
    ended = ingest("run", "docs", "--json")
    report = ended.json
    assert ended.code == 4
    assert set(report) == RUN
    assert set(report["sources"]) == SOURCES and set(report["chunks"]) == CHUNKS
    assert list(report["seconds"]) == SECONDS and all(isinstance(seconds, float) for seconds in report["seconds"].values())
    assert [set(failure) for failure in report["failures"]] == [FAILURE]
    assert report["failures"][0]["uri"] == "docs/empty.md"
    assert set(report["builds"]) == {"vector", "bm25", "graph"}
    assert (report["generation"], report["published"], report["sources"]["added"]) == (1, True, 3)
    assert report["embedded"] == report["chunks"]["added"] > 0
    again = ingest("run", "--json").json
    assert set(again) == RUN and list(again["seconds"]) == SECONDS
    assert (again["published"], again["snapshot"]) == (False, report["snapshot"])


def test_search_prints_an_evidence_pack(ingest: Callable[..., Any], docs: Path) -> None:
    ingest("run", "docs")
    ended = ingest("search", "ERR_1042", "--json", "--as-of", "2026-01-01")
    pack = ended.json
    assert ended.code == 0
    assert set(pack) == PACK
    assert pack["status"] == "ok" and pack["as_of"] == "2026-01-01T00:00:00Z"
    assert pack["principal"] == {"user": None, "roles": [], "tenant": None, "level": 0}
    for number, item in enumerate(pack["evidence"], 1):
        assert set(item) == EVIDENCE
        assert set(item["scores"]) == {"vector", "bm25", "graph", "fused", "sentence"}
        assert set(item["provenance"]) == PROVENANCE
        assert item["citation"] == f"K{number}"
    first = pack["evidence"][0]
    assert (first["uri"], first["version"], first["valid_from"]) == ("docs/手册.md", "2.0", "2025-01-01T00:00:00Z")
    assert "ERR_1042" in first["text"] and first["text"] in first["context"]
    from ingest.model.canonical import sha256_hex

    assert first["checksum"] == sha256_hex(first["text"]), "a reader can re-check what it was given"


def test_search_that_finds_nothing_is_insufficient_evidence_and_no_failure(ingest: Callable[..., Any], docs: Path) -> None:
    ingest("run", "docs")
    ended = ingest("search", "QUOKKA", "--mode", "bm25", "--json")
    assert (ended.code, ended.json["status"], ended.json["evidence"]) == (0, "insufficient_evidence", [])
    who = ("--level", "internal", "--user", "lin", "--role", "b", "--role", "a")
    named = ingest("search", "QUOKKA", "--mode", "bm25", "--json", *who)
    assert [item["uri"] for item in named.json["evidence"]] == ["docs/private.md"]
    assert named.json["principal"] == {"user": "lin", "roles": ["a", "b"], "tenant": None, "level": 1}


def test_parse_prints_blocks_parents_and_children(ingest: Callable[..., Any], docs: Path) -> None:
    ended = ingest("parse", "docs/手册.md", "docs/private.md", "--chunks", "--format", "json")
    assert ended.code == 0
    first, second = ended.json
    assert {"source_id", "blocks", "parents", "children"} <= set(first)
    assert [block["kind"] for block in first["blocks"]] == ["heading", "paragraph", "heading", "paragraph"]
    assert all(set(child) == CHILD for child in first["children"])
    assert {child["version"] for child in first["children"]} == {"2.0"}
    parents = {parent["parent_id"] for parent in first["parents"]}
    assert {child["parent_id"] for child in first["children"]} == parents
    assert second["uri"] == "docs/private.md"
    bare = ingest("parse", "docs/手册.md", "--json").json
    assert "children" not in bare[0] and bare[0]["blocks"] == first["blocks"]


def test_chunks_of_parse_are_those_of_a_run(ingest: Callable[..., Any], docs: Path) -> None:
    parsed = ingest("parse", "docs/手册.md", "--chunks", "--format", "json").json[0]
    ingest("run", "docs")
    shown = ingest("show", "docs/手册.md", "--json").json
    assert shown["children"] == [child["chunk_id"] for child in parsed["children"]]
    assert shown["source_id"] == parsed["source_id"]


def test_snapshots_print_generations_and_hold(ingest: Callable[..., Any], docs: Path) -> None:
    ingest("run", "docs")
    (docs / "new.md").write_text("# New\n\nNew.\n")
    ingest("run", "docs")
    listed = ingest("snapshots", "list", "--json").json
    assert set(listed) == {"generations", "hold"} and listed["hold"] is None
    assert [item["generation"] for item in listed["generations"]] == [2, 1]
    assert set(listed["generations"][0]) == {
        "generation", "snapshot", "published_at", "confirmed_at", "origin", "sources", "chunks"
    }
    back = ingest("snapshots", "rollback", "1", "--json").json
    assert (back["generation"], back["target"], back["snapshot"]) == (3, 1, listed["generations"][1]["snapshot"])
    assert ingest("snapshots", "list", "--json").json["hold"] == {"generation": 3, "target": 1}
    assert ingest("snapshots", "release", "--json").json == {"released": True}
    assert ingest("snapshots", "prune", "--keep", "1", "--json").json == {"dropped": [2, 1], "in_use": []}


def test_check_verify_show_and_dry_run_print_their_reports(ingest: Callable[..., Any], docs: Path) -> None:
    planned = ingest("run", "docs", "--dry-run", "--json").json
    assert set(planned) >= {"changes", "same", "warnings"}
    assert {(change["what"], change["uri"]) for change in planned["changes"]} == {
        ("added", "docs/private.md"), ("added", "docs/手册.md")
    }
    ingest("run", "docs")
    check = ingest("check", "--json").json
    assert {"generation", "status", "changes", "settings", "warnings", "confirmed_at", "problems"} <= set(check)
    assert check["status"] == "fresh"
    assert ingest("verify", "--json").json == {
        "generation": 1, "clean": True, "drift": [], "unknown": [], "repaired": [], "left": []
    }
    assert ingest("show", "docs/手册.md", "--json").json["kind"] == "document"
    assert isinstance(ingest("doctor", "--json").json, list)


def noisy(monkeypatch: pytest.MonkeyPatch, place: str, name: str) -> None:
    """Have a function print and write to the descriptor of standard output, as libraries do."""
    import importlib

    module = importlib.import_module(place)
    original = getattr(module, name)

    def talking(*arguments: Any, **options: Any) -> Any:
        print("a library that talks")
        os.write(1, b"and one that writes to the descriptor\n")
        return original(*arguments, **options)

    monkeypatch.setattr(module, name, talking)


def test_standard_output_is_pure_json_even_when_libraries_talk(
    ingest: Callable[..., Any], docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noisy(monkeypatch, "ingest.parse.route", "parse")
    noisy(monkeypatch, "ingest.embed.hash", "_features")
    noisy(monkeypatch, "indexes.generation.verify.levels", "torn")
    for arguments in (
        ["run", "docs"], ["parse", "docs/手册.md"], ["search", "ERR_1042", "--mode", "vector"], ["verify"],
    ):
        ended = ingest(*arguments, "--json")
        assert ended.code == 0 and ended.json is not None
        assert "a library that talks" in ended.err and "writes to the descriptor" in ended.err, arguments


def test_progress_and_messages_go_to_standard_error(ingest: Callable[..., Any], docs: Path) -> None:
    ended = ingest("search", "x", "--json")
    assert (ended.code, ended.out) == (6, "")
    assert ended.err.startswith("ingest: KnowledgeBaseMissing: ")
