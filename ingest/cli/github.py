"""What `ingest check --format github` prints: workflow commands that become annotations on the source files, a summary of the
step, and its outputs.

GitHub shows ten errors and ten warnings of a step, so the most telling come first, what shares a reason is told once where there
are many, and the rest is a number. Texts come from documents and their names, so nothing of them reaches a line of its own, which
could be a command, nor the summary's Markdown unescaped.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.cli.changes import ORDER, grouped
from ingest.cli.output import safe

if TYPE_CHECKING:
    from ingest.errors import ConcordError
    from ingest.model.report import Change, CheckReport, Remark

SHOWN = 10
"""Annotations of one level that GitHub shows of one step."""

_LISTED = 50
"""Entries of each list in the summary, which may have a megabyte."""

_WHAT = {
    "added": "is not in the knowledge base yet", "changed": "has changed since it was published",
    "gone": "is gone and still served", "renamed": "was renamed", "stale": "would be made anew", "retry": "would be tried again",
}


@dataclass(frozen=True, slots=True)
class Annotation:
    """`uri`: the source that it is about; `file`: another file, below the working directory."""

    level: str
    title: str
    message: str
    uri: str | None = None
    file: Path | None = None


def print_report(report: CheckReport, environ: Mapping[str, str], config: Path) -> None:
    """Print annotations and the verdict; write the summary and the outputs where a workflow asks for them."""
    place = _Place(report.roots, Path(environ.get("GITHUB_WORKSPACE") or Path.cwd()))
    for annotation in annotated(report, config if config.exists() else None):
        _print(_command(annotation, place))
    counts = Counter(change.what for change in report.changes)
    found = [f"{counts[what]:,} {what}" for what in ORDER if counts[what]]
    found += [f"{len(those):,} {name}" for name, those in _others(report) if those]
    _print(f"{_status(report)}: generation {report.generation}; {', '.join(found) or 'nothing to tell'}")
    _append(environ.get("GITHUB_STEP_SUMMARY"), summary(report))
    _append(environ.get("GITHUB_OUTPUT"), f"status={report.status}\ngeneration={report.generation}\n")


def print_error(error: ConcordError, environ: Mapping[str, str]) -> None:
    """Print an error that left nothing to report."""
    _print(_command(Annotation("error", f"Concord: {type(error).__name__}", str(error)), _Place({}, Path())))
    if error.exit_code == 6:
        _append(environ.get("GITHUB_OUTPUT"), "status=unknown\ngeneration=0\n")


def annotated(report: CheckReport, config: Path | None = None) -> list[Annotation]:
    """Return the annotations of a report, at most `SHOWN` of each level, the most telling first."""
    warnings = [
        _of_remark("error" if report.strict else "warning", f"Concord: {remark.kind}", remark)
        for remark in report.remarks.get("warnings", ())
    ]
    errors = [*_errors(report, config), *(warnings if report.strict else ())]
    return [*_at_most(errors), *_at_most([] if report.strict else warnings)]


def _errors(report: CheckReport, config: Path | None) -> Iterator[Annotation]:
    for remark in report.remarks.get("problems", ()):
        yield _of_remark("error", f"Concord could not tell: {remark.kind}", remark)
    if report.overdue:
        yield Annotation("error", "Concord: not confirmed lately", report.overdue)
    for line in report.settings:
        yield Annotation("error", "Concord: made under other settings", line, file=config)
    groups = grouped(report.changes)
    together = len(report.changes) + len(report.settings) + len(report.problems) > SHOWN
    for what, reason, group in groups:
        if together and reason and len(group) > 1:
            others = f"{group[0].uri} and {len(group) - 1:,} more documents"
            yield Annotation("error", f"Concord: {what}", f"{others} {_WHAT[what]}: {reason}", group[0].uri)
        else:
            yield from (_of_change(change) for change in group)


def _of_change(change: Change) -> Annotation:
    message = f"{change.uri} {_WHAT.get(change.what, change.what)}" + (f": {change.reason}" if change.reason else "")
    return Annotation("error", f"Concord: {change.what}", f"{message}; bring it up to date with: ingest run", change.uri)


def _of_remark(level: str, title: str, remark: Remark) -> Annotation:
    return Annotation(level, title, remark.message, remark.uris[0] if remark.uris else None)


def _at_most(found: list[Annotation]) -> list[Annotation]:
    if len(found) <= SHOWN:
        return found
    rest = f"{len(found) - SHOWN + 1:,} more; all of them: ingest check --format json"
    return [*found[: SHOWN - 1], Annotation(found[0].level, "Concord: and more", rest)]


class _Place:
    """Where sources lie in the repository."""

    def __init__(self, roots: Mapping[str, str], workspace: Path) -> None:
        self._roots = roots
        self._workspace = workspace

    def of_source(self, uri: str) -> str | None:
        """The path of a source as the repository has it; None outside of it, or elsewhere altogether."""
        from ingest.sources.url import is_url

        root, _, path = uri.partition("/")
        if root not in self._roots or is_url(self._roots[root]):
            return None
        return self.of_file(_on_disk(Path(self._roots[root]), path))

    def of_file(self, file: Path) -> str | None:
        """As typed if that leads below the workspace, else by where links lead."""
        for resolve in (os.path.abspath, os.path.realpath):
            found, workspace = Path(resolve(file)), Path(resolve(self._workspace))
            if found.is_relative_to(workspace):
                return found.relative_to(workspace).as_posix()
        return None


def _on_disk(folder: Path, path: str) -> Path:
    """The file that is spelled `path` in identities: its name may be composed otherwise, or be no text at all."""
    from ingest.sources.names import spelled

    for part in path.split("/"):
        below = folder / part
        if not os.path.lexists(below):
            try:
                below = next((entry for entry in folder.iterdir() if spelled(entry.name) == part), below)
            except (OSError, ValueError):  # a NUL, or a surrogate that stands for no byte, is in no name
                pass
        folder = below
    return folder


def _command(annotation: Annotation, place: _Place) -> str:
    file = place.of_source(annotation.uri) if annotation.uri is not None else None
    if annotation.file is not None:
        file = place.of_file(annotation.file)
    properties = [*([f"file={_property(file)}"] if file is not None else ()), f"title={_property(annotation.title)}"]
    return f"::{annotation.level} {','.join(properties)}::{_data(annotation.message)}"


def _data(text: str) -> str:
    return safe(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def summary(report: CheckReport) -> str:
    """Return the Markdown of the step's summary."""
    generation = f"Generation {report.generation}, last confirmed {_code(report.confirmed_at)}."
    parts = [f"## Concord: {_status(report)}", "", generation, ""]
    parts += _listed("Could not tell", report.problems)
    parts += _listed("Not confirmed lately", [report.overdue] if report.overdue else [])
    parts += _listed("Made under other settings", report.settings)
    for what, reason, group in grouped(report.changes):
        named = [change.uri + (f" ({change.reason})" if change.reason and not reason else "") for change in group]
        parts += _listed(f"{what.capitalize()}: {len(group):,}", named, reason)
    parts += _listed("Warnings", report.warnings)
    return "\n".join(parts) + "\n"


