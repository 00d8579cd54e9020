"""Questions composed of what the made world is known to tell, of one language and one split, in as many ways as there are.

Which subject belongs to which split is decided here (`Composer._mine`), and what holds on the day of the sets (`_current`). Every
way to ask is a generator: `of` takes from those of a category in turn.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from benchmarks.answers.world.everything import ROOT, Half, half
from benchmarks.answers.world.facts import Fact
from benchmarks.answers.world.papers import ENGLISH_MONTHS, STARTS, VERSIONS, overlapping
from benchmarks.answers.world.products import LAST
from benchmarks.answers.world.products import STARTS as PRODUCT_STARTS
from benchmarks.answers.world.registry import organisation_id, product_alias, product_id, system_id

Question = dict[str, Any]

AS_OF = "2026-11-30"
"""The day of the sets: without it their truth would change as documents expire."""
_WORDS = yaml.safe_load((Path(__file__).parent / "asking.yaml").read_text(encoding="utf-8"))


def question(
    category: str, language: str, query: str, expected: dict[str, Any], who: dict[str, Any] | None = None, as_of: str = AS_OF
) -> Question:
    made: Question = {"category": category, "language": language, "query": query}
    if who:
        made["principal"] = who
    return {**made, "as_of": as_of, "expected": {key: value for key, value in expected.items() if value not in ([], None)}}


def _expected(*facts: Fact, **more: Any) -> dict[str, Any]:
    spans = [fact.needs[0] if len(fact.needs) == 1 else list(fact.needs) for fact in facts]
    return {"sources": [f"{ROOT}/{fact.source}" for fact in facts], "spans": spans, "refusal": False, **more}


_NOTHING = {"refusal": True}


class Composer:
    """Questions of one language and split."""

    def __init__(self, language: str, split: str) -> None:
        self._random = random.Random(f"questions {language} {split}")  # noqa: S311  # no secret
        self.language, self.split = language, split
        self.half = half(language)
        self.words = _WORDS[language]
        self.products = {product.number: product for product in self.half.products.there}
        self.facts: dict[str, list[Fact]] = {}
        for fact in self.half.facts:
            if self._mine(fact.kind, fact.subject):
                self.facts.setdefault(fact.kind, []).append(fact)
        for facts in self.facts.values():
            self._random.shuffle(facts)

    def of(self, category: str, many: int) -> list[Question]:
        """`many` questions: of each way to ask in turn, no wording twice."""
        ways = [way() for way in self._ways()[category]]
        made: dict[str, Question] = {}
        while len(made) < many and ways:
            for way in list(ways):
                one = next(way, None)
                if one is None:
                    ways.remove(way)
                elif len(made) < many:
                    made.setdefault(f"{one['query']} {one.get('principal')} {one['as_of']}", {**one, "category": category})
        if len(made) < many:
            raise ValueError(f"only {len(made)} of {many} questions: {category}, {self.language}, {self.split}")
        return list(made.values())

    def _ways(self) -> dict[str, list[Callable[[], Iterator[Question]]]]:
        return {
            "alias": [self._organisation_alias, self._system_alias, self._product_alias],
            "cross-document": [self._compared, self._owners, self._two_days],
            "version conflict": [self._dated_products, self._dated_policies, self._named_versions, self._both_hold],
            "negation": [self._contrasted, self._denied],
            "access isolation": [self._orders, self._minutes, self._supplies, self._runbooks],
            "no answer": [
                self._no_product, self._no_version, self._no_property, self._no_organisation, self._no_code, self._no_system,
            ],
            "table": [self._cells, self._error_codes],
            "code": [self._guides, self._releases],
            "cross-lingual": [self._asked_abroad, self._asked_abroad_by_alias, self._organisations_abroad],
            "plain": [self._plain],
        }

    def _mine(self, kind: str, subject: int) -> bool:
        """Which split a subject belongs to: of products by their name, of all others every third."""
        of_product = kind in _OF_PRODUCTS
        held_back = subject // 3 >= 5 if of_product else subject % 3 == 2
        return held_back == (self.split == "calibration")

    def _current(self, fact: Fact) -> bool:
        """Whether it is the only version that holds on the day of the set."""
        if fact.kind == "manual":
            return fact.version == LAST and not self.products[fact.subject].both
        return fact.kind != "policy" or (fact.version == VERSIONS[-1] and not overlapping(fact.subject))

    def _each(self, *kinds: str) -> Iterator[Fact]:
        """Facts that hold on the day, of each slot in turn."""
        slots: dict[tuple[str, str], list[Fact]] = {}
        for kind in kinds:
            for fact in self.facts.get(kind, ()):
                if self._current(fact):
                    slots.setdefault((kind, fact.slot), []).append(fact)
        for row in itertools.zip_longest(*(slots[key] for key in sorted(slots))):
            picked = [fact for fact in row if fact is not None]
            self._random.shuffle(picked)
            yield from picked

    def _organisation(self, fact: Fact) -> dict[str, str]:
        return self.half.papers.organisations[fact.subject]

    def _say(self, query: str, expected: dict[str, Any], who: dict[str, Any] | None = None, as_of: str = AS_OF) -> Question:
        return question("", self.language, query, expected, who, as_of)

    # By another name

    def _organisation_alias(self) -> Iterator[Question]:
        for turn, fact in enumerate(self._each("profile", "policy")):
            made = self._organisation(fact)
            kinds = ["other", "former", "abbreviation"] if made["former"] else ["other"]
            name = made[kinds[turn % len(kinds)]]
            yield self._say(fact.asked(turn, name=name), _expected(fact, entities=[organisation_id(made)]))

    def _system_alias(self) -> Iterator[Question]:
        for turn, fact in enumerate(self._each("system")):
            made = self.half.papers.systems[fact.subject]
            yield self._say(fact.asked(turn, name=made["other"]), _expected(fact, entities=[system_id(made)]))

    def _product_alias(self) -> Iterator[Question]:
        for turn, fact in enumerate(self._each("faq", "catalogue", "quotas")):
            product = self.products[fact.subject]
            query = fact.asked(turn, product=product_alias(product))
            yield self._say(query, _expected(fact, entities=[product_id(self.language, product)]))

    # Of several documents

    def _compared(self) -> Iterator[Question]:
        facts = [fact for fact in self._each("manual", "faq", "catalogue") if fact.slot in self.words["compared"]]
        for turn, one in enumerate(facts):
            two = next((each for each in facts[turn + 1 :] if each.slot == one.slot and each.source != one.source), None)
            if two is not None:
                wording = self.words["compare"][turn % len(self.words["compare"])]
                names = {"one": self.products[one.subject].full, "two": self.products[two.subject].full}
                yield self._say(wording.format(what=self.words["compared"][one.slot], **names), _expected(one, two))

    def _owners(self) -> Iterator[Question]:
        cards = {fact.subject: fact for fact in self.half.facts if (fact.kind, fact.slot) == ("person", "extension")}
        for turn, fact in enumerate(each for each in self.facts["system"] if each.slot == "owner"):
            made, wording = self.half.papers.systems[fact.subject], self.words["owner"][turn % len(self.words["owner"])]
            card = cards[fact.subject % len(self.half.papers.words["people"])]
            yield self._say(wording.format(system=made["name"]), _expected(fact, card))

    def _two_days(self) -> Iterator[Question]:
        of: dict[int, list[Fact]] = {}
        for fact in self.facts["incident"]:
            if fact.slot == "minutes":
                of.setdefault(fact.subject, []).append(fact)
        for turn, (subject, facts) in enumerate(of.items()):
            days = [_day(self.words["day"], fact.source) for fact in facts[:2]]
            names = {"product": self.products[subject].full, "one": days[0], "two": days[1]}
            yield self._say(self.words["both_days"][turn % 2].format(**names), _expected(*facts[:2]))

    # Of versions

    def _undated(self, fact: Fact, turn: int) -> str | None:
        if fact.kind == "policy":
            return fact.asked(turn, name=self._organisation(fact)["legal"])
        wordings = self.words["undated"].get(fact.slot)
        return wordings[turn % len(wordings)].format(product=self.products[fact.subject].full) if wordings else None

    def _others(self, fact: Fact, versions: Sequence[str]) -> list[str]:
        return [f"{ROOT}/{fact.source.replace(str(fact.version), other)}" for other in versions if other != fact.version]

    def _dated_products(self) -> Iterator[Question]:
        """As of days in the window of one version; the others may not be shown."""
        for turn, fact in enumerate(self.facts["manual"]):
            query = self._undated(fact, turn)
            if query is not None and not self.products[fact.subject].both:
                day = PRODUCT_STARTS[str(fact.version)][:8] + f"{5 + turn % 20:02}"
                expected = _expected(fact, version=fact.version, never=self._others(fact, tuple(PRODUCT_STARTS)))
                yield self._say(query, expected, as_of=AS_OF if fact.version == LAST and turn % 2 else day)

    def _dated_policies(self) -> Iterator[Question]:
        for turn, fact in enumerate(self.facts["policy"]):
            if not overlapping(fact.subject):
                start = dict(zip(VERSIONS, STARTS, strict=True))[str(fact.version)]
                day = f"{start[:5]}{int(start[5:7]) + turn % 9:02}-17"
                expected = _expected(fact, version=fact.version, never=self._others(fact, VERSIONS))
                yield self._say(str(self._undated(fact, turn)), expected, as_of=day)

    def _named_versions(self) -> Iterator[Question]:
        """Two hold, and the question says which is meant."""
        pairs = itertools.zip_longest(self._doubled("manual"), self._doubled("policy"))
        facts = [each for pair in pairs for each in pair if each]
        for turn, fact in enumerate(facts):
            if fact.kind == "manual":
                query = fact.asked(turn)
            else:
                wording = self.words["versioned"][turn % len(self.words["versioned"])]
                query = wording.format(ask=self._undated(fact, turn), version=fact.version)
            yield self._say(query, _expected(fact, version=fact.version))

    def _both_hold(self) -> Iterator[Question]:
        """Two hold, and the question does not say which is meant: both are shown, and that they differ."""
        for turn, fact in enumerate([*self._doubled("policy"), *self._doubled("manual")]):
            query = self._undated(fact, turn)
            other = next(
                each for each in self._doubled(fact.kind)
                if (each.subject, each.slot) == (fact.subject, fact.slot) and each.version != fact.version
            )
            if query is not None and str(fact.version) < str(other.version):
                yield self._say(query, _expected(fact, other, conflict="versions"))

    def _doubled(self, kind: str) -> list[Fact]:
        """Facts of versions that hold besides another on the day of the set."""
        held = {"manual": ("3.0", LAST), "policy": VERSIONS[1:]}[kind]
        return [
            fact for fact in self.facts[kind] if fact.version in held
            and (self.products[fact.subject].both if kind == "manual" else overlapping(fact.subject))
        ]

    # With what is not meant

    def _contrasted(self) -> Iterator[Question]:
        for turn, fact in enumerate(self._each("faq", "catalogue", "quotas")):
            this = self.products[fact.subject]
            other = self.products[(fact.subject + 3) % len(self.products)]
            wording = self.words["contrast"][turn % len(self.words["contrast"])]
            query = wording.format(other=other.full, this=this.full, ask=fact.asked(turn, product=this.full))
            yield self._say(query, _expected(fact))

    def _denied(self) -> Iterator[Question]:
        for turn, fact in enumerate(self._each("policy", "incident")):
            if fact.slot in ("exempt", "forbidden", "untouched"):
                name = self._organisation(fact)["legal"] if fact.kind == "policy" else fact.values["name"]
                yield self._say(fact.asked(turn, name=name), _expected(fact))

    # Who may see it, and who may not

    def _orders(self) -> Iterator[Question]:
        for turn, fact in enumerate(self._each("order")):
            made = self._organisation(fact)
            stranger = {"tenant": self.half.papers.organisations[0]["slug"] + "-x", "level": 3}
            others: list[dict[str, Any]] = [{}, {"tenant": "larkfield"}, stranger]
            yield from self._pair(fact, turn, made["short"] if turn % 2 else made["legal"], {"tenant": made["slug"]}, others)

    def _minutes(self) -> Iterator[Question]:
        for turn, fact in enumerate(self._each("minutes")):
            made = self._organisation(fact)
            role = f"{made['slug']}-board"
            others: list[dict[str, Any]] = [{"roles": [role], "level": 2}, {"roles": ["board"], "level": 3}, {}]
            yield from self._pair(fact, turn, made["legal"], {"roles": [role], "level": 3}, others)

    def _supplies(self) -> Iterator[Question]:
        for turn, fact in enumerate(self._each("supply")):
            made = self._organisation(fact)
            seller = {"user": f"{made['slug']}.seller", "level": 2}
            others: list[dict[str, Any]] = [seller, {"user": "cheng.jiahe", "level": 1}, {}]
            yield from self._pair(fact, turn, made["legal"], {"user": f"{made['slug']}.buyer", "level": 2}, others)

    def _runbooks(self) -> Iterator[Question]:
        for turn, fact in enumerate(self._each("runbook")):
            others: list[dict[str, Any]] = [{"roles": ["sre"]}, {"roles": ["sales"], "level": 3}, {}]
            yield from self._pair(fact, turn, fact.values["name"], {"roles": ["sre"], "level": 1}, others)

    def _pair(
        self, fact: Fact, turn: int, name: str, who: dict[str, Any], others: list[dict[str, Any]]
    ) -> Iterator[Question]:
        yield self._say(fact.asked(turn, name=name), _expected(fact), who)
        hidden = [f"{ROOT}/{fact.source}", *_codenames(self.half, fact)]
        yield self._say(fact.asked(turn + 1, name=name), {**_NOTHING, "never": hidden}, others[turn % len(others)])

    # What nobody says

    def _no_product(self) -> Iterator[Question]:
        absent = [each for each in self.half.products.absent if (each.name < 12) == (self.split == "golden")]
        for turn, fact in enumerate(self._each("faq", "guide", "catalogue", "quotas")):
            yield self._say(fact.asked(turn, product=absent[turn * 5 % len(absent)].full), _NOTHING)

    def _no_version(self) -> Iterator[Question]:
        for turn, fact in enumerate(self._each("manual")):
            version = self.words["never_said"][turn % len(self.words["never_said"])]
            yield self._say(fact.asked(turn, version=version), _NOTHING)

    def _no_property(self) -> Iterator[Question]:
        wordings = self.words["absent"][self.split]
        for turn, fact in enumerate(self._each(*wordings)):
            asked = wordings[fact.kind]
            yield self._say(asked[turn % len(asked)].format(name=self._called(fact)), _NOTHING)

    def _no_organisation(self) -> Iterator[Question]:
        names = self.words["nowhere"][self.split]
        for turn, fact in enumerate(self._each("profile", "policy")):
            yield self._say(fact.asked(turn, name=names[turn % len(names)]), _NOTHING)

    def _no_code(self) -> Iterator[Question]:
        for turn, fact in enumerate(self._each("errors")):
            code = f"{fact.values['code'].partition('_')[0]}_{5003 + 37 * turn}"
            yield self._say(fact.asked(turn, code=code), _NOTHING)

    def _no_system(self) -> Iterator[Question]:
        names = self.words["missing_system"][self.split]
        for turn, fact in enumerate(self._each("system")):
            yield self._say(fact.asked(turn, name=names[turn % len(names)]), _NOTHING)

    # Rows, scripts, and the other language

    def _cells(self) -> Iterator[Question]:
        return self._as_told("models 1", "models 4", "models 5", "models 6", "regions")

    def _error_codes(self) -> Iterator[Question]:
        return self._as_told("errors")

    def _guides(self) -> Iterator[Question]:
        return self._as_told("poll", "bucket", "batch", "header", "retries", "burst", "window", "ttl")

    def _releases(self) -> Iterator[Question]:
        return self._as_told("releases")

    def _plain(self) -> Iterator[Question]:
        return self._as_told("faq", "catalogue", "quotas", "incident", "profile", "system", "person", "manual", "policy")

    def _as_told(self, *kinds: str) -> Iterator[Question]:
        for turn, fact in enumerate(self._each(*kinds)):
            yield self._say(fact.asked(turn, name=self._called(fact)), _expected(fact))

    def _called(self, fact: Fact) -> str:
        if fact.kind in ("profile", "policy"):
            return self._organisation(fact)["legal"]
        if fact.kind == "system":
            return str(self.half.papers.systems[fact.subject]["name"])
        if fact.kind == "person":
            return str(self.half.papers.words["people"][fact.subject])
        return str(fact.values["name"]) if fact.kind == "incident" else self.products[fact.subject].full

    def _abroad(self, *kinds: str) -> Iterator[tuple[Fact, Composer, str]]:
        """Facts that only the other language's papers tell, with a wording of this one."""
        away = Composer("en" if self.language == "zh" else "zh", self.split)
        wordings = {(fact.kind, fact.slot): fact.wordings for fact in self.half.facts}
        for turn, fact in enumerate(away._each(*kinds)):
            mine = wordings[fact.kind, fact.slot]
            yield fact, away, mine[turn % len(mine)]

    def _asked_abroad(self) -> Iterator[Question]:
        for fact, away, wording in self._abroad("manual", "faq", "guide", "catalogue"):
            yield self._say(wording.format(**{**fact.values, "product": away.products[fact.subject].full}), _expected(fact))

    def _asked_abroad_by_alias(self) -> Iterator[Question]:
        for fact, away, wording in self._abroad("catalogue", "quotas", "faq"):
            product = away.products[fact.subject]
            expected = _expected(fact, entities=[product_id(away.language, product)])
            yield self._say(wording.format(**{**fact.values, "product": product_alias(product)}), expected)

    def _organisations_abroad(self) -> Iterator[Question]:
        for fact, away, wording in self._abroad("profile", "policy"):
            made = away._organisation(fact)
            yield self._say(wording.format(name=made["other"]), _expected(fact, entities=[organisation_id(made)]))


_OF_PRODUCTS = frozenset({
    "manual", "faq", "catalogue", "quotas", "errors", "incident", "releases", "guide", "regions", "models 1", "models 4",
    "models 5", "models 6", "poll", "bucket", "batch", "header", "retries", "burst", "window", "ttl",
})


def _day(wording: str, source: str) -> str:
    stamp = source.partition(".")[0][-4:]
    month, day = int(stamp[:2]), int(stamp[2:])
    return wording.format(month=month, day=day, month_name=ENGLISH_MONTHS[month - 1])


def _codenames(half: Half, fact: Fact) -> list[str]:
    """The name in capitals that the paper alone has, if no other of its kind has it."""
    [text] = [paper.text for paper in half.papers.papers if paper.path == fact.source]
    return [word for word in half.papers.words["values"]["codename"] if word in text]
