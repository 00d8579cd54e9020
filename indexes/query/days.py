"""Days that a text names, in whatever form: `6 月 24 日`, `2026-06-24`, `24 June`, `June 24th, 2026` are one day of the year.

The year is left aside: a question often leaves it out, and the rows of an answer are seldom of the same day in two years.
"""

from __future__ import annotations

import re

_NAMES = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"
)
_MONTHS = {name[:3]: at for at, name in enumerate(_NAMES, 1)}
_WRITTEN = "(?:" + "|".join(f"{name[:3]}(?:{name[3:]})?" for name in _NAMES) + r")\b"
_DAY = re.compile(
    r"(?:\d{4}\s*年\s*)?(?P<m1>\d{1,2})\s*月\s*(?P<d1>\d{1,2})\s*[日号]|\d{4}[-/](?P<m2>\d{1,2})[-/](?P<d2>\d{1,2})(?!\d)"
    r"|(?<!\d)(?P<d3>\d{1,2})(?:st|nd|rd|th)?(?: of)? (?P<m3>" + _WRITTEN + r")\.?(?:,? \d{4})?\b"
    r"|\b(?P<m4>" + _WRITTEN + r")\.? (?P<d4>\d{1,2})(?:st|nd|rd|th)?(?!\d)(?:,? \d{4})?", re.IGNORECASE,
)


def days_of(text: str) -> tuple[frozenset[tuple[int, int]], str]:
    """The days that a text names, as month and day, in whatever form, and the text without them."""
    found = set()
    for match in _DAY.finditer(text):
        said = {name[0]: value for name, value in match.groupdict().items() if value}
        month = said["m"].casefold()
        found.add((int(month) if month.isdigit() else _MONTHS[month[:3]], int(said["d"])))
    return frozenset(found), _DAY.sub(" ", text) if found else text
