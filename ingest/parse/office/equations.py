"""Equations of Office (OMML) as one line of text: `x=(-b±√(b^2-4ac))/(2a)`.

The notation is that of the equation editor's own linear form (Unicode Technical Note 28), as far as a reader understands it
without having learnt it: fractions with a slash, `^` and `_`, and brackets where something longer than one word is meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_ONE = re.compile(r"[^\W_]+|.", re.DOTALL)
_DELETED = (f"{_W}del", f"{_W}moveFrom")


def equation(element: Any) -> str:
    """Text of an `m:oMath` or `m:oMathPara`. Equations that stand on lines of their own are divided by line feeds."""
    if element.tag == f"{M}oMathPara":
        return "\n".join(text for inner in element.iterfind(f"{M}oMath") if (text := equation(inner)))
    return " ".join(_inside(element).split())


def _inside(element: Any | None) -> str:
    return "".join(_of(child) for child in element) if element is not None else ""


def _of(element: Any) -> str:
    if not isinstance(element.tag, str) or element.tag in _DELETED:
        return ""
    if element.tag == f"{M}r":
        return "".join(t.text or "" for t in element.iter(f"{M}t", f"{_W}t"))
    if element.tag.startswith(M) and element.tag.endswith("Pr"):
        return ""
    way = _WAYS.get(element.tag.removeprefix(M))
    return way(element) if way is not None else _inside(element)


def _part(element: Any, name: str) -> str:
    return _inside(element.find(f"{M}{name}"))


def _bound(text: str) -> str:
    """`text` in brackets unless it is one word or sign."""
    text = text.strip()
    return text if not text or _ONE.fullmatch(text) or (text[0] + text[-1] == "()" and _closes(text)) else f"({text})"


def _closes(text: str) -> bool:
    """Whether the first bracket is closed by the last."""
    depth = 0
    for at, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return at == len(text) - 1
    return False


def _value(element: Any, properties: str, name: str, default: str) -> str:
    found = element.find(f"{M}{properties}/{M}{name}")
    return default if found is None else found.get(f"{M}val") or ""


def _fraction(element: Any) -> str:
    above, below = _bound(_part(element, "num")), _bound(_part(element, "den"))
    return f"({above} over {below})" if _value(element, "fPr", "type", "bar") == "noBar" else f"{above}/{below}"


def _script(*parts: tuple[str, str]) -> Callable[[Any], str]:
    def read(element: Any) -> str:
        base = _part(element, "e")
        return base + "".join(sign + _bound(text) for sign, name in parts if (text := _part(element, name).strip()))

    return read


def _before(element: Any) -> str:
    return f"_{_bound(_part(element, 'sub'))}^{_bound(_part(element, 'sup'))} {_part(element, 'e')}"


def _root(element: Any) -> str:
    degree = _part(element, "deg").strip()
    sign = {"": "√", "2": "√", "3": "∛", "4": "∜"}.get(degree, f"{_bound(degree)}√")
    return f"{sign}{_bound(_part(element, 'e'))}"


def _big(element: Any) -> str:
    sign = _value(element, "naryPr", "chr", "∫")
    parts = (("_", "sub"), ("^", "sup"))
    limits = "".join(mark + _bound(text) for mark, name in parts if (text := _part(element, name).strip()))
    return f"{sign}{limits} {_part(element, 'e').strip()}"


def _brackets(element: Any) -> str:
    opening, closing = _value(element, "dPr", "begChr", "("), _value(element, "dPr", "endChr", ")")
    between = _value(element, "dPr", "sepChr", "|")
    return opening + between.join(_inside(e) for e in element.iterfind(f"{M}e")) + closing


def _matrix(element: Any) -> str:
    return "; ".join(", ".join(_inside(e) for e in row.iterfind(f"{M}e")) for row in element.iterfind(f"{M}mr"))


def _lines(element: Any) -> str:
    return "; ".join(text for e in element.iterfind(f"{M}e") if (text := _inside(e).replace("&", "").strip()))


def _accent(element: Any) -> str:
    base, sign = _part(element, "e"), _value(element, "accPr", "chr", "\u0302")
    return f"{base}{sign}" if len(base) == 1 else f"{_bound(base)}{sign}"


def _bar(element: Any) -> str:
    base = _part(element, "e")
    sign = "\u0305" if _value(element, "barPr", "pos", "bot") == "top" else "\u0332"
    return "".join(letter + sign for letter in base)


def _function(element: Any) -> str:
    name, argument = _part(element, "fName").strip(), _part(element, "e").strip()
    return f"{name}{argument}" if argument.startswith("(") else f"{name} {argument}"


def _ghost(element: Any) -> str:
    return "" if _value(element, "phantPr", "show", "1") in ("0", "off", "false") else _part(element, "e")


_WAYS: dict[str, Callable[[Any], str]] = {
    "f": _fraction, "sSup": _script(("^", "sup")), "sSub": _script(("_", "sub")), "sSubSup": _script(("_", "sub"), ("^", "sup")),
    "sPre": _before, "rad": _root, "nary": _big, "d": _brackets, "m": _matrix, "eqArr": _lines, "acc": _accent, "bar": _bar,
    "func": _function, "limLow": _script(("_", "lim")), "limUpp": _script(("^", "lim")), "phant": _ghost,
}


def equations_in(element: Any) -> Iterator[Any]:
    """Outermost equations below `element`."""
    for child in element:
        if child.tag in (f"{M}oMath", f"{M}oMathPara"):
            yield child
        else:
            yield from equations_in(child)
