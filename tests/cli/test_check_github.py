"""`ingest check --format github`: annotations on the source files, and nothing of a document's name that could be a command."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from ingest.cli import github
from ingest.model.report import Change, CheckReport, Remark

COMMAND = re.compile(r"::(error|warning) (?:file=([^,:]*),)?title=([^,:]*)::(.*)")


def report(
    changes: tuple[Change, ...] = (), *, settings: tuple[str, ...] = (), warnings: tuple[Remark, ...] = (),
    problems: tuple[Remark, ...] = (), **more: Any,
) -> CheckReport:
    status = "unknown" if problems else "stale" if changes or settings or more.get("overdue") else "fresh"
    return CheckReport(
        7, status, changes, settings, tuple(remark.message for remark in warnings), "2026-01-01T00:00:00Z",
        tuple(remark.message for remark in problems), remarks={"warnings": warnings, "problems": problems}, **more,
    )


def unescaped(text: str) -> str:
    for code, character in (("%2C", ","), ("%3A", ":"), ("%0A", "\n"), ("%0D", "\r"), ("%25", "%")):
        text = text.replace(code, character)
    return text


def commands(out: str) -> list[tuple[str, str | None, str, str]]:
    """(level, file, title, message) of every command, in the way a runner reads them."""
    found = [COMMAND.fullmatch(line) for line in out.splitlines() if line.lstrip().startswith("::")]
    assert all(found)
    return [(match[1], match[2] and unescaped(match[2]), unescaped(match[3]), unescaped(match[4])) for match in found if match]


@pytest.fixture
def published(ingest: Callable[..., Any], docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    for name in ("GITHUB_WORKSPACE", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
        monkeypatch.delenv(name, raising=False)
    (docs / "规,则: 100%.md").write_text("# 规则\n\n内容。\n")
    ingest("run", "docs")
    return lambda *arguments: ingest("check", "--format", "github", *arguments)


def test_fresh_prints_no_annotation(published: Callable[..., Any]) -> None:
    ended = published()
    assert (ended.code, ended.out) == (0, "fresh: generation 1; nothing to tell\n")


def test_changes_are_annotations_on_their_files(published: Callable[..., Any], docs: Path) -> None:
    (docs / "规,则: 100%.md").write_text("# 规则\n\n改过了。\n")
    (docs / "手册.md").rename(docs / "guide.md")
    (docs / "private.md").unlink()
    ended = published()
    assert ended.code == 3
    assert [(level, file, title) for level, file, title, _ in commands(ended.out)] == [
        ("error", "docs/规,则: 100%.md", "Concord: changed"), ("error", "docs/private.md", "Concord: gone"),
        ("error", "docs/guide.md", "Concord: renamed"),
    ]
    assert "file=docs/规%2C则%3A 100%25.md,title=" in ended.out
    assert ended.out.splitlines()[-1] == "stale: generation 1; 1 changed, 1 gone, 1 renamed"


def test_paths_are_those_of_the_repository(
    published: Callable[..., Any], docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (docs / "new.md").write_text("# New\n\nNew.\n")
    places = {}
    for workspace in (tmp_path, docs, tmp_path.parent, tmp_path / "elsewhere"):
        monkeypatch.setenv("GITHUB_WORKSPACE", str(workspace))
        ((_, places[workspace], _, message),) = commands(published().out)
        assert "docs/new.md" in message
    assert list(places.values()) == ["docs/new.md", "new.md", f"{tmp_path.name}/docs/new.md", None]
    link = tmp_path.parent / f"{tmp_path.name}-link"
    link.symlink_to(tmp_path)
    monkeypatch.setenv("GITHUB_WORKSPACE", str(link))
    assert commands(published().out)[0][1] == "docs/new.md"


def test_file_is_named_as_the_disk_has_it(ingest: Callable[..., Any], published: Callable[..., Any], docs: Path) -> None:
    decomposed = docs / "Ordner\u0308" / "re\u0301sume\u0301\n.md"
    decomposed.parent.mkdir()
    decomposed.write_text("# Résumé\n\nText.\n")
    ((_, file, _, message),) = [found for found in commands(published().out) if found[0] == "error"]
    assert file == f"docs/{decomposed.parent.name}/re\u0301sume\u0301\n.md"
    assert "résumé%0A.md" in message, "as it is cited: composed, the line break spelled out"


def test_settings_are_annotated_on_the_settings_file(published: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "ingest.toml").write_text("[chunk]\nchild_max = 120\n")
    found = commands(published().out)
    assert ("ingest.toml", "chunk.child_max changed from 300 to 120") in [(file, message) for _, file, _, message in found]


def test_summary_and_outputs_are_written_where_a_workflow_asks(
    published: Callable[..., Any], docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (docs / "new`.md").write_text("# New\n\nNew.\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "outputs"))
    (tmp_path / "outputs").write_text("before=1\n")
    published()
    assert (tmp_path / "outputs").read_text() == "before=1\nstatus=stale\ngeneration=1\n"
    summary = (tmp_path / "summary").read_text()
    assert summary.startswith("## Concord: stale\n") and "### Added: 1" in summary and "- `` docs/new`.md ``" in summary


def test_summary_that_cannot_be_written_is_no_failure(published: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "missing/summary")
    ended = published()
    assert ended.code == 0 and "missing/summary" in ended.err


@pytest.mark.parametrize(("arguments", "code", "outputs"), [
    (("--kb", "nowhere"), 6, "status=unknown\ngeneration=0\n"), (("--max-age", "soon"), 2, ""), (("nowhere",), 2, ""),
])
def test_what_ends_without_a_report_is_annotated_too(
    published: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], code: int,
    outputs: str,
) -> None:
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "outputs"))
    (tmp_path / "outputs").touch()
    ended = published(*arguments)
    assert ended.code == code and [level for level, *_ in commands(ended.out)] == ["error"]
    assert (tmp_path / "outputs").read_text() == outputs


def test_warnings_are_warnings_and_errors_when_strict(
    ingest: Callable[..., Any], published: Callable[..., Any], docs: Path
) -> None:
    (docs / "empty.md").touch()
    ingest("run")
    assert [(level, file) for level, file, *_ in commands(published().out)] == [("warning", "docs/empty.md")]
    assert [(level, file) for level, file, *_ in commands(published("--strict").out)] == [("error", "docs/empty.md")]


def test_at_most_ten_of_a_level_are_shown_and_the_rest_is_a_number() -> None:
    changes = tuple(Change(f"docs/{number:03}.md", "added") for number in range(500))
    warnings = tuple(Remark("failed", f"docs/{number}.md is not served", (f"docs/{number}.md",)) for number in range(11))
    found = github.annotated(report(changes, warnings=warnings))
    assert [annotation.level for annotation in found] == ["error"] * 10 + ["warning"] * 10
    assert found[9].message.startswith("491 more; ") and found[19].message.startswith("2 more; ")
    assert len(github.annotated(report(changes[:10]))) == 10


def test_the_most_telling_come_first_and_shared_reasons_once() -> None:
    changes = (
        *(Change(f"docs/{number:05}.md", "stale", "the embedder changed") for number in range(10_000)),
        Change("docs/a.pdf", "stale", "its parser changed"), Change("docs/b.md", "added"), Change("docs/c.md", "changed"),
    )
    problem = Remark("root", "the folder of root 'wiki' is not there")
    found = github.annotated(report(changes, settings=("the embedder changed from a to b",), problems=(problem,), overdue="old"))
    assert [annotation.title for annotation in found] == [
        "Concord could not tell: root", "Concord: not confirmed lately", "Concord: made under other settings",
        "Concord: changed", "Concord: added", "Concord: stale", "Concord: stale",
    ]
    assert found[5].message == "docs/00000.md and 9,999 more documents would be made anew: the embedder changed"


ODD = st.text(st.one_of(st.sampled_from("\n\r%:,`#[]<>!\u2028\x1b\u0000:: "), st.characters(codec="utf-8")), max_size=30)


@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=150)
@given(texts=st.lists(st.tuples(ODD, ODD, ODD), max_size=4))
@example(texts=[("\0/", "", "")])
def test_no_text_of_a_document_becomes_a_line_or_markup(
    capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path, texts: list[tuple[str, str, str]]
) -> None:
    changes = tuple(Change(f"docs/{name}", "stale", reason) for name, reason, _ in texts)
    warnings = tuple(Remark("family", message, (f"docs/{name}",)) for name, _, message in texts)
    told = report(changes, warnings=warnings, settings=tuple(message for _, _, message in texts), roots={"docs": "/nowhere/docs"})
    capfdbinary.readouterr()
    github.print_report(told, {"GITHUB_WORKSPACE": "/nowhere"}, tmp_path / "none.toml")
    out = capfdbinary.readouterr().out.decode()
    shown = github.annotated(told)
    *printed, verdict, last = re.split(r"\r\n|\n|\r", out)
    assert len(printed) == len(shown) and last == "" and not verdict.startswith(":")
    for line, annotation in zip(printed, shown, strict=True):
        match = COMMAND.fullmatch(line)
        assert match is not None and unescaped(match[4]) == github.safe(annotation.message)
    outside = re.sub(r"(?m)^(- )?(`+) .* \2$", "", github.summary(told))
    assert re.sub(r"(?m)^(## Concord: \w+|### [\w :,]+|Generation 7, last confirmed .*|- … and .*|)$", "", outside).strip() == ""


def test_bytes_that_are_no_text_are_printed_all_the_same(published: Callable[..., Any], docs: Path) -> None:
    (Path(os.fsdecode(os.fsencode(docs) + b"/\xff\xfe.md"))).write_text("# Odd\n\nText.\n")
    ended = published()
    assert ended.code == 3 and "docs/%FF%FE.md" in commands(ended.out)[0][3]
