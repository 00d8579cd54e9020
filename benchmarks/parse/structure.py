"""Reading order, tables and headings on rendered documents whose truth is known: per engine and track, and per document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.measure import table
from benchmarks.parse.contenders import Contender, Turned
from benchmarks.parse.scores import Means, Scores, means, score
from benchmarks.parse.tracks import STYLES, TRACKS, Rendered

_MEASURES = ("overall", "text", "table", "heading")
_NAMED = ("overall", "reading order", "tables", "headings")


@dataclass(frozen=True, slots=True)
class Judged:
    """What an engine got on the rendered documents, and how fast: pages a CPU second, bytes at the peak."""

    name: str
    scores: Mapping[Rendered, Scores]
    failures: int
    speed: float
    start: float
    memory: int

    def of(self, track: str, style: str = "") -> Means:
        """Return the means over a track, or over one of its styles."""
        return means([one for doc, one in self.scores.items() if doc.track == track and style in ("", doc.style)])


def judge(one: Contender, turned: Turned, documents: Sequence[Rendered], pages: int) -> Judged:
    scores = {doc: score(doc.truth.read_text(encoding="utf-8"), turned.markdown(doc.pdf)) for doc in documents}
    failures = sum(doc.pdf in turned.failures for doc in documents)
    return Judged(one.name, scores, failures, pages / turned.cpu, turned.cpu_before, turned.memory)


def summary(judged: Sequence[Judged]) -> str:
    """One row an engine: the measures of each track, then what it cost."""
    tracks = _tracks(judged[0])
    heading = ["", *(f"{TRACKS[track]} {name}" for track in tracks for name in _NAMED), "pages a CPU s", "start CPU s", "peak MB"]
    rows = [
        [
            one.name + (f" ({one.failures} failed)" if one.failures else ""),
            *(_figure(getattr(one.of(track), measure)) for track in tracks for measure in _MEASURES),
            f"{one.speed:.1f}", f"{one.start:.1f}", f"{one.memory / 2**20:.0f}",
        ]
        for one in judged
    ]
    return table(heading, rows)


def by_style(judged: Sequence[Judged]) -> str:
    """One row an engine and style."""
    rows = []
    for track in _tracks(judged[0]):
        for style, named in STYLES.items():
            for one in judged:
                found = one.of(track, style)
                if found.documents:
                    figures = [_figure(getattr(found, measure)) for measure in (*_MEASURES, "prose")]
                    rows.append([f"{TRACKS[track]} {named}", found.documents, one.name, *figures])
    return table(["track and style", "documents", "", *_NAMED, "without tables"], rows)


def by_document(one: Judged) -> str:
    """One row a document, the worst first."""
    rows = [
        [TRACKS[doc.track], doc.pdf.stem, *(_figure(getattr(found, measure)) for measure in (*_MEASURES, "prose"))]
        for doc, found in sorted(one.scores.items(), key=lambda item: item[1].overall)
    ]
    return table(["track", one.name, *_NAMED, "without tables"], rows)


def as_json(judged: Sequence[Judged]) -> list[dict[str, Any]]:
    return [
        {
            "engine": one.name, "pages_per_cpu_second": one.speed, "start_cpu_seconds": one.start, "peak_bytes": one.memory,
            "failures": one.failures, "tracks": {track: asdict(one.of(track)) for track in _tracks(one)},
            "styles": {f"{track} {style}": asdict(one.of(track, style)) for track in _tracks(one) for style in STYLES},
            "documents": {
                f"{doc.track}/{doc.pdf.stem}": {**asdict(found), "overall": found.overall} for doc, found in one.scores.items()
            },
        }
        for one in judged
    ]


def _tracks(one: Judged) -> list[str]:
    return list(dict.fromkeys(doc.track for doc in one.scores))


def _figure(value: float | None) -> str:
    return "" if value is None or value != value else f"{value:.3f}"
