"""A chart as the table of the values that it last showed: categories by row, series by column.

A chart keeps a copy of its values beside the reference to where they came from, so nothing else has to be opened. Both
families are read: the charts of 2007 (`c:`) and the waterfalls, histograms and funnels of 2016 (`cx:`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ingest.model.document import Table
from ingest.parse.office.drawing import A, paragraph_text, shape_text
from ingest.parse.office.number_format import general, shown
from ingest.parse.office.package import Package

C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
CX = "{http://schemas.microsoft.com/office/drawing/2014/chartex}"
MOST_POINTS = 100_000
"""Of one chart, in all; nobody reads more off a picture."""


@dataclass(frozen=True, slots=True)
class Chart:
    """What is seen of a chart.

    `title` is empty where none is written (the name of a sole series, which Office shows then, is in the table); `axes` are the
    titles of the axes; `table` is None where no values are kept; `sources` are the ranges that they came from
    (`Sheet1!$B$2:$B$5`).
    """

    title: str
    axes: tuple[str, ...]
    table: Table | None
    sources: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    """What is written on single points, or on text boxes over the chart."""

    @property
    def caption(self) -> str:
        """What is written on the chart beside its values."""
        axes = ", ".join(axis for axis in dict.fromkeys(self.axes) if axis != self.title)
        caption = f"{self.title} ({axes})" if self.title and axes else self.title or axes
        return "\n".join(line for line in (caption, *self.remarks) if line)


@dataclass(frozen=True, slots=True)
class _Series:
    name: str
    categories: dict[int, str]
    values: dict[int, str]
    own_x: bool


def chart_of(package: Package, part: str, *, epoch_1904: bool = False) -> Chart:
    """Read a chart's part, and what is drawn over it."""
    chart = read_chart(package.xml(part), epoch_1904=epoch_1904)
    over = [shape_text(package.xml(shapes)) for shapes in package.related(part, "chartUserShapes")]
    return replace(chart, remarks=(*chart.remarks, *(text for text in over if text)))


def read_chart(root: Any, *, epoch_1904: bool = False) -> Chart:
    """Read a chart's part, of either family."""
    if root.tag.startswith(CX):
        return _extended(root)
    epoch_1904 = epoch_1904 or any(e.get("val") in ("1", "true") for e in root.iterfind(f"{C}date1904"))
    plot = root.find(f"{C}chart/{C}plotArea")
    series = [_series(one, epoch_1904) for one in (() if plot is None else plot.iter(f"{C}ser"))]
    title = _title(root.find(f"{C}chart/{C}title"))
    axes = tuple(text for axis in (() if plot is None else plot) if (text := _title(axis.find(f"{C}title"))))
    sources = tuple(f.text or "" for f in root.iter(f"{C}f"))
    labels = () if plot is None else plot.iter(f"{C}dLbl")
    remarks = (" ".join(shape_text(label.find(f"{C}tx")).split()) for label in labels)
    # "[VALUE]" stands in a label for what the table has.
    return Chart(title, axes, _table(series), sources, tuple(text for text in remarks if text and not text.startswith("[")))


def _series(element: Any, epoch_1904: bool) -> _Series:
    """One series; its name is the empty string where it has none."""
    scattered = element.find(f"{C}xVal") is not None or element.find(f"{C}yVal") is not None
    names = _points(element.find(f"{C}tx"), epoch_1904)
    name = " ".join(names[key] for key in sorted(names)) or (element.findtext(f"{C}tx/{C}v") or "").strip()
    values = _points(element.find(f"{C}yVal" if scattered else f"{C}val"), epoch_1904)
    sizes = _points(element.find(f"{C}bubbleSize"), epoch_1904)
    if sizes:
        values = {key: f"{value} ({sizes[key]})" if key in sizes else value for key, value in values.items()}
    return _Series(name, _points(element.find(f"{C}xVal" if scattered else f"{C}cat"), epoch_1904), values, scattered)


def _points(element: Any | None, epoch_1904: bool) -> dict[int, str]:
    """Kept points by index, numbers in their format; several levels of categories are joined, the outermost first."""
    if element is None:
        return {}
    levels = list(element.iter(f"{C}lvl"))
    if levels:
        return _levelled([_level(level, "General", epoch_1904) for level in levels])
    found: dict[int, str] = {}
    for cache in element.iter(f"{C}numCache", f"{C}strCache", f"{C}numLit", f"{C}strLit"):
        code = cache.findtext(f"{C}formatCode") or "General"
        found.update(_level(cache, code if cache.tag.endswith(("numCache", "numLit")) else "", epoch_1904))
    return found


