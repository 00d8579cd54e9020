"""How Excel shows a stored number: `45292` with the format `yyyy-mm-dd` is "2024-01-01", `0.125` with `0.0%` is "12.5%".

The format codes are those of ECMA-376 part 1, 18.8.30 and 18.8.31: up to four sections (positive; negative; zero; text),
placeholders `0 # ?`, thousands and scaling commas, percent, exponent, fractions, literals, currency tags `[$€-407]`, dates and
elapsed time, Chinese numerals `[DBNum1]`. Where a code asks for something unusual the number is shown plainly rather than
wrongly. Widths of columns are not asked: what a narrow column would round or show as `####` is shown in full.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import lru_cache

from ingest.parse.office.number_locale import era, names, numerals, year

BUILTIN = {
    0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??",
    14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss",
    22: "yyyy-mm-dd h:mm", 27: "yyyy\"年\"m\"月\"", 28: "m\"月\"d\"日\"", 29: "m\"月\"d\"日\"", 30: "m-d-yy",
    31: "yyyy\"年\"m\"月\"d\"日\"",
    32: "h\"时\"mm\"分\"", 33: "h\"时\"mm\"分\"ss\"秒\"", 36: "yyyy\"年\"m\"月\"", 37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)",
    39: "#,##0.00;(#,##0.00)", 40: "#,##0.00;(#,##0.00)", 41: "#,##0;(#,##0);\"-\"", 42: "#,##0;(#,##0);\"-\"",
    43: "#,##0.00;(#,##0.00);\"-\"", 44: "#,##0.00;(#,##0.00);\"-\"", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0",
    49: "@", 57: "yyyy\"年\"m\"月\"", 58: "m\"月\"d\"日\"",
}
"""Codes that files refer to by number only. 14 and 22 vary with the reader's country; ISO order is understood in each."""

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|(?P<invisible>_.|\*.)|\[(?P<bracket>[^\]]*)\]'
    r"|(?P<ampm>AM/PM|A/P|上午/下午)|(?P<general>General)|(?P<exponent>E[+-])"
    r"|(?P<date>y+|m+|d+|h+|s+(?:\.0+)?|e+|g+|b+|a{3,4})|(?P<denominator>(?<=/)[1-9]\d*)|(?P<digit>[0#?]+)|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_CONDITION = re.compile(r"\[(<=|>=|<>|<|>|=)(-?\d+(?:\.\d+)?)\]")
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge, "=": operator.eq, "<>": operator.ne,
}
_COUNTRY = re.compile(r"\[\$[^\]-]*-(?:[0-9A-F]*)([0-9A-F]{3})\]", re.IGNORECASE)
_NUMERALS = re.compile(r"\[DBNum([123])\]", re.IGNORECASE)
_HAN_DAYS = "一二三四五六日"
_LAST_DAY = 2_958_466
"""The first day count that Excel does not know: it ends with the year 9999."""

Token = tuple[str, str]
"""Kind (literal, digit, denominator, date, elapsed, ampm, general, exponent, percent, mark, at) and text."""


def shown(value: float, code: str, *, epoch_1904: bool = False) -> str:
    """Return `value` as a cell with the format `code` shows it, without padding, fill and colour. `;;;` shows nothing."""
    section, magnitude = _section(value, code)
    if not section and code:
        return ""
    tokens = _tokens(section)
    kinds = {kind for kind, _ in tokens}
    number = abs(value) if magnitude else value
    script = int(found[1]) if (found := _NUMERALS.search(section)) else 0
    if kinds & {"date", "elapsed"}:
        return _moment(value, tokens, epoch_1904, _country(section), script)
    if "digit" in kinds:
        plain = _quantity(number, tokens)
        return numerals(plain, script, by_digit=True) if script else plain
    if "general" in kinds or "at" in kinds or not tokens:
        plain = numerals(general(number), script, by_digit=False) if script else general(number)
        return "".join(plain if kind in ("general", "at") else text for kind, text in tokens).strip() or plain
    return "".join(text for _, text in tokens).strip()


