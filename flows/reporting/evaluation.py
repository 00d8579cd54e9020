"""`eval.html`: what `ingest eval` found, on one page of the same kind as a run's report. `eval.json` beside it is complete.

It names documents and quotes what came instead of an answer: it is for those who run the knowledge base.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from flows.evaluation import told
from flows.evaluation.ranks import CUTS
from flows.evaluation.summary import LATENCIES, METRICS, Group
from flows.reporting.charts import line, share
from flows.reporting.markup import Markup, element
from flows.reporting.page import head
from flows.reporting.parts import SHOWN, counted, figures, section, table, the_rest
from ingest.errors import StorageFailed

if TYPE_CHECKING:
    from flows.evaluating import Evaluation
    from flows.evaluation.outcome import Outcome

_DRAWN = ("nDCG@10", "Recall@20", "refusal recall", "refused wrongly", "entity linking", "right version")


def write(made: Evaluation, folder: Path) -> None:
    """Write both files. Raises StorageFailed."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "eval.json").write_bytes(orjson.dumps(made, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
        (folder / "eval.html").write_text(page(made), encoding="utf-8")
    except OSError as error:
        raise StorageFailed(
            f"the report cannot be written to {folder}: {error.strerror or error}; name another folder with --report"
        ) from error


def page(made: Evaluation) -> str:
    """Return the whole document."""
    title = f"{figures(made.questions)} questions to generation {made.generation}"
    body = element(
        "body",
        element("header", element("p", "Concord", class_="brand"), element("h1", title), _summary(made), class_="top"),
        element("main", _tiles(made.groups[0]), _sections(made)),
        element("footer", element("p", "Intervals hold the middle 95 % of 2,000 resamples of the questions.")),
    )
    return "<!doctype html>\n" + element("html", head(title), body, lang="en").text + "\n"


def _summary(made: Evaluation) -> Markup:
    leaks = made.groups[0].leaks
    failed = sum(not verdict.ok for verdict in made.verdicts)
    state, words = ("bad", counted(leaks, "leak")) if leaks else (
        ("bad", f"{counted(failed, 'threshold')} missed") if failed else
        ("good", "Thresholds met") if made.verdicts else ("calm", "No thresholds")
    )
    return element(
        "p", element("strong", words, class_=f"state {state}"), " ",
        element("time", made.at.replace("T", " ").replace("Z", " UTC"), datetime=made.at),
        f" · snapshot {made.snapshot[:12]}", class_="summary",
    )


def _tiles(whole: Group) -> Markup:
    tiles = [("Questions", figures(whole.questions), f"{figures(whole.missed)} missed")]
    for name in ("nDCG@10", "Recall@20", "refusal recall"):
        if name in whole.figures:
            found = whole.figures[name]
            tiles.append((name, told.short(found.value), f"{told.short(found.low)} to {told.short(found.high)}"))
    p50, p95 = (whole.figures[name] for name in LATENCIES)
    tiles.append(("Leaks", figures(whole.leaks), ""))
    tiles.append(("Half within", f"{p50.value:.0f} ms", f"95 % within {p95.value:.0f} ms"))
    return element("dl", (
        element("div", element("dt", name), element("dd", value), element("dd", more, class_="more") if more else None)
        for name, value, more in tiles
    ), class_="tiles")


def _sections(made: Evaluation) -> Iterator[Markup | None]:
    missed = [one for one in made.outcomes if one.missed]
    if made.verdicts:
        yield _thresholds(made)
    yield _course(made.groups[0])
    broad = [group for group in made.groups if not (group.category and group.language)]
    for name in _DRAWN:
        spoken = [group for group in broad if name in group.figures]
        if spoken:
            yield _drawn(name, spoken)
    yield _every(made.groups)
    if made.against:
        yield _compared(made)
    if missed:
        yield _misses(missed)


def _thresholds(made: Evaluation) -> Markup:
    rows = (
        element(
            "tr", element("th", verdict.threshold, scope="row"), element("td", verdict.group),
            element("td", "none" if verdict.value is None else f"{verdict.value:.4g}", class_="number"),
            element("td", "met" if verdict.ok else element("span", "missed", class_="state bad")),
        )
        for verdict in sorted(made.verdicts, key=lambda verdict: verdict.ok)
    )
    heads = ("Threshold", "Group", "Value", "")
    return section("Thresholds", table("Thresholds", heads, rows, numbers=(2,), headed=True))


def _course(whole: Group) -> Markup | None:
    recalls = [(k, whole.figures[f"Recall@{k}"].value) for k in CUTS if f"Recall@{k}" in whole.figures]
    if not recalls:
        return None
    said = ", ".join(f"{value:.3f} at {k}" for k, value in recalls)
    drawn = line(
        [(k, round(1000 * value)) for k, value in recalls], id="recall", title="Recall by depth",
        description=f"Recall: {said}; the top is 1.", most=1000,
    )
    axis = element("p", element("span", f"first {recalls[0][0]}"), element("span", str(recalls[-1][0])), class_="axis")
    return section("Recall by depth", element("figure", element("figcaption", said), drawn, axis))


def _drawn(name: str, groups: Sequence[Group]) -> Markup:
    rows = []
    for group in groups:
        found = group.figures[name]
        rows.append(element(
            "tr", element("th", group.name, scope="row"), element("td", figures(found.questions), class_="number"),
            element("td", told.short(found.value), class_="number"),
            element("td", f"{told.short(found.low)} to {told.short(found.high)}", class_="number"),
            element("td", share(found.value, found.low, found.high), class_="drawn"),
        ))
    return section(name, table(name, ("Group", "Questions", name, "95 %", None), rows, numbers=(1, 2, 3), headed=True))


def _every(groups: Sequence[Group]) -> Markup:
    named = [name for name in METRICS if any(name in group.figures for group in groups)]
    rows = (
        element("tr", element("th", group.name, scope="row", class_="whole"), *(
            element("td", told.short(group.figures[name].value) if name in group.figures else "", class_="number")
            for name in named
        ))
        for group in groups
    )
    heads = ("Group", *named)
    return section("Every figure", table("Every figure", heads, rows, numbers=range(1, len(heads)), headed=True))


def _compared(made: Evaluation) -> Markup:
    heading, changed = f"Compared with {made.against}", list(told.changes(made.compared))
    if not changed:
        return section(heading, element("p", "Nothing differs."))
    rows = (
        element("tr", element("th", group, scope="row"), element("td", name), *(
            element("td", cell, class_="number") for cell in cells
        ))
        for group, name, *cells in changed
    )
    numbers = range(2, len(told.CHANGE_HEADINGS))
    note = element("p", "Only what differs; * where the interval of the difference leaves out 0.", class_="more")
    return section(heading, table(heading, told.CHANGE_HEADINGS, rows, numbers=numbers, headed=True), note)


def _misses(missed: Sequence[Outcome]) -> Markup:
    rows = (
        element(
            "tr", element("th", element("bdi", one.query), element("span", one.id, class_="more"), scope="row", class_="name"),
            element("td", "; ".join(one.missed)),
            element("td", *(
                part for came in one.came
                for part in (element("p", element("bdi", came.uri), f" {came.heading}"), element("p", came.text, class_="more"))
            )),
        )
        for one in missed[:SHOWN]
    )
    listed = table("Misses, and what came first", ("Question", "Why", "What came"), rows, class_="stacked")
    return section("Misses", listed, the_rest(len(missed)))

