"""Fills the words of a language in: papers on organisations, tenants, systems, people, incidents and rules, and their facts."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from benchmarks.answers.world.facts import Fact, Paper
from benchmarks.answers.world.products import Product

ORGANISATIONS = 24
PAIRS = 24
"""Of places that a runbook is for."""
DATES_EACH = 2
"""Incidents of one product."""
CODES = 14
VERSIONS = ("1.0", "2.0", "3.0")
STARTS = ("2024-01-01", "2025-03-01", "2026-02-01")
BOTH = "2028-12-31"
"""Until when a version that is not closed by the next one holds."""
_FACT = re.compile(r"\[\[(\w+)\|(.*?)\]\]", re.DOTALL)
ENGLISH_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"
)
_HOME = {"深圳", "苏州", "Shenzhen", "Suzhou"}
"""Between these two fails over what the fixtures describe."""


def overlapping(subject: int) -> bool:
    """Whether two versions of the subject's papers hold at the same time."""
    return subject % 3 == 1


class Papers:
    """The papers of one language and the facts in them. `products`: those of the language that are there."""

    def __init__(self, language: str, products: list[Product], seed: int = 7) -> None:
        self._random = random.Random(f"answers {language} {seed}")  # noqa: S311  # no secret
        self.words: dict[str, Any] = yaml.safe_load(Path(__file__).with_name(f"{language}.yaml").read_text(encoding="utf-8"))
        self.language = language
        self.papers: list[Paper] = []
        self.facts: list[Fact] = []
        self.organisations = list(self._organisations())
        self.systems = [
            {
                "name": self.words["system"].format(name=name), "short": name, "other": other,
                "slug": other if language == "zh" else name,
            }
            for name, other in self.words["systems"]
        ]
        self._pools: dict[str, list[Any]] = {}
        self._about_organisations()
        self._about_systems()
        self._about_people()
        self._about_places()
        self._about_products(products)

    def _organisations(self) -> Iterator[dict[str, str]]:
        words = self.words
        for number, (short, other, before) in enumerate(words["organisations"][:ORGANISATIONS]):
            city, field = number % len(words["cities"]), (number * 5 + number // 6) % len(words["industries"])
            latin = other if self.language == "zh" else short
            made = {
                "short": short, "city": words["cities"][city], "industry": words["industries"][field], "former": before,
                "latin": other, "slug": latin.lower(),
            }
            yield self._named(made, field)
            if number % 4 == 3:  # another company of nearly the same name
                twin = {**made, "city": words["cities"][(city + 3) % 8], "industry": words["industries"][(field + 2) % 6],
                        "former": "", "slug": f"{made['slug']}-2", "twin": "yes"}
                yield self._named(twin, (field + 2) % 6)

    def _named(self, made: dict[str, str], field: int) -> dict[str, str]:
        words = self.words
        legal = words["legal"].format(**made)
        latin = words["latin"].format(latin=made["latin"], industry=words["industries_latin"][field])
        former = words["former"].format(**made) if made["former"] else ""
        return {**made, "legal": legal, "other": latin, "former": former, "abbreviation": words["abbreviation"].format(**made)}

    def _about_organisations(self) -> None:
        for number, made in enumerate(self.organisations):
            self._write("profile", number, made)
            if "twin" in made:
                continue
            for kind in ("order", "minutes", "supply"):
                quarter = self.words["quarters"][number % len(self.words["quarters"])]
                self._write(kind, number, {**made, "quarter": quarter})
            for version, start in zip(VERSIONS, STARTS, strict=True):
                dated = {"valid_from": start}
                if overlapping(number) and version == VERSIONS[1]:
                    dated["valid_until"] = BOTH
                self._write("policy", number, {**made, "version": version}, dated)

    def _about_systems(self) -> None:
        for number, made in enumerate(self.systems):
            person = self.words["people"][number % len(self.words["people"])]
            self._write("system", number, {**made, "slug": made["slug"].lower(), "person": person})

    def _about_people(self) -> None:
        for number, person in enumerate(self.words["people"]):
            self._write("person", number, {"person": person, "slug": f"card-{self.language}-{number + 1:02}"})

    def _about_places(self) -> None:
        pairs = [pair for pair in itertools.permutations(self.words["regions"], 2) if not set(pair) <= _HOME]
        for number, (here, there) in enumerate(self._random.sample(pairs, PAIRS)):
            made = {"from": here, "to": there, "slug": f"failover-{self.language}-{number + 1:02}"}
            self._write("runbook", number, {**made, "name": self.words["between"].format(**made)})

    def _about_products(self, products: list[Product]) -> None:
        for product in products:
            made = {"product": product.full, "slug": f"{self.language}-{product.code.lower()}"}
            self._write("quotas", product.number, made)
            self._errors(product, made)
            days = self._random.sample([(month, day) for month in range(1, 11) for day in range(2, 28)], DATES_EACH)
            for month, day in days:
                said = {"year": 2026, "month": month, "day": day, "month_name": ENGLISH_MONTHS[month - 1]}
                dated = {**made, "day": self.words["day"].format(**said), "slug": f"incident-{made['slug']}-{month:02}{day:02}"}
                person = self._random.choice(self.words["people"])
                self._write("incident", product.number, {**dated, "name": self.words["event"].format(**dated), "person": person})

    def _errors(self, product: Product, made: Mapping[str, str]) -> None:
        kind, words = self.words["kinds"]["errors"], self.words["errors"]
        numbers = sorted(self._random.sample(range(1001, 4999), CODES))
        rows = [(f"{'Q' if self.language == 'zh' else 'K'}{product.code}_{number}", *told) for number, told in zip(
            numbers, self._random.sample(list(zip(words["means"], words["remedies"], strict=True)), CODES), strict=True)]
        path = kind["path"].format(**made)
        for code, meaning, _ in rows:
            values = {"product": product.full, "code": code}
            self.facts.append(Fact(
                "errors", "errors", self.language, product.number, path, (code, meaning), tuple(kind["ask"]["errors"]), values
            ))
        lines = [f"| {' | '.join(row)} |" for row in (words["columns"], *rows)]
        lines.insert(1, "| --- | --- | --- |")
        self._add(kind, made, {}, [kind["opening"].format(**made), "\n".join(lines)])

    def _write(self, name: str, subject: int, made: Mapping[str, str], dated: Mapping[str, str] | None = None) -> None:
        kind = self.words["kinds"][name]
        values = {**self._drawn(name), **made}
        values.setdefault("person", self._random.choice(self.words["people"]))
        path = kind["path"].format(**values)
        parts = [kind["opening"].format(**values)]
        for section in kind["sections"]:
            for slot, words in _FACT.findall(section["text"]):
                if slot in kind["ask"]:
                    kept: dict[str, Any] = {key: values[key] for key in ("product", "name", "version") if key in values}
                    self.facts.append(Fact(
                        name, slot, self.language, subject, path, (words.format(**values),), tuple(kind["ask"][slot]), kept,
                        values.get("version"),
                    ))
            parts += [f"## {section['heading']}", _FACT.sub(r"\2", section["text"]).format(**values)]
        self._add(kind, values, dated or {}, parts)

    def _add(self, kind: Mapping[str, Any], values: Mapping[str, Any], dated: Mapping[str, str], parts: list[str]) -> None:
        title = kind["title"].format(**values)
        front = {key: str(text).format(**values) for key, text in kind["front"].items()} | dict(dated)
        if "version" in front:
            front["version"] = f'"{front["version"]}"'
        head = "\n".join(f"{key}: {text}" for key, text in {"title": f'"{title}"', **front}.items())
        self.papers.append(Paper(kind["path"].format(**values), f"---\n{head}\n---\n\n# {title}\n\n" + "\n\n".join(parts) + "\n"))

    def _drawn(self, kind: str) -> dict[str, Any]:
        """A value of every slot; of one kind of paper none is drawn twice unless all were."""
        drawn = {}
        for slot, every in self.words["values"].items():
            pool = self._pools.setdefault(f"{kind} {slot}", [])
            if not pool:
                bounds = re.fullmatch(r"(\d+)-(\d+)", every) if isinstance(every, str) else None
                pool += range(int(bounds[1]), int(bounds[2]) + 1) if bounds else every
                self._random.shuffle(pool)
            drawn[slot] = pool.pop()
        return drawn