def shown_text(text: str, code: str) -> str:
    """Return a text as a cell with the format `code` shows it: the section with `@`, or the fourth, has a say in it."""
    sections = _split(code)
    section = sections[3] if len(sections) > 3 else next((s for s in sections if ("at", "@") in _tokens(s)), None)
    if section is None:
        return text
    return "".join(text if kind in ("at", "general") else said for kind, said in _tokens(section)).strip()


def general(value: float) -> str:
    """Return a number as `General` shows it in a wide cell: eleven characters, no trailing zeros.

    Whole numbers of up to fifteen digits are kept whole, where a cell would show 1.23457E+11: they are codes and account numbers.
    """
    if abs(value) < 1e15 and value == int(value):
        return str(int(value))
    size = Decimal(repr(abs(value)))
    power = size.adjusted()
    exact = f"{size:f}"
    if len(exact) <= 11 or -4 <= power <= 10:
        if len(exact) > 11:
            exact = f"{size.quantize(Decimal(1).scaleb(-max(0, 9 - max(power, 0))), ROUND_HALF_UP):f}"
        plain = exact.rstrip("0").rstrip(".") if "." in exact else exact
        return f"-{plain}" if value < 0 else plain
    digits, _, exponent = f"{value:.5E}".partition("E")
    return f"{digits.rstrip('0').rstrip('.')}E{exponent}"


def _country(section: str) -> int:
    found = _COUNTRY.search(section)
    return int(found[1], 16) if found else 0


def _section(value: float, code: str) -> tuple[str, bool]:
    """Return the section of `code` that shows `value`, and whether it speaks for the sign itself."""
    sections = _split(code)
    if len(sections) > 1 and ("at", "@") in _tokens(sections[-1]):  # that one is for texts
        sections = sections[:-1]
    sections = sections[:3]
    conditions = [_CONDITION.search(section) for section in sections]
    if any(conditions):
        for section, condition in zip(sections, conditions, strict=True):
            if condition is None or _COMPARE[condition[1]](value, float(condition[2])):
                return section, value < 0 and condition is not None and condition[1] in ("<", "<=")
        return sections[0], False
    if value < 0 and len(sections) > 1:
        return sections[1], True
    return sections[2 if value == 0 and len(sections) > 2 else 0], False


@lru_cache(maxsize=512)
def _split(code: str) -> list[str]:
    """Cut a code at its semicolons, those inside quotes and after a backslash excepted."""
    sections = [""]
    for piece in re.findall(r'"[^"]*"|\\.|.', code, re.DOTALL):
        if piece == ";":
            sections.append("")
        else:
            sections[-1] += piece
    return sections


@lru_cache(maxsize=512)
def _tokens(section: str) -> list[Token]:
    """The tokens of a section; shared between calls, so never changed."""
    found: list[Token] = []
    for match in _TOKEN.finditer(section):
        kind, text = str(match.lastgroup), match[0]
        if kind in ("quoted", "escaped"):
            found.append(("literal", match[kind]))
        elif kind == "bracket":
            found.extend(_bracket(match["bracket"]))
        elif kind == "other":
            found.append(({"%": "percent", "@": "at", ".": "mark", ",": "mark", "/": "mark"}.get(text, "literal"), text))
        elif kind != "invisible":
            found.append((kind, text))
    return found


def _bracket(inside: str) -> list[Token]:
    """`[h]` counts hours beyond a day; `[$€-407]` shows a currency; colours and conditions show nothing."""
    if re.fullmatch(r"h+|m+|s+", inside, re.IGNORECASE):
        return [("elapsed", inside.lower())]
    if inside.startswith("$"):
        return [("literal", inside[1:].split("-")[0])]
    return []