def _level(parent: Any, code: str, epoch_1904: bool) -> dict[int, str]:
    """`code` is empty where points are texts."""
    found: dict[int, str] = {}
    for point in parent.iterfind(f"{C}pt"):
        text = (point.findtext(f"{C}v") or "").strip()
        found[int(point.get("idx") or 0)] = _number(text, point.get("formatCode") or code, epoch_1904) if code else text
        if len(found) >= MOST_POINTS:
            break
    return found


def _number(text: str, code: str, epoch_1904: bool) -> str:
    try:
        value = float(text)
    except ValueError:
        return text
    return general(value) if code == "General" else shown(value, code, epoch_1904=epoch_1904)


def _levelled(levels: list[dict[int, str]]) -> dict[int, str]:
    """Join levels, the innermost first in the file; an outer name holds until the next."""
    joined: dict[int, str] = {}
    names = [""] * len(levels)
    for key in sorted({key for level in levels for key in level}):
        names = [level.get(key, name) for level, name in zip(levels, names, strict=True)]
        joined[key] = " / ".join(name for name in reversed(names) if name)
    return joined


def _title(element: Any | None) -> str:
    if element is None:
        return ""
    rich = [paragraph_text(p) for p in element.iter(f"{A}p")]
    kept = [pt.findtext(f"{C}v") or "" for pt in element.iter(f"{C}pt")]
    return " ".join(" ".join([*rich, *kept]).split())


def _table(series: list[_Series]) -> Table | None:
    """Categories by row; scattered series that do not share their x values have a table of (series, x, y) instead."""
    filled = [one for one in series if one.values]
    if not filled:
        return None
    if any(one.own_x and one.categories != filled[0].categories for one in filled):
        rows = [("", "x", "y")]
        for at, one in enumerate(filled, start=1):
            rows += [(one.name or str(at), one.categories.get(key, str(key + 1)), one.values[key]) for key in sorted(one.values)]
        return Table(tuple(rows[:MOST_POINTS]))
    categories = max((one.categories for one in filled), key=len)
    keys = sorted({key for one in filled for key in one.values} | set(categories))
    names = tuple(one.name or str(at) for at, one in enumerate(filled, start=1))
    most = max(1, MOST_POINTS // len(filled))
    body = (
        (categories.get(key, str(key + 1)), *(one.values.get(key, "") for one in filled)) for key in keys[:most]
    )
    return Table((("", *names), *body))


def _extended(root: Any) -> Chart:
    data = {one.get("id"): one for one in root.iterfind(f"{CX}chartData/{CX}data")}
    columns: list[tuple[str, dict[int, str], dict[int, str]]] = []
    for series in root.iter(f"{CX}series"):
        reference = series.find(f"{CX}dataId")
        source = data.get("0" if reference is None else reference.get("val"))
        if source is not None:
            texts = [_extended_points(one) for one in source.iterfind(f"{CX}strDim")]
            numbers = [_extended_points(one) for one in source.iterfind(f"{CX}numDim")]
            name = series.findtext(f"{CX}tx/{CX}txData/{CX}v") or ""
            columns.append((name, texts[0] if texts else {}, numbers[0] if numbers else {}))
    made = [_Series(name, categories, values, False) for name, categories, values in columns]
    title = " ".join(_extended_texts(root.find(f"{CX}chart/{CX}title")))
    axes = tuple(" ".join(_extended_texts(axis)) for axis in root.iterfind(f"{CX}chart/{CX}plotArea/{CX}axis/{CX}title"))
    return Chart(title, tuple(a for a in axes if a), _table(made), tuple(f.text or "" for f in root.iter(f"{CX}f")))


def _extended_points(dimension: Any) -> dict[int, str]:
    levels = []
    for level in dimension.iterfind(f"{CX}lvl"):
        points = [(int(pt.get("idx") or 0), (pt.text or "").strip()) for pt in level.iterfind(f"{CX}pt")]
        code = level.get("formatCode") or "General"
        numeric = dimension.tag == f"{CX}numDim"
        levels.append({at: _number(text, code, False) if numeric else text for at, text in points[:MOST_POINTS]})
    return _levelled(levels)


def _extended_texts(element: Any | None) -> Iterator[str]:
    if element is not None:
        rich = [text for p in element.iter(f"{A}p") if (text := paragraph_text(p))]
        yield from rich or [text for v in element.iter(f"{CX}v") if (text := (v.text or "").strip())]
