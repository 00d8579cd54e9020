"""Fills the words of a language in: documents as Markdown, and the facts that may be asked, each with its answer's words."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

CATEGORIES = ("tables", "faq", "code", "subjects", "versions")
QUESTIONS_EACH = 40
"""Of a category and language, to made papers; those of `given` come on top."""

_FACT = re.compile(r"\[\[(\w+)\|(.*?)\]\]", re.DOTALL)
_FOLDED = re.compile("([，。；：、）]) ")
"""Where a line of YAML ended: Chinese is written without spaces."""
_INITIALS = "GBV"
_BLANKS = 0.05
"""Share of cells of the table by city and month that are empty."""


@dataclass(frozen=True, slots=True)
class Paper:
    """A document as Markdown. `name` tells it apart; `title` is its first heading."""

    name: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """`needs`: what a passage of the document `paper` must hold, all of it, to answer; compared without markup and spaces."""

    category: str
    language: str
    text: str
    paper: str
    needs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """A question with what it was made of: all wordings (slots open) and the values of the slots."""

    slot: str
    question: Question
    asked: Sequence[str]
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Product:
    number: int
    full: str
    code: str


class World:
    """All papers of a language, and the facts in them. `products`: (full name, code) of each."""

    def __init__(self, language: str, seed: int = 11) -> None:
        self._random = random.Random(f"{language} {seed}")  # noqa: S311  # no secret
        words = (Path(__file__).parent / f"{language}.yaml").read_text(encoding="utf-8")
        self._words: dict[str, Any] = yaml.safe_load(words)
        self._language = language
        self.papers: list[Paper] = []
        self._facts: dict[str, dict[str, list[Question]]] = {category: {} for category in CATEGORIES}
        self.facts: list[Fact] = []
        products = list(self._products())
        self.products = [(product.full, product.code) for product in products]
        for product in products:
            self._manuals(product)
            self._releases(product)
            self._faq(product)
            self._guide(product)
            self._models(product)
            self._regions(product)
        each = self._words["catalogue"]["each"]
        for number, start in enumerate(range(0, len(products), each), 1):
            self._catalogue(number, products[start : start + each])

    def questions(self, each: int = QUESTIONS_EACH) -> list[Question]:
        """`each` of a category, on every kind of fact in turn, each of another product where there are enough."""
        chosen = []
        for kinds in self._facts.values():
            order = sorted(kinds)
            for rows in kinds.values():
                self._random.shuffle(rows)
            chosen += [kinds[order[at % len(order)]][at // len(order)] for at in range(each)]
        return chosen

    def _products(self) -> Iterator[_Product]:
        for number, name in enumerate(self._words["names"]):
            for initial, kind in zip(_INITIALS, self._words["kinds"], strict=True):
                full = self._words["product"].format(name=name, kind=kind)
                yield _Product(number, full, f"{chr(ord('A') + number)}{initial}")

    def _manuals(self, product: _Product) -> None:
        plan, versions = self._words["manual"], self._words["versions"]
        for values in self._drawn(versions, product, "version"):
            name = f"manual-{product.code}-{values['version']}"
            title, opening = plan["title"].format(**values), plan["opening"].format(**values)
            parts = [f"# {title}", opening]
            for section in plan["sections"]:
                parts.append(f"## {section['heading']}")
                parts += [self._told("versions", plan, text, values, name) for text in section["text"]]
            self._add(name, title, parts)

    def _releases(self, product: _Product) -> None:
        plan = self._words["release_notes"]
        name, title = f"releases-{product.code}", plan["title"].format(product=product.full)
        parts = [f"# {title}", plan["opening"]]
        for values in self._drawn(plan["releases"], product, "release"):
            parts.append(f"## {values['release']}")
            parts.append("\n".join("- " + self._told("versions", plan, item, values, name) for item in plan["items"]))
        self._add(name, title, parts)

    def _faq(self, product: _Product) -> None:
        """One of four ways in which people write such pages down."""
        plan = self._words["faq"]
        [values] = self._drawn([""], product, "")
        name, title = f"faq-{product.code}", plan["title"].format(**values)
        parts = [f"# {title}", plan["opening"]]
        form = _FAQ_FORMS[self._language][product.number % 4]
        for number, group in enumerate(plan["groups"]):
            parts.append(f"## {group}")
            for pair in plan["pairs"]:
                if pair["group"] == number:
                    answer = self._told("faq", plan, pair["answer"], values, name)
                    parts.append(form.format(question=pair["question"], answer=answer))
        self._add(name, title, parts)

    def _guide(self, product: _Product) -> None:
        plan = self._words["guide"]
        [values] = self._drawn([""], product, "")
        name, title = f"guide-{product.code}", plan["title"].format(**values)
        parts = [f"# {title}", plan["opening"]]
        for section in plan["sections"]:
            parts += [f"## {section['heading']}", section["text"]]
            code = self._told("code", plan, section["lines"], values, name)
            parts.append(f"```{section['code']}\n{code.rstrip()}\n```")
        self._add(name, title, parts)

    def _catalogue(self, number: int, products: Sequence[_Product]) -> None:
        """Below its chapter's heading a product is not named again."""
        plan = self._words["catalogue"]
        name, title = f"catalogue-{number}", plan["title"].format(maker=self._words["maker"], number=number)
        parts = [f"# {title}", plan["opening"]]
        drawn = self._drawn([product.full for product in products], products[0], "product")
        for product, values in zip(products, drawn, strict=True):
            parts.append(f"## {product.full}")
            for section in plan["sections"]:
                parts += [f"### {section['heading']}"] if section["heading"] else []
                parts += [self._told("subjects", plan, text, values, name) for text in section["text"]]
        self._add(name, title, parts)

    def _models(self, product: _Product) -> None:
        plan = self._words["tables"]["models"]
        rows = []
        for number in range(plan["rows"]):
            draw = self._random
            size, watts, price = round(1.3 ** (number / 3) + draw.random(), 2), draw.randint(30, 990), draw.randint(900, 99000)
            day = f"{draw.randint(2019, 2026)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
            ports, memory = draw.choice((2, 4, 6, 8, 12)), draw.choice((8, 16, 32, 64))
            rows.append((f"{product.code}-{100 + 10 * number}", str(size), str(ports), str(memory), str(watts), str(price), day))
        name, title = f"models-{product.code}", plan["title"].format(product=product.full)
        for column, asked in plan["ask"].items():
            for row in rows:
                values = {"product": product.full, "row": row[0]}
                self._asked("tables", f"models {column}", asked, values, name, (row[0], row[column]))
        self._add(name, title, [f"# {title}", plan["opening"], _table(plan["columns"], rows)])

    def _regions(self, product: _Product) -> None:
        plan = self._words["tables"]["regions"]
        cities, months = plan["cities"], plan["columns"]
        figures = iter(self._random.sample(range(120, 9900), len(cities) * len(months)))
        rows = [(city, *("" if self._random.random() < _BLANKS else str(next(figures)) for _ in months)) for city in cities]
        name, title = f"regions-{product.code}", plan["title"].format(product=product.full)
        for city, *cells in rows:
            for month, cell in zip(months, cells, strict=True):
                if cell:
                    values = {"product": product.full, "row": city, "column": month}
                    self._asked("tables", "regions", plan["ask"], values, name, (city, cell))
        self._add(name, title, [f"# {title}", plan["opening"], _table([plan["first"], *months], rows)])

    def _drawn(self, of: Sequence[str], product: _Product, called: str) -> Iterator[dict[str, str]]:
        """Values of all slots for each of `of` (versions, releases); one is not drawn twice unless all were."""
        slots: dict[str, list[object]] = {}
        for slot, every in self._words["values"].items():
            rounds = range(len(of) // len(every) + 1)
            slots[slot] = [value for _ in rounds for value in self._random.sample(every, len(every))]
        for place, one in enumerate(of):
            made = {slot: str(values[place]) for slot, values in slots.items()}
            made |= {"product": product.full, "maker": self._words["maker"], "slug": product.code.lower()}
            yield made | ({called: one} if called else {})

    def _told(self, category: str, plan: Mapping[str, Any], text: str, values: Mapping[str, str], name: str) -> str:
        """Return `text` with its slots filled, and keep what it tells as facts."""
        for slot, words in _FACT.findall(text):
            self._asked(category, slot, plan["ask"][slot], values, name, (words.format(**values),))
        return _FACT.sub(r"\2", text).format(**values)

    def _asked(
        self, category: str, kind: str, asked: Sequence[str], values: Mapping[str, str], name: str, needs: tuple[str, ...]
    ) -> None:
        facts = self._facts[category].setdefault(kind, [])
        wording = asked[len(facts) % len(asked)].format(**values)
        facts.append(Question(category, self._language, wording, f"{self._language}/{name}", needs))
        self.facts.append(Fact(kind, facts[-1], asked, values))

    def _add(self, name: str, title: str, parts: Sequence[str]) -> None:
        text = _FOLDED.sub(r"\1", "\n\n".join(parts))
        self.papers.append(Paper(f"{self._language}/{name}", title, text + "\n"))


_FAQ_FORMS = {
    "zh": (
        "### {question}\n\n{answer}",
        "问：{question}\n\n答：{answer}",
        "**{question}**\n\n{answer}",
        "<details>\n<summary>{question}</summary>\n\n{answer}\n\n</details>",
    ),
    "en": (
        "### {question}\n\n{answer}",
        "Q: {question}\n\nA: {answer}",
        "**{question}**\n\n{answer}",
        "<details>\n<summary>{question}</summary>\n\n{answer}\n\n</details>",
    ),
}


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in (columns, *rows)]
    return "\n".join([lines[0], f"|{' --- |' * len(columns)}", *lines[1:]])
