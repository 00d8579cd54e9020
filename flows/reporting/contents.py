"""What a page says of time, of the generations, of what the base is made of and with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flows.reporting.charts import bar, line
from flows.reporting.markup import Markup, element
from flows.reporting.parts import duration, figures, format_of, section, table
from flows.reporting.record import MadeWith, Parsed, Point

_GENERATIONS_SHOWN = 12

_STAGES = {
    "plan": "scan and compare", "parse": "read and parse", "chunk": "make rows", "entities": "recognise names",
    "embed": "embed", "index": "write the indexes", "prove": "read them back", "publish": "publish and prune",
}


def times(seconds: Mapping[str, float]) -> Markup:
    """Where the time of a run went."""
    total, most = sum(seconds.values()), max(seconds.values())
    rows = (
        element(
            "tr", element("th", stage, scope="row"), element("td", _STAGES.get(stage, ""), class_="more"),
            element("td", duration(spent), class_="number"), element("td", f"{spent / (total or 1):.0%}", class_="number"),
            element("td", bar((("tone", spent),), most), class_="drawn"),
        )
        for stage, spent in seconds.items()
    )
    return section("Where the time went", table(
        f"Time by stage, {duration(total)} in all", ("Stage", "What it does", "Time", "Share", None), rows, numbers=(2, 3),
    ))


def history(points: Sequence[Point]) -> Markup:
    """What each generation held."""
    return section(
        "Over the generations",
        element(
            "div", _course("chunks", "Chunks", [(point.generation, point.chunks) for point in points]),
            _course("entities", "Entities", [(point.generation, point.entities) for point in points]), class_="courses",
        ),
        _generations(points[-_GENERATIONS_SHOWN - 1 :], whole=len(points) <= _GENERATIONS_SHOWN),
    )


def _course(id: str, name: str, points: Sequence[tuple[int, int]]) -> Markup:
    counts = [count for _, count in points]
    (first, then), (last, now) = points[0], points[-1]
    said = (
        f"{name} by generation, from {figures(then)} in generation {first} to {figures(now)} in generation {last}; "
        f"at most {figures(max(counts))}, at least {figures(min(counts))}."
    )
    return element(
        "figure",
        element(
            "figcaption", f"{name} ", element("strong", figures(now)),
            element("span", f" at most {figures(max(counts))}", class_="more"),
        ),
        line(points, id=id, title=f"{name} over generations", description=said),
        element("p", element("span", f"generation {first}"), element("span", str(last)) if last > first else None, class_="axis"),
    )


def _generations(points: Sequence[Point], *, whole: bool) -> Markup:
    pairs = list(zip((None, *points), points, strict=False))
    rows = [
        element(
            "tr", element("th", str(point.generation), scope="row"),
            element("td", element("time", point.at.replace("T", " ").removesuffix("Z"), datetime=point.at)),
            element("td", point.origin),
            *(
                element("td", figures(now), _step(then, now), class_="number")
                for then, now in zip(_held(before or point), _held(point), strict=True)
            ),
            element("td", element("code", point.snapshot[:12])),
        )
        for before, point in (pairs if whole else pairs[1:])[::-1]
    ]
    headings = ("Generation", "Published (UTC)", "By", "Documents", "Chunks", "Entities", "Snapshot")
    return table("The last generations, newest first", headings, rows, numbers=(3, 4, 5))


def _held(point: Point) -> tuple[int, int, int]:
    return point.sources, point.chunks, point.entities


def _step(then: int, now: int) -> Markup | None:
    if then == now:
        return None
    return element("span", f" {'+' if now > then else '−'}{figures(abs(now - then))}", class_="new" if now > then else "old")


def parsers(rows: Sequence[Parsed]) -> Markup:
    """What the base is made of."""
    ordered = sorted(rows, key=lambda row: (-row.documents - row.failed, row.media_type, row.parser))
    most = max(row.documents + row.failed for row in ordered)
    lines = (
        element(
            "tr", element("th", format_of(row.media_type), scope="row"),
            element("td", figures(row.documents), class_="number"),
            element("td", figures(row.failed) if row.failed else "", class_="number"),
            element("td", figures(row.pages) if row.pages is not None else "", class_="number"),
            element("td", bar((("tone", row.documents), ("old", row.failed)), most), class_="drawn"),
            element("td", element("code", row.parser or "no parser takes it"), class_="long"),
        )
        for row in ordered
    )
    return section("What it is made of", table(
        "Documents and pages by format and parser",
        ("Format", "Documents", "Failed", "Pages", None, "Made with"), lines, numbers=(1, 2, 3),
    ))


def builds(written: Mapping[str, Mapping[str, float]]) -> Markup:
    """What a run wrote into each index."""
    most = max((float(build.get("seconds", 0)) for build in written.values()), default=0.0)
    rows = (
        element(
            "tr", element("th", kind, scope="row"), element("td", figures(int(build.get("rows", 0))), class_="number"),
            element("td", "kept as it was" if build.get("reused") else "written"),
            element("td", duration(float(build.get("seconds", 0))), class_="number"),
            element("td", bar((("tone", float(build.get("seconds", 0))),), most), class_="drawn"),
        )
        for kind, build in written.items()
    )
    return section("Indexes", table(
        "What was written into each index", ("Index", "Rows written", "Build", "Time", None), rows, numbers=(1, 3),
    ))


def made_with(made: MadeWith) -> Markup:
    """Code, models and settings that decide content, and which of them were others before."""
    entries = [
        *(("fingerprints." + name, name, "code or model", value) for name, value in sorted(made.fingerprints.items())),
        *(("engines." + name, name, "engine", value) for name, value in sorted(made.engines.items())),
        *(("settings." + name, name, "settings", _values(made, name)) for name in sorted(made.settings)),
        ("registry", "registry", "reviewed seeds", made.registry),
    ]
    rows = (
        element(
            "tr", element("th", name, scope="row"), element("td", kind),
            element("td", element("code", value), _was(made.altered.get(key)), class_="long"),
        )
        for key, name, kind, value in entries
    )
    return section("Made with", table("Code, models and settings that decide content", ("Stage", "Of what", "Value"), rows))


def _values(made: MadeWith, stage: str) -> str:
    """Settings by name where they are known, their digest otherwise."""
    values = made.values.get(stage)
    return ", ".join(f"{name} = {value}" for name, value in sorted(values.items())) if values else made.settings[stage]


def _was(before: str | None) -> Markup | None:
    if before is None:
        return None
    return element("p", element("span", "changed", class_="state warn"), " ", element("span", before, class_="more"))
