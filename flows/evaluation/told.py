"""Figures as tables of text: one row a group, one column a metric, in whatever writes tables (a terminal, Markdown)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flows.evaluation.intervals import Change, Figure
from flows.evaluation.summary import LATENCIES, METRICS, Compared, Group
from flows.evaluation.thresholds import Verdict

_ALWAYS = ("group", "n", "missed", "leaks", *LATENCIES)
_LEFT_OUT = ("leaks", "Recall@1", "Recall@5")
"""Metrics that JSON has and a table of this width has not."""


def columns(groups: Sequence[Group]) -> list[str]:
    """The metrics that any group has."""
    return [name for name in METRICS if name not in _LEFT_OUT and any(name in group.figures for group in groups)]


def headings(groups: Sequence[Group]) -> list[str]:
    return [*_ALWAYS, *columns(groups)]


def rows(groups: Sequence[Group]) -> Iterator[list[str]]:
    named = columns(groups)
    for group in groups:
        yield [
            group.name, str(group.questions), str(group.missed), str(group.leaks),
            *(f"{group.figures[name].value:.1f}" for name in LATENCIES),
            *(_figure(group.figures.get(name)) for name in named),
        ]


def _figure(figure: Figure | None) -> str:
    return "" if figure is None else f"{short(figure.value)} ({short(figure.low)}-{short(figure.high)})"


def short(value: float) -> str:
    """.974, 1.000"""
    return f"{value:.3f}".removeprefix("0")


CHANGE_HEADINGS = ("group", "metric", "before", "after", "difference", "95 %", "n")


def changes(compared: Sequence[Compared]) -> Iterator[list[str]]:
    """Only where something differs."""
    for group in compared:
        for name, change in group.changes.items():
            if change.difference or change.low or change.high:
                yield [group.name, name, short(change.first), short(change.second), *_changed(change), str(change.questions)]


def _changed(change: Change) -> tuple[str, str]:
    surely = "" if change.low <= 0 <= change.high else " *"
    return f"{change.difference:+.3f}{surely}", f"{change.low:+.3f} to {change.high:+.3f}"


def verdict(each: Verdict) -> str:
    """A threshold in a line."""
    came = "no question speaks of it" if each.value is None else f"{each.value:.4g}"
    return f"{'ok  ' if each.ok else 'FAIL'} {each.threshold} in {each.group}: {came}"


def markdown(headings: Sequence[str], lines: Iterator[list[str]]) -> Iterator[str]:
    """A table of Markdown, line by line."""
    yield f"| {' | '.join(headings)} |"
    yield f"|{' --- |' * len(headings)}"
    for cells in lines:
        yield f"| {' | '.join(_cell(cell) for cell in cells)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
