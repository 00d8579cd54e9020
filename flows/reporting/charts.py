"""Drawings as inline SVG. Only shapes are drawn: words and numbers stay in the HTML around them, where they are read aloud, keep
their size on a phone, and can be copied.

Shapes are stretched to the width of their place, so strokes are told not to scale (in the style sheet), and dots are strokes of
no length with round ends.
"""

from __future__ import annotations

from collections.abc import Sequence

from flows.reporting.markup import Markup, element

_WIDE, _HIGH = 1000, 100
_MARGIN = 8
"""Above and below a line, so that dots are not cut off."""
_DOTS_AT_MOST = 60


def bar(parts: Sequence[tuple[str, float]], most: float) -> Markup:
    """Return a bar of parts (class, size), `most` being as wide as there is room. It stands beside its numbers, so it is hidden
    from who has it read aloud."""
    rects, at = [], 0.0
    for colour, size in parts:
        if size > 0 and most > 0:
            width = max(_WIDE * size / most, 4.0)  # what is there is seen
            rects.append(element("rect", class_=colour, x=at, y=0, width=min(width, _WIDE - at), height=10))
            at += width
    return element(
        "svg", rects, class_="bar", viewBox=f"0 0 {_WIDE} 10", preserveAspectRatio="none", aria_hidden="true"
    )


def share(value: float, low: float, high: float) -> Markup:
    """Return a bar of a share of one, with the interval that it lies in over it; not read aloud, as `bar` is not."""
    rects = [
        element("rect", class_="tone", x=0, y=0, width=_WIDE * min(max(value, 0.0), 1.0), height=10),
        element("rect", class_="same", x=_WIDE * low, y=3, width=max(_WIDE * (high - low), 4.0), height=4),
    ]
    return element("svg", rects, class_="bar", viewBox=f"0 0 {_WIDE} 10", preserveAspectRatio="none", aria_hidden="true")


def line(
    points: Sequence[tuple[int, int]], *, id: str, title: str, description: str, most: int | None = None
) -> Markup:
    """Return a line through (x, count), drawn from zero to `most` (None: the largest count); `points` in order of x, at least
    one."""
    first, last = points[0][0], points[-1][0]
    most = most or max(count for _, count in points) or 1
    placed = [
        (
            _WIDE * (x - first) / (last - first) if last > first else _WIDE / 2,
            _HIGH - _MARGIN - (_HIGH - 2 * _MARGIN) * count / most,
        )
        for x, count in points
    ]
    trace = "L".join(f"{x:.1f} {y:.1f}" for x, y in placed)
    floor = _HIGH - _MARGIN
    shown = placed if len(placed) <= _DOTS_AT_MOST else placed[-1:]
    return element(
        "svg",
        element("title", title, id=f"{id}-title"),
        element("desc", description, id=f"{id}-desc"),
        element("line", class_="floor", x1=0, y1=floor, x2=_WIDE, y2=floor),
        element("path", class_="area", d=f"M{placed[0][0]:.1f} {floor}L{trace}L{placed[-1][0]:.1f} {floor}Z"),
        element("path", class_="trace", d=f"M{trace}"),
        element("path", class_="dots", d="".join(f"M{x:.1f} {y:.1f}h0" for x, y in shown)),
        class_="line", role="img", viewBox=f"0 0 {_WIDE} {_HIGH}", preserveAspectRatio="none",
        aria_labelledby=f"{id}-title {id}-desc",
    )
