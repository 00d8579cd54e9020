"""What figures must reach: `nDCG@10>=0.9`, for one category `table:Recall@20>=0.97`, for every category `each:leaks<=0`."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from flows.evaluation.summary import ALL, LATENCIES, METRICS, Group
from ingest.errors import UsageError

EACH = "each"
_COUNTED = ("leaks", "errors", "missed")
_FORM = re.compile(r"(?:(?P<group>[^:]+):)?\s*(?P<metric>.+?)\s*(?P<sign>>=|<=|==|>|<)\s*(?P<bound>[\d.]+)\s*")
_SIGNS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge, "<=": operator.le, "==": operator.eq, ">": operator.gt, "<": operator.lt,
}


@dataclass(frozen=True, slots=True)
class Threshold:
    """`group` is a category, `all` or `each` (every category)."""

    group: str
    metric: str
    sign: str
    bound: float

    def __str__(self) -> str:
        return f"{'' if self.group == ALL else f'{self.group}:'}{self.metric}{self.sign}{self.bound:g}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a threshold came to in one group. `value` None: no question of the group speaks of the metric, which is a failure but
    for `each`."""

    threshold: str
    group: str
    value: float | None
    ok: bool


def threshold(said: str) -> Threshold:
    """Read one. Raises UsageError."""
    found = _FORM.fullmatch(said.strip())
    if found is None:
        raise UsageError(f"the threshold {said!r} is not METRIC>=NUMBER, as nDCG@10>=0.9 or table:Recall@20>=0.97")
    names = {name.casefold(): name for name in (*METRICS, *LATENCIES, *_COUNTED)}
    metric = names.get(found["metric"].casefold())
    if metric is None:
        raise UsageError(f"the threshold {said!r} names no metric; there are {', '.join(dict.fromkeys(names.values()))}")
    try:
        bound = float(found["bound"])
    except ValueError:
        raise UsageError(f"the threshold {said!r} does not end in a number") from None
    return Threshold((found["group"] or ALL).strip(), metric, found["sign"], bound)


def verdicts(thresholds: Iterable[Threshold], groups: Sequence[Group]) -> tuple[Verdict, ...]:
    """Return what each came to. Raises UsageError for a category that no question has."""
    named = {group.category or ALL: group for group in groups if not group.language}
    made: list[Verdict] = []
    for each in thresholds:
        if each.group not in (*named, EACH):
            raise UsageError(f"the threshold {each} speaks of {each.group!r}; categories are {', '.join(named)}")
        spoken = [group for name, group in named.items() if name == each.group or (each.group == EACH and name != ALL)]
        for group in spoken:
            value = _value(group, each.metric)
            if value is None and each.group == EACH:
                continue
            ok = value is not None and _SIGNS[each.sign](value, each.bound)
            made.append(Verdict(str(each), group.name, value, ok))
    return tuple(made)


def _value(group: Group, metric: str) -> float | None:
    counted = {"leaks": group.leaks, "errors": group.errors, "missed": group.missed}
    if metric in counted:
        return float(counted[metric])
    made = group.figures.get(metric)
    return None if made is None else made.value
