"""What makes two names different, however alike they look: numbers, places, branches, editions, legal forms.

Each guard looks at two forms of one type and returns, in words, why they cannot be one, or nothing. Most need both names to say
something and to disagree: that one gives a number or a place and the other none is a question for a person, never a reason.
Guards only ever keep things apart; nothing is one because no guard spoke.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from entities import names_lexicon as lexicon
from entities.names import INTERFACE, ORGANIZATION, PERSON, Form
from entities.names_lexicon import Place
from entities.names_numbers import differ_in_numerals_only

_METHOD = re.compile(r"^(get|head|post|put|patch|delete|options|trace) ")


def _number(left: Form, right: Form) -> str | None:
    """Years, versions, series: both give numbers, and each some that the other lacks."""
    if left.type == PERSON:
        return None
    if differ_in_numerals_only(left.core, right.core):
        return f"numerals differ: {left.core} and {right.core}"
    ours, theirs = left.numbers - right.numbers, right.numbers - left.numbers
    return f"numbers differ: {_told(ours)} and {_told(theirs)}" if ours and theirs else None


def _place(left: Form, right: Form) -> str | None:
    """Registered or named places, neither of which lies in the other: 北京, 上海; (France), (Germany)."""
    ours, theirs = left.places - right.places, right.places - left.places
    if left.type != ORGANIZATION or not ours or not theirs or any(_nested(one, other) for one in ours for other in theirs):
        return None
    return f"places differ: {_told(place[-1] for place in ours)} and {_told(place[-1] for place in theirs)}"


def _nested(one: Place, other: Place) -> bool:
    size = min(len(one), len(other))
    unplaced = "" in (*one, *other)  # a county whose province is not known lies anywhere in China
    if unplaced and one[0] == other[0]:
        return not ("" in one and "" in other)
    return one[:size] == other[:size]


def _branch(left: Form, right: Form) -> str | None:
    """A branch, or a representative office, is not the body that has it."""
    if left.branch == right.branch:
        return None
    return f"{(left if left.branch else right).text} is a branch, the other is not"


def _qualifier(left: Form, right: Form) -> str | None:
    """Editions and models: draft, final, beta, Pro, 企业版. Having none is one, too."""
    if left.type in (ORGANIZATION, PERSON) or left.qualifiers == right.qualifiers:
        return None
    ours, theirs = left.qualifiers - right.qualifiers, right.qualifiers - left.qualifiers
    return f"editions differ: {_told(ours) or 'none'} and {_told(theirs) or 'none'}"


def _legal_form(left: Form, right: Form) -> str | None:
    """Legal forms of which none is a looser word for another: AG and GmbH are two firms, JSC and OJSC may be one."""
    if not left.legal or not right.legal:
        return None
    if any(lexicon.related_forms(one, other) for one in left.legal for other in right.legal):
        return None
    return f"legal forms differ: {_told(left.legal)} and {_told(right.legal)}"


def _method(left: Form, right: Form) -> str | None:
    """The HTTP method of an interface."""
    ours, theirs = _METHOD.match(left.text), _METHOD.match(right.text)
    if left.type != INTERFACE or ours is None or theirs is None or ours.group(1) == theirs.group(1):
        return None
    return f"methods differ: {ours.group(1).upper()} and {theirs.group(1).upper()}"


def _continued(left: Form, right: Form) -> str | None:
    """Names of which one only begins like the other, inside a word: Java, JavaScript."""
    if left.type in (ORGANIZATION, PERSON):
        return None
    ours, theirs = set(left.tokens) - set(right.tokens), set(right.tokens) - set(left.tokens)
    if len(ours) != 1 or len(theirs) != 1:
        return None
    short, long = sorted((ours.pop(), theirs.pop()), key=len)
    if len(short) < 3 or len(long) - len(short) < 2 or not long.startswith(short) or not long[len(short)].isalpha():
        return None
    return f"{short} is only the beginning of {long}"


def _only_place(left: Form, right: Form) -> str | None:
    """Organisations that have nothing in common but where they are."""
    shared = left.places & right.places
    if left.type != ORGANIZATION or not shared:
        return None
    ours, theirs = _elsewhere(left, shared), _elsewhere(right, shared)
    if not ours or not theirs or ours & theirs:
        return None
    return f"only the place is the same: {_told(place[-1] for place in shared)}"


def _elsewhere(form: Form, places: Iterable[Place]) -> set[str]:
    """Characters of a Chinese name, or words of another, besides those that name places."""
    if not form.han:
        return set(form.tokens) - {word for place in places for word in place[-1].split()} - lexicon.latin_place_words()
    rest = form.core
    for place in places:
        rest = rest.replace(place[-1], "", 1)
    return set(rest) - set("省市区县")


GUARDS: dict[str, Callable[[Form, Form], str | None]] = {
    "number": _number, "place": _place, "branch": _branch, "qualifier": _qualifier, "legal_form": _legal_form, "method": _method,
    "continued": _continued, "only_place": _only_place,
}
"""Name, as the setting `entities.guards` has it -> the guard. The docstrings are what users are told."""


def objections(left: Form, right: Form, guards: Iterable[str]) -> tuple[str, ...]:
    """Return why the two differ, in the words of each guard that objects, as `guard: words`."""
    said = ((name, GUARDS[name](left, right)) for name in guards)
    return tuple(f"{name}: {words}" for name, words in said if words is not None)


def _told(words: Iterable[str]) -> str:
    return ", ".join(sorted(words))
