"""`report.html`: one page that needs nothing but itself. It opens from the disk, in light and dark, on a phone and on paper.

Tables with bars where numbers are compared, a line where they go on over generations. Long lists are cut here and complete in
`report.json`. The policy of the page forbids everything but its own style sheet, by its digest: should markup ever get into it
that is not ours, it loads nothing, runs nothing and looks like nothing.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from flows.reporting import contents
from flows.reporting.markup import Markup, element, stylesheet
from flows.reporting.parts import counted, duration, figures
from flows.reporting.record import Report

_REFUSED = (2, 7)
"""Exit codes of what was not begun: a wrong command, a hold."""


def page(report: Report) -> str:
    """Return the whole document."""
    title = _title(report)
    body = element(
        "body",
        element("header", element("p", "Concord", class_="brand"), element("h1", title), _summary(report), class_="top"),
        element("main", _tiles(report), _sections(report)),
        element("footer", element(
            "p", "Complete lists are in the JSON of this report. It names documents, whoever may see them, and has no text of "
            "them; it is for those who run the knowledge base.",
        )),
    )
    return "<!doctype html>\n" + element("html", head(title), body, lang="en").text + "\n"


def _sections(report: Report) -> Iterator[Markup]:
    """What there is to say, the most urgent first. What a run without changes has no use for is not imported."""
    if report.error is not None or report.failures or report.warnings:
        from flows.reporting import trouble

        if report.error is not None:
            yield trouble.stopped(report.error, report.generation)
        if report.failures:
            yield trouble.failures(report.failures)
        if report.warnings:
            yield trouble.warnings(report.warnings)
    if report.documents or report.plan or report.differing:
        from flows.reporting import difference

        if report.documents:
            yield difference.documents(report.documents)
        if report.plan or report.differing:
            yield difference.plan(report.plan, report.differing)
    if report.seconds:
        yield contents.times(report.seconds)
    if report.history:
        yield contents.history(report.history)
    if report.parsers:
        yield contents.parsers(report.parsers)
    if report.builds:
        yield contents.builds(report.builds)
    if report.made_with is not None:
        yield contents.made_with(report.made_with)


def head(title: str) -> Markup:
    """The head of a page that needs nothing but itself."""
    css, digest = _style()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", f"{title} · Concord"),
        stylesheet(css),
    )


@cache
def _style() -> tuple[str, str]:
    """The style sheet and its digest as the policy wants it."""
    css = Path(__file__).with_name("report.css").read_text(encoding="utf-8")
    return css, base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()


# What it comes to


def _title(report: Report) -> str:
    served = f"generation {report.generation}"
    if report.outcome == "planned":
        return "What a run would do"
    if report.outcome == "failed":
        refused = report.error is not None and report.error.exit_code in _REFUSED
        return f"The {report.kind} {'was refused' if refused else 'failed'}"
    if report.outcome == "unchanged":
        return f"Nothing to do: {served} still holds"
    what = {"rollback": "by a rollback", "repair": "by a repair", "import": "by an import", "move": "by a move"}.get(report.kind)
    return f"Published {served}{f' {what}' if what else ''}"


def _summary(report: Report) -> Markup:
    return element(
        "p", element("strong", _state(report)[1], class_=f"state {_state(report)[0]}"), " ",
        element("time", report.at.replace("T", " ").replace("Z", " UTC"), datetime=report.at),
        f" · {report.note}" if report.note else None,
        f" · snapshot {report.snapshot[:12]}" if report.snapshot else None,
        class_="summary",
    )


def _state(report: Report) -> tuple[str, str]:
    """(class, words): never told by colour alone."""
    failed = len(report.failures)
    if report.outcome == "failed":
        return "bad", report.error.error if report.error is not None else "Failed"
    if report.outcome == "planned":
        return "calm", "Nothing was written"
    if failed:
        return "warn", f"{counted(failed, 'document')} failed"
    if report.warnings:
        return "warn", counted(len(report.warnings), "warning")
    return ("good", "Published") if report.outcome == "published" else ("calm", "Unchanged")


def _tiles(report: Report) -> Markup:
    last = report.history[-1] if report.history else None
    tiles: list[tuple[str, str, str]] = []
    if report.outcome == "planned":
        tiles = [("Changes", figures(len(report.plan)), ""), ("Documents that are the same", figures(report.sources["same"]), "")]
    if last is not None:
        tiles.append(("Documents", figures(last.sources), _told(report.sources, "added", "changed", "renamed", "gone")))
        tiles.append(("Chunks", figures(last.chunks), _told(report.chunks, "added", "removed", "rewritten")))
        tiles.append(("Entities", figures(last.entities), ""))
    if report.outcome in ("published", "unchanged") and report.kind == "run":
        tiles.append(("Texts embedded", figures(report.embedded), "the rest was known" if report.outcome == "published" else ""))
    if report.seconds:
        tiles.append(("Time", duration(sum(report.seconds.values())), ""))
    return element("dl", (
        element("div", element("dt", name), element("dd", value), element("dd", more, class_="more") if more else None)
        for name, value, more in tiles
    ), class_="tiles")


def _told(counts: dict[str, int], *names: str) -> str:
    return ", ".join(f"{figures(counts[name])} {name}" for name in names if counts.get(name))
