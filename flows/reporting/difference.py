"""What a page says of documents that are not as they were, or would not be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from flows.reporting.charts import bar
from flows.reporting.documents import Touched
from flows.reporting.markup import Child, Markup, element
from flows.reporting.parts import SHOWN, counted, figures, format_of, named, section, table, the_rest
from ingest.model.report import Change

_GROUPS = {
    "added": "Added", "changed": "Changed", "renamed": "Renamed", "gone": "Gone", "rewritten": "Not read anew, but rewritten",
    "stale": "To be made again", "retry": "To be tried again",
}
_WHY_REWRITTEN = "Their files are the same. Another version opened or closed their window, or other names are known."


def documents(touched: Sequence[Touched]) -> Markup:
    """Which documents are not as they were in the generation before, and what became of their chunks."""
    return section("What changed", *(
        part for what, heading in _GROUPS.items()
        if (group := [one for one in touched if one.what == what])
        for part in _group(heading, group)
    ))


def _group(heading: str, group: Sequence[Touched]) -> Iterable[Child]:
    shown = group[:SHOWN]
    most = max(max(one.added + one.rewritten, one.removed) for one in shown)
    yield element("h3", f"{heading} ", element("span", figures(len(group)), class_="count"))
    if group[0].what == "rewritten":
        yield element("p", _WHY_REWRITTEN, class_="more")
    rows = (
        element(
            "tr", named(one.uri, _notes(one)),
            element("td", format_of(one.media_type), f" · {counted(one.pages, 'page')}" if one.pages else None, class_="format"),
            element("td", _churn(one), class_="number"),
            element("td", bar((("new", one.added), ("same", one.rewritten)), most), bar((("old", one.removed),), most),
                    class_="drawn"),
        )
        for one in shown
    )
    headings = ("Document", "Format", "Chunks", None)
    yield table(f"{heading}: documents and their chunks", headings, rows, numbers=(2,), class_="changes", headed=True)
    yield the_rest(len(group))


def _notes(one: Touched) -> list[Child]:
    notes: list[Child] = []
    if one.was:
        notes.append(element("span", "was ", element("bdi", one.was), class_="more"))
    if one.state in ("partial", "quarantined", "failed", "withdrawn"):
        notes.append(element("span", one.state, class_="state warn" if one.state in ("partial", "quarantined") else "state bad"))
    if one.reason:
        notes.append(element("span", one.reason, class_="more"))
    return notes


def _churn(one: Touched) -> list[Child]:
    parts: list[Child] = []
    for count, sign, colour, words in (
        (one.added, "+", "new", "added"), (one.removed, "−", "old", "removed"), (one.rewritten, "~", "same", "rewritten"),
    ):
        if count:
            parts += [element("span", f"{sign}{figures(count)}", class_=colour), element("span", f" {words} ", class_="aloud")]
    return parts or [element("span", "no change", class_="more")]


def plan(changes: Sequence[Change], differing: Sequence[str]) -> Markup:
    """What a run would do, and which settings it would do it with that others were not made with."""
    parts: list[Child] = []
    if differing:
        parts.append(element("ul", (element("li", element("bdi", words)) for words in differing), class_="lines"))
    for what in dict.fromkeys((*_GROUPS, *(change.what for change in changes))):
        group = [change for change in changes if change.what == what]
        if group:
            rows = (element("tr", named(change.uri), element("td", element("bdi", change.reason))) for change in group[:SHOWN])
            heading = _GROUPS.get(what, what)
            parts += [
                element("h3", f"{heading} ", element("span", figures(len(group)), class_="count")),
                table(f"{heading}: documents", ("Document", "Why"), rows, headed=True), the_rest(len(group)),
            ]
    return section("What would change", *parts)
