"""The made company's papers with holes in them, and questions of which it is known whether they can be answered.

Of the products of `benchmarks.chunking.world` two names of each language and a third of the others are left out, and a fifth of
the manuals of those that stay: whoever asks for them asks for something whose neighbours are all there. Beside these: versions,
models, products, properties and people that never were, other subjects altogether, and questions in the language that the papers
are not in.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from benchmarks.chunking.asking import plain
from benchmarks.chunking.world.papers import Question, World

LANGUAGES = ("zh", "en")
_NEVER = Path(__file__).with_name("never.yaml")
_VERSION = re.compile(r"(?<![\d.])\d\.\d(?:\.\d)?(?![\d.])")
_MODEL = re.compile(r"([A-O][GBV]-)\d{3}")
_PARTS = ("manual", "release_notes", "faq", "guide", "catalogue")


@dataclass(frozen=True, slots=True)
class Asked:
    """`needs`: what a passage of `paper` must hold to answer; `paper` None: nothing answers. `near`: the product that a question
    is about or resembles, by which folds are made. `kind` tells what is missing, `fact` that nothing is."""

    text: str
    kind: str
    language: str
    near: str
    paper: str | None = None
    needs: tuple[str, ...] = ()


class Holed:
    """The papers of a language without those that were left out, and the questions."""

    def __init__(self, language: str, each: int) -> None:
        self._language = language
        self._random = random.Random(f"{language} holes")  # noqa: S311  # no secret
        self._world = World(language)
        self._words: dict[str, Any] = self._world._words
        self._products = {product.code: product.full for product in self._world._products()}
        self._gone = self._left_out()
        self.papers = dict(self._kept())
        self._each = each

    def questions(self) -> Iterator[Asked]:
        never = yaml.safe_load(_NEVER.read_text(encoding="utf-8"))
        asked = {language: _wordings(World(language)._words) for language in LANGUAGES}
        across = "en" if self._language == "zh" else "zh"
        for kinds in self._world._facts.values():
            for kind, facts in kinds.items():
                for question in self._random.sample(facts, min(len(facts), self._each)):
                    code = self._code_of(question)
                    yield self._fact(question, code)
                    yield from self._neighbours(question, code, never[self._language])
                    if kind in asked[across] and self._random.random() < 0.5:
                        yield from self._translated(question, code, self._random.choice(asked[across][kind]), across)
        yield from self._others(never[self._language])
        yield from self._words_alone()

    def _words_alone(self) -> Iterator[Asked]:
        """Queries of a few words, as people type them: a product, a word of its papers, a name of one of their settings."""
        for code in sorted(self._products):
            full, paper = self._products[code], f"{self._language}/faq-{code}"
            held = paper in self.papers
            kind = "words" if held else "product left out"
            for words in (full, f"{full} {self._words['faq']['groups'][0]}"):
                yield Asked(words, kind, self._language, code, paper if held else None, (full,) if held else ())

    def _left_out(self) -> set[str]:
        letters = sorted({code[0] for code in self._products})
        whole = set(self._random.sample(letters, 2))
        others = sorted(code for code in self._products if code[0] not in whole)
        return {code for code in self._products if code[0] in whole} | set(self._random.sample(others, len(others) // 3))

    def _kept(self) -> Iterator[tuple[str, str]]:
        for paper in self._world.papers:
            kind, code = paper.name.partition("/")[2].split("-")[:2]
            if kind == "catalogue":
                head, *chapters = re.split(r"(?m)^## ", paper.text)
                kept = [chapter for chapter in chapters if self._code(chapter.partition("\n")[0].strip()) not in self._gone]
                yield paper.name, head + "".join(f"## {chapter}" for chapter in kept)
            elif code not in self._gone and not (kind == "manual" and self._random.random() < 0.2):
                yield paper.name, paper.text

    def _code(self, full: str) -> str:
        return next(code for code, name in self._products.items() if name == full)

    def _code_of(self, question: Question) -> str:
        named = [code for code, full in self._products.items() if full in question.text]
        return named[0] if named else question.paper.split("-")[1]

    def _fact(self, question: Question, code: str) -> Asked:
        held = question.paper in self.papers and code not in self._gone
        kind = "fact" if held else "product left out" if code in self._gone else "version left out"
        return Asked(
            question.text, kind, self._language, code, question.paper if held else None, question.needs if held else ()
        )

    def _neighbours(self, question: Question, code: str, never: dict[str, Any]) -> Iterator[Asked]:
        draw = self._random.random()
        version, model = _VERSION.search(question.text), _MODEL.search(question.text)
        if version and draw < 0.6:
            other = self._random.choice(never["releases" if version.group().count(".") > 1 else "versions"])
            yield Asked(question.text.replace(version.group(), other), "no such version", self._language, code)
        if model and draw < 0.6:
            other = model[1] + str(self._random.choice(never["models"]))
            yield Asked(question.text.replace(model.group(), other), "no such model", self._language, code)
        if draw > 0.6:
            name = next(name for name in self._words["names"] if self._products[code].startswith(name))
            other = self._random.choice(never["names"])
            yield Asked(question.text.replace(name, other), "no such product", self._language, code)

    def _translated(self, question: Question, code: str, wording: str, across: str) -> Iterator[Asked]:
        version = _VERSION.search(question.text)
        values = {"product": self._products[code], "row": question.needs[0]}
        values |= {name: version.group() for name in ("version", "release") if version}
        if not set(re.findall(r"{(\w+)}", wording)) <= set(values):
            return
        fact = self._fact(question, code)
        yield Asked(wording.format(**values), f"{fact.kind}, asked across", across, code, fact.paper, fact.needs)

    def _others(self, never: dict[str, Any]) -> Iterator[Asked]:
        here = sorted(set(self._products) - self._gone)
        for wording in never["properties"]:
            for code in self._random.sample(here, 4):
                yield Asked(wording.format(product=self._products[code]), "no such property", self._language, code)
        for number, text in enumerate(never["elsewhere"]):
            yield Asked(text, "another subject", self._language, f"elsewhere {number}")
        for person in never["people"]:
            for wording in never["of_people"]:
                yield Asked(wording.format(person=person), "no such person", self._language, person)


def holds(asked: Asked, uri: str, text: str) -> bool:
    """Whether a passage answers."""
    if asked.paper is None or not uri.endswith(f"{asked.paper}.md"):
        return False
    said = plain(text)
    return all(plain(each) in said for each in asked.needs)


def _wordings(words: dict[str, Any]) -> dict[str, list[str]]:
    """Kind of fact -> how it is asked."""
    tables = words["tables"]
    found = {kind: asked for part in _PARTS for kind, asked in words[part]["ask"].items()}
    return found | {f"models {column}": asked for column, asked in tables["models"]["ask"].items()}