def _quantity(value: float, tokens: list[Token]) -> str:
    """Show a number by digit placeholders."""
    number = Decimal(repr(float(value))) * 100 ** sum(kind == "percent" for kind, _ in tokens)
    first = next(i for i, (kind, _) in enumerate(tokens) if kind == "digit")
    last = max(i for i, (kind, _) in enumerate(tokens) if kind in ("digit", "denominator"))
    body = tokens[first : last + 1]
    after = tokens[last + 1 :]
    while after and after[0] == ("mark", ","):  # each comma after the last digit divides by a thousand
        number /= 1000
        after = after[1:]
    if ("mark", "/") in body:
        digits = _fraction(number, body)
    elif any(kind == "exponent" for kind, _ in body):
        digits = _scientific(number, body)
    else:
        digits = _decimal(abs(number), body)
    sign = "-" if number < 0 and re.search("[1-9]", digits) else ""
    before = "".join(text for _, text in tokens[:first])
    return (sign + before + digits + "".join(text for _, text in after)).strip()


def _decimal(number: Decimal, body: list[Token]) -> str:
    point = body.index(("mark", ".")) if ("mark", ".") in body else len(body)
    whole_tokens, part_tokens = body[:point], body[point + 1 :]
    places = "".join(text for kind, text in part_tokens if kind == "digit")
    rounded = number.quantize(Decimal(1).scaleb(-len(places)), ROUND_HALF_UP) if len(places) < 20 else number
    whole, _, part = f"{rounded:f}".partition(".")
    while part and places[len(part) - 1] in "#?" and part[-1] == "0":
        part = part[:-1]
    shown_whole = _whole(whole, whole_tokens)
    return f"{shown_whole}.{part}" if part or (places and "0" in places) else shown_whole


def _whole(digits: str, tokens: list[Token]) -> str:
    """Pour digits into placeholders from the right; what is left over stands in front."""
    grouped = ("mark", ",") in tokens
    placeholders = "".join(text for kind, text in tokens if kind == "digit")
    digits = "" if digits == "0" else digits
    digits = digits.rjust(len(placeholders.lstrip("#?")), "0")
    if grouped or all(kind != "literal" for kind, _ in tokens):
        return f"{int(digits):,}" if grouped and digits and not digits.startswith("0") else digits
    out, left = [], list(digits)
    for kind, text in reversed(tokens):
        if kind == "literal":
            out.append(text)
        elif kind == "digit":
            out.append("".join(left[-len(text) :]))
            left = left[: -len(text)]
    return "".join(left) + "".join(reversed(out))


def _scientific(number: Decimal, body: list[Token]) -> str:
    at = next(i for i, (kind, _) in enumerate(body) if kind == "exponent")
    point = body.index(("mark", ".")) if ("mark", ".") in body[:at] else at
    step = max(1, sum(len(text) for kind, text in body[:point] if kind == "digit"))  # `##0.0E+0` counts in thousands
    power = number.copy_abs().adjusted() if number else 0
    power -= power % step
    width = len("".join(text for kind, text in body[at + 1 :] if kind == "digit"))
    sign = "-" if power < 0 else "+" if body[at][1].endswith("+") else ""
    return f"{_decimal(abs(number).scaleb(-power), body[:at])}E{sign}{str(abs(power)).rjust(width, '0')}"


def _fraction(number: Decimal, body: list[Token]) -> str:
    slash = body.index(("mark", "/"))
    fixed = next((int(text) for kind, text in body[slash + 1 :] if kind == "denominator"), 0)
    places = "".join(text for kind, text in body[slash + 1 :] if kind == "digit")
    if fixed:
        above, below = int((abs(number) * fixed).to_integral_value(ROUND_HALF_UP)), fixed
    else:
        exact = Fraction(abs(number)).limit_denominator(10 ** min(max(1, len(places)), 6) - 1)
        above, below = exact.numerator, exact.denominator
    if sum(kind == "digit" for kind, _ in body[:slash]) < 2:
        return f"{above}/{below}"
    whole, rest = divmod(above, below)
    if not rest:
        return str(whole)
    return f"{whole} {rest}/{below}" if whole else f"{rest}/{below}"


@dataclass(frozen=True, slots=True)
class _Moment:
    """A day count taken apart. `nought` is the day before the first that Excel knows, 1900-01-00."""

    at: datetime
    seconds: Decimal
    country: int
    script: int
    half_day: bool
    nought: bool


