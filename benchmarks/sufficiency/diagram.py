"""A reliability diagram as SVG: of the answers that were given some chance, how many did answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_SIDE, _EDGE = 320, 48
_COLOURS = ("#1f6feb", "#bc4c00", "#1a7f37", "#8250df", "#9a6700")
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


def diagram(curves: Mapping[str, Sequence[tuple[float, float, int]]]) -> str:
    """Return the picture of named curves of (chance, share answered, how many)."""
    size = _SIDE + 2 * _EDGE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" width="{size}" height="{size}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{size}" height="{size}" fill="white"/>',
        f'<path d="M{_x(0)} {_y(0)}L{_x(1)} {_y(1)}" stroke="#999" stroke-dasharray="4 4"/>',
        f'<path d="M{_x(0)} {_y(1)}V{_y(0)}H{_x(1)}" stroke="#333" fill="none"/>',
    ]
    for tick in _TICKS:
        parts.append(f'<text x="{_x(tick)}" y="{_y(0) + 18}" text-anchor="middle">{tick:g}</text>')
        parts.append(f'<text x="{_x(0) - 8}" y="{_y(tick) + 4}" text-anchor="end">{tick:g}</text>')
    parts.append(f'<text x="{_x(0.5)}" y="{_y(0) + 36}" text-anchor="middle">chance that was told</text>')
    turned = f'transform="rotate(-90 12 {_y(0.5)})"'
    parts.append(f'<text x="12" y="{_y(0.5)}" text-anchor="middle" {turned}>share that answered</text>')
    for number, (name, points) in enumerate(curves.items()):
        parts += _curve(name, points, _COLOURS[number % len(_COLOURS)], number)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _curve(name: str, points: Sequence[tuple[float, float, int]], colour: str, number: int) -> list[str]:
    line = "L".join(f"{_x(chance)} {_y(share)}" for chance, share, _ in points)
    most = max((count for _, _, count in points), default=1)
    dots = [
        f'<circle cx="{_x(chance)}" cy="{_y(share)}" r="{2 + 5 * (count / most) ** 0.5:.1f}" fill="{colour}" fill-opacity="0.6"/>'
        for chance, share, count in points
    ]
    label = f'<text x="{_x(0) + 14}" y="{_y(1) + 14 + 18 * number}" fill="{colour}">{name}</text>'
    return [f'<path d="M{line}" stroke="{colour}" fill="none"/>', *dots, label]


def _x(value: float) -> float:
    return round(_EDGE + _SIDE * value, 1)


def _y(value: float) -> float:
    return round(_EDGE + _SIDE * (1 - value), 1)
