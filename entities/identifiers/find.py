"""Identifiers that stand in a text: where, of which scheme, in which normal form.

Every scheme has an expression that is generous about how people write, and a check that is not. What only has a form is taken
where its surroundings speak for it: a bare 20-character token is an LEI where something calls it one, `main.py` is a file and
no host in Paraguay. Spans are of the text as written; full-width forms are found through `entities.folding`.

Where two identifiers claim the same characters the one listed first in `_FINDERS` keeps them: a DOI is not also a path. A domain
and the path behind it, or a resolver and the DOI behind it, stand side by side.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from entities.folding import WIDTH
from entities.identifiers import codes, hosts
from entities.identifiers.schemes import SCHEMES


class Found(NamedTuple):
    """An identifier in a text: characters `start` to `end` (exclusive), its scheme and its normal form."""

    start: int
    end: int
    scheme: str
    value: str


Finder = Callable[[str], Iterator[tuple[int, int, str]]]
"""Text, folded in width -> (start, end, value as written)."""

_NOT_INSIDE, _NOT_ON = r"(?<![0-9A-Za-z_])", r"(?![0-9A-Za-z_])"

# Authority and kind, six digits of the administrative division, nine of the organisation, one to check: however it is grouped.
_USCC = re.compile(rf"{_NOT_INSIDE}(?=([0-9A-Ya-y](?:[ -]?[0-9A-Ya-y])(?:[ -]?[0-9]){{6}}(?:[ -]?[0-9A-Ya-y]){{10}}){_NOT_ON})")
_LEI = re.compile(rf"{_NOT_INSIDE}[0-9A-Z]{{4}}[ -]?(?:[0-9A-Z]{{14}}|[0-9A-Z]{{2}}(?: [0-9A-Z]{{4}}){{3}} ?)[0-9]{{2}}{_NOT_ON}")
_LEI_CUE = re.compile(r"(?:\bLEI\b|legal entity identifier|法人(?:机构)?识别编?码)", re.IGNORECASE)
_LEI_OF_ITSELF = re.compile(r"[0-9]{4}00")
"""The issuer's four digits and the two reserved zeros, as issued since 2012: a random token is not shaped like this."""
_ISBN = re.compile(
    rf"{_NOT_INSIDE}(?<!\d[.-])(?:97[89][ -]?(?:[0-9][ -]?){{9}}[0-9]|(?:[0-9][ -]?){{9}}[0-9Xx]){_NOT_ON}(?![.-]?\d)"
)
_ISBN_CUE = re.compile(r"(?:ISBN|书号|書號)(?:-1[03])?[\s:：号號]*$", re.IGNORECASE)
_ORCID = re.compile(rf"{_NOT_INSIDE}(?<![0-9]-)0{{3}}[09]-[0-9]{{4}}-[0-9]{{4}}-[0-9]{{3}}[0-9Xx]{_NOT_ON}(?!-)")
_DOI = re.compile(r"(?<![0-9A-Za-z.])10\.\d{4,9}(?:\.\d+)*/[-._;()/:<>\[\]A-Za-z0-9]+")
_PURL = re.compile(r"(?<![0-9A-Za-z])pkg:[A-Za-z][A-Za-z0-9.+-]*/[-A-Za-z0-9._~%@/+?=&#:]+")
_CPE = re.compile(r"(?<![0-9A-Za-z])cpe:(?:2\.3:[aoh*-](?::(?:\\[!-/:-@\[-`{-~]|[\w.*?~%-])+){10}|"
    r"/[aoh](?::[\w.~%+-]*){1,6})", re.ASCII)


def find(text: str) -> Iterator[Found]:
    """Yield every valid identifier in `text`, in order; no two share a character."""
    folded = WIDTH(text)
    taken: list[tuple[int, int]] = []
    found: list[Found] = []
    for scheme, needed, finder in _FINDERS:
        if needed.search(folded.text) is None:
            continue
        for start, end, value in finder(folded.text):
            normal = SCHEMES[scheme].normalise(value)
            if normal is None or any(start < last and first < end for first, last in taken):
                continue
            taken.append((start, end))
            found.append(Found(*folded.span(start, end), scheme, normal))
    yield from sorted(found)


