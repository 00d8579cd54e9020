"""What differs besides the sources is told setting by setting, and names exactly the documents that it concerns."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flows.differences import Staleness, told
from ingest.chunk.fingerprint import FINGERPRINT
from ingest.errors import SettingsInvalid
from ingest.settings import Settings

PAGE = "<html><body><main><h1>Page</h1><p>The quokka sleeps in the shade of the old wall all day.</p></main></body></html>"
SEED = 'entities:\n  - {id: "urn:kb:entity:gate", type: product, names: [{text: %s, kind: preferred}]}\n'


@pytest.fixture
def mixed(base: Any) -> Any:
    base.write("手册.md")
    base.write("notes.md", "# Notes\n\nThe YunGate is mentioned here.\n")
    base.write("page.html", PAGE)
    base.write("plain.txt", "A plain text.\n\nOf two paragraphs.\n")
    base.write("empty.md", "")
    base.run()
    return base


def stale(report: Any) -> dict[str, str]:
    assert {change.what for change in report.changes} <= {"stale"}
    return {change.uri.removeprefix("docs/"): change.reason for change in report.changes}


def version(monkeypatch: pytest.MonkeyPatch, module: str, stamp: str) -> None:
    monkeypatch.setattr(f"ingest.parse.{module}.version", lambda settings: stamp)


@pytest.mark.parametrize("how", ["by signature", "by hash"])
def test_changed_parser_makes_exactly_its_format_stale(
    mixed: Any, monkeypatch: pytest.MonkeyPatch, trusting: None, how: str
) -> None:
    mixed.run(rehash=True)
    version(monkeypatch, "html", "html 2; lxml 9.9")
    report = mixed.check(rehash=how == "by hash")
    (reason,) = stale(report).values()
    assert list(stale(report)) == ["page.html"]
    assert "its parser changed from html " in reason and "to html 2, lxml 9.9" in reason
    assert (report.status, report.settings, report.same) == ("stale", (), 4)


def test_changed_markdown_parser_leaves_the_other_formats(mixed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    version(monkeypatch, "markdown", "markdown 2")
    assert sorted(stale(mixed.check())) == ["notes.md", "手册.md"]


def test_setting_of_a_parser_concerns_its_format(mixed: Any) -> None:
    mixed.set("parse", keep_all_html=True)
    report = mixed.check()
    assert report.settings == ("parse.keep_all_html changed from false to true",)
    assert list(stale(report)) == ["page.html"]


def test_library_that_read_a_document_and_is_not_here_leaves_it_untold(mixed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    version(monkeypatch, "html", "html 1; lxml absent")
    mixed.write("手册.md", "# 手册\n\n改过了。\n")
    report = mixed.check()
    assert (report.status, report.exit_code) == ("unknown", 6)
    assert [(change.what, change.uri) for change in report.changes] == [("changed", "docs/手册.md")]
    (problem,) = report.remarks["problems"]
    assert (problem.kind, problem.uris) == ("engine", ("docs/page.html",)) and "lxml absent" in problem.message


def test_changed_chunk_size_is_named_and_concerns_every_document(mixed: Any) -> None:
    mixed.set("chunk", child_max=120, overlap=False)
    report = mixed.check()
    assert report.settings == ("chunk.child_max changed from 300 to 120", "chunk.overlap changed from true to false")
    assert sorted(stale(report)) == ["empty.md", "notes.md", "page.html", "plain.txt", "手册.md"]
    assert set(stale(report).values()) == {"chunk.child_max changed from 300 to 120; chunk.overlap changed from true to false"}


def test_rule_of_chunking_concerns_the_documents_that_it_names(mixed: Any) -> None:
    mixed.set("chunk", rules=({"types": ("text/html",), "child_max": 120}, {"paths": ("手*",), "overlap": False}))
    report = mixed.check()
    (line,) = report.settings
    assert line.startswith("chunk.rules changed from [] to [")
    assert sorted(stale(report)) == ["page.html", "手册.md"]
    assert mixed.run().sources["same"] == 3
    assert mixed.check().status == "fresh"


def test_other_names_of_levels_are_told(mixed: Any) -> None:
    mixed.set("sources", levels=("öffentlich", "内部"))
    (line,) = mixed.check().settings
    assert line.startswith('sources.levels changed from ["public", ') and line.endswith('to ["öffentlich", "内部"]')


def test_path_in_the_settings_is_in_no_manifest(mixed: Any) -> None:
    mixed.set("parse", audio_model=str(mixed.folder / "whisper"))
    assert mixed.check().settings == ("parse.docling_models or parse.audio_model changed",), "no manifest holds either"
    mixed.run()
    manifest = (mixed.kb / "generations/2/manifest.json").read_text()
    assert "audio_model" not in manifest and str(mixed.folder) not in manifest
    assert mixed.check().status == "fresh"


def test_embedder_concerns_every_document_with_rows(mixed: Any) -> None:
    mixed.set("embed", dimensions=64)
    report = mixed.check()
    assert report.settings == (
        "embed.dimensions changed from 0 to 64", "the embedder changed from hash-256-1 to hash-64-1"
    )
    assert stale(report) == dict.fromkeys(["notes.md", "page.html", "plain.txt", "手册.md"], "the embedder changed")
    mixed.run()
    assert mixed.check().status == "fresh"


def test_rules_of_terms_concern_every_document_with_rows(mixed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from indexes.bm25 import format

    other = format.TERMS.replace("terms=1", "terms=2")
    monkeypatch.setattr("flows.differences.TERMS", other)
    monkeypatch.setattr(format, "FINGERPRINT", format.FINGERPRINT.replace(format.TERMS, other))
    report = mixed.check()
    assert report.settings == ("the rules of terms changed from terms=1 to terms=2",)
    assert stale(report) == dict.fromkeys(["notes.md", "page.html", "plain.txt", "手册.md"], "the rules of terms changed")


def test_format_of_an_index_concerns_no_document(mixed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexes.graph.format.FINGERPRINT", "graph 2: other tables")
    report = mixed.check()
    (line,) = report.settings
    assert "format of the graph index changed" in line and "to graph 2" in line
    assert (report.status, report.changes) == ("stale", ())
    assert mixed.run().published
    assert mixed.check().status == "fresh"


def test_chunker_is_told(mixed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("flows.shape.CHUNKER", "flows.stages.CHUNKER", "flows.differences.CHUNKER"):
        monkeypatch.setattr(place, "structure/next")
    report = mixed.check()
    told = f"the chunker changed from {FINGERPRINT} to structure/next"
    assert report.settings == (told,)
    assert set(stale(report).values()) == {told} and len(report.changes) == 5


def test_seeds_concern_exactly_the_documents_that_name_something_else(mixed: Any) -> None:
    mixed.seed(SEED % "YunGate")
    report = mixed.check()
    assert report.settings == ("the registry's seeds changed",)
    assert stale(report) == {"notes.md": "what it names changed with the registry"}
    assert mixed.run().chunks["rewritten"] == 1
    assert mixed.check().status == "fresh"
    mixed.seed(SEED % "云脉网关")
    assert sorted(stale(mixed.check())) == ["notes.md", "手册.md"]


def test_seeds_that_name_nothing_new_are_told_without_a_document(mixed: Any) -> None:
    mixed.seed(SEED % "Wombat")
    report = mixed.check()
    assert (report.status, report.settings, report.changes) == ("stale", ("the registry's seeds changed",), ())


def test_seeds_that_cannot_be_read_leave_it_untold_and_the_rest_is_compared(mixed: Any) -> None:
    mixed.set("entities", seeds=("missing.yaml",))
    mixed.set("chunk", child_max=120)
    report = mixed.check()
    assert (report.status, report.exit_code) == ("unknown", 6)
    assert [remark.kind for remark in report.remarks["problems"]] == ["registry"]
    assert report.settings == ("chunk.child_max changed from 300 to 120",) and len(report.changes) == 5


def test_several_reasons_are_told_together(mixed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    version(monkeypatch, "html", "html 2")
    mixed.set("chunk", child_max=120)
    mixed.set("embed", dimensions=64)
    reason = stale(mixed.check())["page.html"]
    assert "html 2" in reason and "chunk.child_max" in reason and "the embedder changed" in reason


def test_part_that_a_narrowed_run_left_is_stale_although_the_manifest_has_the_settings(mixed: Any) -> None:
    mixed.write("a/one.md", "# One\n\nText of one.\n")
    mixed.run()
    mixed.set("chunk", child_max=120)
    mixed.run(mixed.docs / "a")
    report = mixed.check()
    assert report.settings == ()
    assert set(stale(report).values()) == {"it was cut under other settings"} and "a/one.md" not in stale(report)
    assert mixed.check(mixed.docs / "a").status == "fresh"


def test_dry_run_tells_the_same_reasons(mixed: Any) -> None:
    from flows.checking import planned
    from ingest.progress import Silent

    mixed.set("chunk", child_max=120)
    mixed.write("手册.md", "# 手册\n\n改过了。\n")
    plan, check = planned(mixed.settings, mixed.options(), Silent()), mixed.check()
    assert (plan.changes, plan.settings, plan.same) == (check.changes, check.settings, check.same)
    assert {change.what for change in plan.changes} == {"changed", "stale"}


def test_dry_run_of_what_failed_tries_again_when_everything_is_read(mixed: Any) -> None:
    from flows.checking import planned
    from ingest.progress import Silent

    assert planned(mixed.settings, mixed.options(), Silent()).changes == ()
    plan = planned(mixed.settings, mixed.options(rehash=True), Silent())
    assert [(change.what, change.uri) for change in plan.changes] == [("retry", "docs/empty.md")]
    assert mixed.check(rehash=True).status == "fresh"


def test_manifest_from_before_values_were_kept_is_compared_by_digest(mixed: Any) -> None:
    path = mixed.kb / "generations/1/manifest.json"
    manifest = json.loads(path.read_bytes())
    del manifest["values"]
    path.write_text(json.dumps(manifest))
    with sqlite3.connect(mixed.kb / "catalog.db") as db:
        db.execute("update generations set manifest = ?", [json.dumps(manifest)])
    db.close()
    assert mixed.check().status == "fresh"
    mixed.set("chunk", child_max=120)
    mixed.set("bm25", k1=2.0)
    report = mixed.check()
    assert report.settings == ("settings of chunk changed", "bm25.k1 changed from 1.5 to 2.0")


def test_digits_that_digests_do_not_count_are_no_difference(base: Any) -> None:
    base.set("bm25", k1=1.23456789)
    base.write("手册.md")
    base.run()
    assert base.check().status == "fresh"
    assert base.found("机柜") == ["手册.md"]


@pytest.mark.parametrize(("before", "now", "said"), [
    ("pdf 1; liteparse 2.18; pypdfium2 5.5", "pdf 1; liteparse 2.19; pypdfium2 5.5", ("liteparse 2.18", "liteparse 2.19")),
    ("text 1", "text 2", ("text 1", "text 2")),
    ("", "pdf 1; liteparse 2", ("nothing", "pdf 1, liteparse 2")),
    ("pdf 1; liteparse 2", "", ("pdf 1, liteparse 2", "nothing")),
    ("a 1; b 2", "a 1", ("b 2", "a 1")),
])
def test_only_the_parts_that_differ_are_told(before: str, now: str, said: tuple[str, str]) -> None:
    assert told(before, now) == said


def test_stages_of_another_version_are_a_reason(tmp_path: Path) -> None:
    from flows.stages import stages_of

    settings = Settings(kb=str(tmp_path))
    stages = stages_of("text/markdown", settings)
    why = Staleness(settings).why("text/markdown", "a.md", {**stages, "spelling": "1"})
    assert why is not None and why.reason == "it was made by another version"
    assert Staleness(settings).why("text/markdown", "a.md", dict(reversed(stages.items()))) is None


@pytest.mark.parametrize(("text", "said"), [("exclusive: worksFor\n", "must be a list"), ("exclusive: [no]\n", "quotes")])
def test_doubtful_exclusive_relation_is_refused(tmp_path: Path, text: str, said: str) -> None:
    from entities.registry import load_seeds

    (tmp_path / "seed.yaml").write_text(text)
    with pytest.raises(SettingsInvalid, match=said):
        load_seeds([tmp_path / "seed.yaml"])


def test_exclusive_relations_change_no_digest(new_base: Callable[..., Any]) -> None:
    base = new_base("here")
    base.seed(SEED % "YunGate")
    base.write("notes.md", "# Notes\n\nThe YunGate.\n")
    base.run()
    base.seed(SEED % "YunGate" + "exclusive: [worksFor]\n")
    assert base.check().status == "fresh"
    assert base.run().published is False
