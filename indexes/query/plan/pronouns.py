"""Pronouns of which the query does not say what they mean: asked back, not guessed.

A query that names something (an entity, a code, a quotation) says of what it speaks. Otherwise a pronoun has an antecedent where
something specific stands before it; words that say nothing of what is spoken of (`generic` rules) do not count. How much may
follow is up to the rule: "它支持什么版本" is about nothing that is known, "他在汉诺威大学提出了什么理论" tells enough to look
for it.

A question that leaves out what it asks about ("多少钱？", "how much?") has not even a pronoun: rules of the value `missing` say
by which words it asks. It is asked back where all of its words are generic, and answered all the same.
"""

from __future__ import annotations

import re
from itertools import islice

from indexes.query.plan.plan import Clarification, Fired
from indexes.query.plan.reading import Match, Reading
from indexes.query.plan.rules import Rules

_MOST = 8
"""Pronouns that are looked at: what stands before a later one explains it."""
_CAPITALS = re.compile(r"(?:IT|THIS|THAT)")
_LATIN_WORD = re.compile(r"[a-z0-9][a-z0-9'.-]*")
_MISSING = "missing"
_OTHER_LETTER = re.compile(r"[^\W\d_a-z]")


def asked_back(reading: Reading, rules: Rules) -> tuple[Clarification, Fired] | None:
    """The question that a query needs before it can be answered, None where it speaks of something."""
    looked_at = islice(reading.matches(rules.of("pronoun")), _MOST)
    match = next((each for each in looked_at if _stands_alone(each, reading, rules)), None)
    if match is None or reading.first(rules.of("antecedent")) is not None:
        return None
    word = reading.written(*match.places["pronoun"])
    chinese, fired = match.rule.rule.language == "zh", Fired(match.rule.id, word)
    if match.rule.value == _MISSING:
        question = "问的是什么？请说出名称再问一次。" if chinese else (
            "What is the question about? Please ask again with its name."
        )
        return Clarification("missing_subject", word, question), fired
    question = f"“{word}”指的是什么？请说出名称再问一次。" if chinese else (
        f'What does "{word}" refer to? Please ask again with its name.'
    )
    return Clarification("pronoun", word, question), fired


def _stands_alone(match: Match, reading: Reading, rules: Rules) -> bool:
    if match.rule.value == _MISSING:
        return _specific(reading.folded, reading, rules) == 0
    if _CAPITALS.fullmatch(reading.written(*match.places["pronoun"])) and not reading.text.isupper():
        return False  # the IT department
    before, after = reading.folded[: match.at[0]], reading.folded[match.places["pronoun"][1] :]
    return _specific(before, reading, rules) == 0 and _specific(after, reading, rules) <= match.rule.rule.amount


def _specific(text: str, reading: Reading, rules: Rules) -> int:
    """How many words, or letters of scripts without spaces, say of what is spoken."""
    text = reading.without(rules.of("generic"), text)
    return len(_LATIN_WORD.findall(text)) + len(_OTHER_LETTER.findall(text))
