"""Names of months and days, eras and numerals that a number format asks for by its country tag (`[$-804]`, `[$-411]`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from ingest.parse.office.number_words import spelled


@dataclass(frozen=True, slots=True)
class Names:
    months: Sequence[str]
    short_months: Sequence[str]
    days: Sequence[str]
    """From Monday."""
    short_days: Sequence[str]
    halves: tuple[str, str] = ("AM", "PM")


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


ENGLISH = Names(
    _words("January February March April May June July August September October November December"),
    _words("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"),
    _words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday"), _words("Mon Tue Wed Thu Fri Sat Sun"),
)
_BY_NUMBER = tuple(f"{n}月" for n in range(1, 13))
_CHINESE = Names(
    tuple(f"{n}月" for n in ("一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二")), _BY_NUMBER,
    tuple(f"星期{n}" for n in "一二三四五六日"), tuple(f"周{n}" for n in "一二三四五六日"), ("上午", "下午"),
)
_JAPANESE = Names(_BY_NUMBER, _BY_NUMBER, tuple(f"{n}曜日" for n in "月火水木金土日"), tuple("月火水木金土日"), ("午前", "午後"))
_KOREAN = Names(
    tuple(f"{n}월" for n in range(1, 13)), tuple(f"{n}" for n in range(1, 13)), tuple(f"{n}요일" for n in "월화수목금토일"),
    tuple("월화수목금토일"), ("오전", "오후"),
)
_OTHERS = {
    0x07: Names(
        _words("Januar Februar März April Mai Juni Juli August September Oktober November Dezember"),
        _words("Jan Feb Mrz Apr Mai Jun Jul Aug Sep Okt Nov Dez"),
        _words("Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag"), _words("Mo Di Mi Do Fr Sa So"),
    ),
    0x0C: Names(
        _words("janvier février mars avril mai juin juillet août septembre octobre novembre décembre"),
        _words("janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc."),
        _words("lundi mardi mercredi jeudi vendredi samedi dimanche"), _words("lun. mar. mer. jeu. ven. sam. dim."),
    ),
    0x0A: Names(
        _words("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"),
        _words("ene feb mar abr may jun jul ago sep oct nov dic"),
        _words("lunes martes miércoles jueves viernes sábado domingo"), _words("lun mar mié jue vie sáb dom"),
    ),
    0x10: Names(
        _words("gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre"),
        _words("gen feb mar apr mag giu lug ago set ott nov dic"),
        _words("lunedì martedì mercoledì giovedì venerdì sabato domenica"), _words("lun mar mer gio ven sab dom"),
    ),
    0x16: Names(
        _words("janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro"),
        _words("jan fev mar abr mai jun jul ago set out nov dez"),
        _words("segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo"),
        _words("seg ter qua qui sex sáb dom"),
    ),
    0x13: Names(
        _words("januari februari maart april mei juni juli augustus september oktober november december"),
        _words("jan feb mrt apr mei jun jul aug sep okt nov dec"),
        _words("maandag dinsdag woensdag donderdag vrijdag zaterdag zondag"), _words("ma di wo do vr za zo"),
    ),
    0x19: Names(
        _words("январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь"),
        _words("янв фев мар апр май июн июл авг сен окт ноя дек"),
        _words("понедельник вторник среда четверг пятница суббота воскресенье"), _words("Пн Вт Ср Чт Пт Сб Вс"),
    ),
}
TAIWAN, JAPAN = 0x404, 0x411
_ERAS = (
    (date(2019, 5, 1), "令和", "R"), (date(1989, 1, 8), "平成", "H"), (date(1926, 12, 25), "昭和", "S"),
    (date(1912, 7, 30), "大正", "T"), (date(1868, 1, 25), "明治", "M"),
)
_FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")


def names(country: int) -> Names:
    """Names in the language of a Windows country code; English where it has none here."""
    family = country & 0x3FF
    return {0x04: _CHINESE, 0x11: _JAPANESE, 0x12: _KOREAN}.get(family) or _OTHERS.get(family, ENGLISH)


def year(day: date, country: int, *, era: bool) -> int:
    """The year of a date; `era` asks for the one that the country counts in (`e`)."""
    if era and country == TAIWAN and day.year > 1911:
        return day.year - 1911
    if era and country == JAPAN:
        return next((day.year - first.year + 1 for first, _, _ in _ERAS if day >= first), day.year)
    return day.year


def era(day: date, country: int, width: int) -> str:
    """What `g`, `gg` and `ggg` show: R, 令, 令和."""
    if country == TAIWAN:
        return "中華民國" if width > 2 else "民國"
    if country != JAPAN:
        return ""
    return next(((name if width > 2 else name[0] if width == 2 else letter) for first, name, letter in _ERAS if day >= first), "")


def numerals(text: str, kind: int, *, by_digit: bool) -> str:
    """Digits of `text` as `[DBNum1]` (一二三), `[DBNum2]` (壹贰叁) or `[DBNum3]` (full width) shows them.

    Whole numbers are written with their units (一百二十三) unless `by_digit`.
    """
    if kind == 3:
        return text.translate(_FULL_WIDTH)
    digits = "〇一二三四五六七八九" if kind == 1 else "零壹贰叁肆伍陆柒捌玖"
    if not by_digit:
        whole, point, part = text.lstrip("-").partition(".")
        if whole.isdecimal() and int(whole) < 100_000:
            written = "〇" if kind == 1 else "零"
            if int(whole):
                written = spelled(int(whole), "chineseCounting" if kind == 1 else "chineseLegalSimplified")
            tail = "".join(digits[int(d)] if d.isdecimal() else d for d in part)
            return ("-" if text.startswith("-") else "") + written + point + tail
    return "".join(digits[int(d)] if d in "0123456789" else d for d in text)