def _uscc(text: str) -> Iterator[tuple[int, int, str]]:
    for match in _USCC.finditer(text):
        yield match.start(1), match.end(1), match[1]


def _lei(text: str) -> Iterator[tuple[int, int, str]]:
    for match in _LEI.finditer(text):
        if _LEI_OF_ITSELF.match(match[0]) or _LEI_CUE.search(text, max(0, match.start() - 40), match.start()):
            yield match.start(), match.end(), match[0]


def _isbn(text: str) -> Iterator[tuple[int, int, str]]:
    """Thirteen digits that begin as ISBN do; ten only where they are called so or are grouped as ISBN are."""
    for match in _ISBN.finditer(text):
        digits = re.sub(r"[ -]", "", match[0])
        cued = _ISBN_CUE.search(text, max(0, match.start() - 16), match.start())
        grouped = match[0].count("-") == 3 and _grouped(match[0])
        if (len(digits) == 13 and " " not in match[0]) or cued or grouped:
            yield match.start(), match.end(), match[0]


def _grouped(written: str) -> bool:
    """Whether hyphens stand where the ranges of groups and publishers put them."""
    from stdnum import isbn

    return bool(isbn.is_valid(written)) and isbn.format(written) == written


def _orcid(text: str) -> Iterator[tuple[int, int, str]]:
    return _matches(_ORCID, text)


def _doi(text: str) -> Iterator[tuple[int, int, str]]:
    for match in _DOI.finditer(text):
        value = _closed(match[0])
        yield match.start(), match.start() + len(value), value


def _purl(text: str) -> Iterator[tuple[int, int, str]]:
    for match in _PURL.finditer(text):
        value = match[0].rstrip(".,;:?!&=/")
        yield match.start(), match.start() + len(value), value


def _cpe(text: str) -> Iterator[tuple[int, int, str]]:
    for match in _CPE.finditer(text):
        value = match[0].rstrip(":.") if match[0][-2:] != "\\." else match[0]
        yield match.start(), match.start() + len(value), value


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int, str]]:
    for match in pattern.finditer(text):
        yield match.start(), match.end(), match[0]


def _closed(value: str) -> str:
    """Without the sentence's own punctuation at the end: `(10.1000/a(1)b).` names `10.1000/a(1)b`."""
    while value and (value[-1] in ".,;:<[" or any(
        value[-1] == close and value.count(close) > value.count(open) for open, close in ("()", "[]", "<>")
    )):
        value = value[:-1]
    return value


def _finders(*rows: tuple[str, str, Finder]) -> tuple[tuple[str, re.Pattern[str], Finder], ...]:
    return tuple((scheme, re.compile(needed), finder) for scheme, needed, finder in rows)


_FINDERS = _finders(
    ("uscc", r"\d(?:[ -]?\d){5}", _uscc), ("lei", r"\d\d", _lei), ("purl", "pkg:", _purl), ("cpe", "cpe:", _cpe),
    ("doi", r"10\.", _doi), ("orcid", "000", _orcid), ("isbn", r"\d(?:[ -]?\d){8}", _isbn), ("email-domain", "@", hosts.of_mail),
    ("domain", r"\.[A-Za-z]", hosts.of_pages), ("api-path", "/", codes.paths),
    ("error-code", r"_|\d\d|0x|SQL|E[A-Z]{3}", codes.errors),
    ("product-code", r"[A-Z\d](?:-|\d{4}|(?<=\d)[A-Z]|(?<=[A-Z])\d)", codes.products),
    ("version", r"\.\d|[Vv]\.?\s?\d|\d\s*版", codes.versions),
)
"""Scheme, what no text is without that has one, and the finder. Most texts lack it, and looking for it costs a tenth."""