def _moment(value: float, tokens: list[Token], epoch_1904: bool, country: int, script: int) -> str:
    """Show a day count (the fraction is the time of day) by date placeholders."""
    if value >= _LAST_DAY or (value < 0 and not epoch_1904 and all(kind != "elapsed" for kind, _ in tokens)):
        return general(value)
    places = next((len(text.split(".")[1]) for kind, text in tokens if kind == "date" and "." in text), 0)
    seconds = Decimal(repr(float(value))) * 86400
    seconds = seconds.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    # Excel believes that 1900 was a leap year: from March 1900 its day 1 is the last of 1899, before that the first of 1900.
    epoch = datetime(1904, 1, 1) if epoch_1904 else datetime(1899, 12, 30 if value >= 61 else 31)
    try:
        at = epoch + timedelta(seconds=float(seconds))
    except OverflowError:
        return general(value)
    halves = names(country).halves
    half_day = any(kind == "ampm" for kind, _ in tokens)
    moment = _Moment(at, seconds, country, script, half_day, nought=at.year == 1899)
    out = []
    for place, (kind, text) in enumerate(tokens):
        if kind == "elapsed":
            out.append(str(int(seconds // {"h": 3600, "m": 60, "s": 1}[text[0]])).rjust(len(text), "0"))
        elif kind == "ampm":
            out.append((halves if text.upper() == "AM/PM" else text.split("/"))[0 if at.hour < 12 else 1])
        elif kind == "date":
            field = _field(moment, text.lower(), _is_minute(tokens, place))
            out.append(numerals(field, script, by_digit=text.lower()[0] in "ye") if script else field)
        else:
            out.append(text)
    return "".join(out).strip()


def _is_minute(tokens: list[Token], at: int) -> bool:
    """Whether the `m` at this place follows hours or precedes seconds, and so means minutes."""
    clock = [(i, text.lower()[0]) for i, (kind, text) in enumerate(tokens) if kind in ("date", "elapsed")]
    here = next((n for n, (i, _) in enumerate(clock) if i == at), 0)
    before = clock[here - 1][1] if here else ""
    after = clock[here + 1][1] if here + 1 < len(clock) else ""
    return before == "h" or after == "s"


def _field(moment: _Moment, field: str, minute: bool) -> str:
    at, called = moment.at, names(moment.country)
    if field[0] in "yeb":
        shown_year = 1900 if moment.nought else year(at.date(), moment.country, era=field[0] == "e") + 543 * (field[0] == "b")
        return f"{shown_year % 100:02d}" if field in ("y", "yy", "b", "bb") else str(shown_year)
    if field[0] == "g":
        return era(at.date(), moment.country, len(field))
    if field[0] == "m" and not minute:
        month = 1 if moment.nought else at.month
        word = {3: called.short_months, 4: called.months}.get(len(field))
        if word is not None:
            return word[month - 1]
        return called.months[month - 1][:1] if len(field) == 5 else str(month).rjust(min(len(field), 2), "0")
    if field[0] == "d":
        words = {3: called.short_days, 4: called.days}.get(len(field))
        if words is not None:
            return words[at.weekday()]
        return str(0 if moment.nought else at.day).rjust(min(len(field), 2), "0")
    if field[0] == "a":
        return called.days[at.weekday()] if len(field) == 4 and moment.country else _weekday(at, len(field))
    return _clock(moment, field)


def _weekday(at: datetime, width: int) -> str:
    return ("星期" if width == 4 else "") + _HAN_DAYS[at.weekday()]


def _clock(moment: _Moment, field: str) -> str:
    """Hours, minutes, seconds; the seconds with as many decimals as the field asks for."""
    at = moment.at
    if field[0] == "h":
        return str((at.hour + 11) % 12 + 1 if moment.half_day else at.hour).rjust(min(len(field), 2), "0")
    if field[0] == "m":
        return str(at.minute).rjust(min(len(field), 2), "0")
    whole, _, places = field.partition(".")
    second = str(at.second).rjust(min(len(whole), 2), "0")
    return f"{second}.{f'{moment.seconds % 1:f}'.partition('.')[2][: len(places)].ljust(len(places), '0')}" if places else second