def _listed(heading: str, texts: Sequence[str], reason: str = "") -> list[str]:
    if not texts:
        return []
    rest = [f"- … and {len(texts) - _LISTED:,} more"] if len(texts) > _LISTED else []
    why = [_code(reason), ""] if reason else []
    return [f"### {heading}", "", *why, *(f"- {_code(text)}" for text in texts[:_LISTED]), *rest, ""]


def _code(text: str) -> str:
    """A text as a code span, in which nothing of it is Markdown or HTML."""
    line = " ".join(safe(text).split())
    fence = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    return f"{fence} {line} {fence}"


def _status(report: CheckReport) -> str:
    return "could not tell" if report.status == "unknown" else report.status


def _others(report: CheckReport) -> list[tuple[str, Sequence[str]]]:
    return [
        ("problems", report.problems), ("settings", report.settings), ("warnings", report.warnings),
        ("confirmation too old", [report.overdue] if report.overdue else []),
    ]


def _print(line: str) -> None:
    sys.stdout.buffer.write(f"{line}\n".encode("utf-8", "replace"))
    sys.stdout.buffer.flush()


def _append(path: str | None, text: str) -> None:
    if not path:
        return
    try:
        with Path(path).open("a", encoding="utf-8", errors="replace") as file:
            file.write(text)
    except OSError as error:
        print(f"ingest: {path} cannot be written: {error.strerror}", file=sys.stderr)
