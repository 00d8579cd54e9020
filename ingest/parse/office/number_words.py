"""Numbers as Word and PowerPoint spell them in lists and notes: iv, 三, 甲, ①, 1st, First, 壹."""

from __future__ import annotations

from collections.abc import Callable, Sequence

_DIGITS = "〇一二三四五六七八九"
_UNITS = ((10_000, "万"), (1000, "千"), (100, "百"), (10, "十"))
_LEGAL = {"simplified": ("零壹贰叁肆伍陆柒捌玖", "拾佰仟万"), "traditional": ("零壹貳參肆伍陸柒捌玖", "拾佰仟萬")}
_STEMS, _BRANCHES = "甲乙丙丁戊己庚辛壬癸", "子丑寅卯辰巳午未申酉戌亥"
_AIUEO = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
_IROHA = "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセス"
_GANADA, _CHOSUNG = "가나다라마바사아자차카타파하", "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ"
_RUSSIAN = "абвгдежзиклмнопрстуфхцчшщыэюя"
_ABJAD, _ALPHA = "أبجدهوزحطيكلمنسعفصقرشتثخذضظغ", "أبتثجحخدذرزسشصضطظعغفقكلمنهوي"
_HEBREW = ((400, "ת"), (300, "ש"), (200, "ר"), (100, "ק"), (90, "צ"), (80, "פ"), (70, "ע"), (60, "ס"), (50, "נ"), (40, "מ"),
           (30, "ל"), (20, "כ"), (16, "טז"), (15, "טו"), (10, "י"), (9, "ט"), (8, "ח"), (7, "ז"), (6, "ו"), (5, "ה"), (4, "ד"),
           (3, "ג"), (2, "ב"), (1, "א"))
_ROMAN = ((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"),
          (5, "V"), (4, "IV"), (1, "I"))
_ONES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
         "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ORDINALS = {"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth",
             "twelve": "twelfth"}


def spelled(number: int, format: str) -> str:
    """Return a list number in one of Word's number formats; unknown ones, and numbers beyond a format, are in digits."""
    way = _FORMATS.get(format)
    if way is None or not 0 < number < 100_000:
        return str(number)
    return way(number) or str(number)


def han(number: int) -> str:
    """二十三, 一百零五."""
    return _han(number, _DIGITS.replace("〇", "零"), "十百千万", short_ten=True)


def _legal(script: str) -> Callable[[int], str]:
    digits, units = _LEGAL[script]
    return lambda number: _han(number, digits, units, short_ten=False)


def _han(number: int, digits: str, units: str, *, short_ten: bool) -> str:
    """Written with units, zeros in between once; `short_ten` writes 十二 rather than 一十二."""
    out, rest, gap = "", number, False
    for (value, _), unit in zip(_UNITS, reversed(units), strict=True):
        count, rest = divmod(rest, value)
        if count:
            bare = short_ten and value == 10 and count == 1 and not out
            out += (digits[0] if gap else "") + ("" if bare else digits[count]) + unit
            gap = False
        elif out and rest:
            gap = True
    if rest:
        out += (digits[0] if gap else "") + digits[rest]
    return out


def _by_digit(digits: str) -> Callable[[int], str]:
    return lambda number: "".join(digits[int(d)] for d in str(number))


def _of(signs: str) -> Callable[[int], str]:
    """Signs in their order; beyond the last there is none."""
    return lambda number: signs[number - 1] if number <= len(signs) else ""


def _repeated(signs: str) -> Callable[[int], str]:
    """a ... z, aa ... zz."""
    return lambda number: signs[(number - 1) % len(signs)] * min((number - 1) // len(signs) + 1, 50)


def _additive(values: Sequence[tuple[int, str]], *, lower: bool = False) -> Callable[[int], str]:
    def write(number: int) -> str:
        out, rest = "", number
        for value, sign in values:
            out += sign * (rest // value)
            rest %= value
        return out.lower() if lower else out

    return lambda number: write(number) if number < 5000 else ""


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _words(number: int) -> str:
    if number < 20:
        return _ONES[number]
    if number < 100:
        return _TENS[number // 10] + (f"-{_ONES[number % 10]}" if number % 10 else "")
    if number < 1000:
        return f"{_ONES[number // 100]} hundred" + (f" {_words(number % 100)}" if number % 100 else "")
    return ""


def _ordinal_words(number: int) -> str:
    words = _words(number)
    head, cut, last = words.rpartition("-") if "-" in words else words.rpartition(" ")
    ending = _ORDINALS.get(last) or (f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th")
    return f"{head}{cut}{ending}".capitalize() if words else ""


def _circled(number: int) -> str:
    if number <= 20:
        return chr(0x2460 + number - 1)
    return chr(0x3251 + number - 21) if number <= 35 else chr(0x32B1 + number - 36) if number <= 50 else ""


def _run_of(first: int, most: int) -> Callable[[int], str]:
    return lambda number: chr(first + number - 1) if number <= most else ""


_FULL_WIDTH = _by_digit("０１２３４５６７８９")
_HAN_DIGITS = _by_digit(_DIGITS)

_FORMATS: dict[str, Callable[[int], str]] = {
    "lowerLetter": _repeated("abcdefghijklmnopqrstuvwxyz"), "upperLetter": _repeated("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    "lowerRoman": _additive(_ROMAN, lower=True), "upperRoman": _additive(_ROMAN),
    "chineseCounting": han, "chineseCountingThousand": han, "taiwaneseCounting": han, "taiwaneseCountingThousand": han,
    "japaneseCounting": han, "koreanCounting": han, "koreanDigital2": _HAN_DIGITS,
    "ideographDigital": _HAN_DIGITS, "japaneseDigitalTenThousand": _HAN_DIGITS, "taiwaneseDigital": _HAN_DIGITS,
    "chineseLegalSimplified": _legal("simplified"), "ideographLegalTraditional": _legal("traditional"),
    "japaneseLegal": _legal("traditional"), "ideographTraditional": _of(_STEMS), "ideographZodiac": _of(_BRANCHES),
    "ideographZodiacTraditional": lambda number: _STEMS[(number - 1) % 10] + _BRANCHES[(number - 1) % 12],
    "ideographEnclosedCircle": _run_of(0x3280, 10), "decimalEnclosedCircle": _circled, "decimalEnclosedCircleChinese": _circled,
    "decimalEnclosedFullstop": _run_of(0x2488, 20), "decimalEnclosedParen": _run_of(0x2474, 20),
    "decimalFullWidth": _FULL_WIDTH, "decimalFullWidth2": _FULL_WIDTH, "decimalZero": lambda number: f"{number:02d}",
    "numberInDash": lambda number: f"- {number} -", "hex": lambda number: f"{number:X}", "ordinal": _ordinal,
    "cardinalText": lambda number: _words(number).capitalize(), "ordinalText": _ordinal_words,
    "aiueo": _of(_AIUEO), "aiueoFullWidth": _of(_AIUEO), "iroha": _of(_IROHA), "irohaFullWidth": _of(_IROHA),
    "ganada": _of(_GANADA), "chosung": _of(_CHOSUNG), "russianLower": _of(_RUSSIAN), "russianUpper": _of(_RUSSIAN.upper()),
    "arabicAbjad": _of(_ABJAD), "arabicAlpha": _of(_ALPHA), "hebrew1": _additive(_HEBREW),
    "hindiNumbers": _by_digit("०१२३४५६७८९"), "thaiNumbers": _by_digit("๐๑๒๓๔๕๖๗๘๙"), "chicago": _repeated("*†‡§"),
}
