"""Papers on products, as `benchmarks.chunking.world` writes them, with front matter: families, versions and their windows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.answers.world.facts import Fact, Paper
from benchmarks.chunking.world import papers as cutting

NAMES = 7
"""Of the fifteen names there: three products each. The others are asked for and do not exist."""
STARTS = {"2.4": "2023-02-01", "3.0": "2024-06-01", "3.6": "2025-09-01"}
LAST = "3.6"
BOTH = "2028-12-31"
"""Until when 3.0 holds besides 3.6, of products of which it does."""
_EVERY = 3
_PER_NAME = 3
_PER_CATALOGUE = 4


@dataclass(frozen=True, slots=True)
class Product:
    """`number` counts products; `name` the names that they come from."""

    number: int
    full: str
    code: str

    @property
    def name(self) -> int:
        return self.number // _PER_NAME

    @property
    def both(self) -> bool:
        """Whether 3.0 and 3.6 hold at the same time."""
        return self.name % _EVERY == 1


class Products:
    """The products of a language that exist, those that do not, their papers and facts."""

    def __init__(self, language: str) -> None:
        world = cutting.World(language)
        every = [Product(number, *named) for number, named in enumerate(world.products)]
        self.there = [product for product in every if product.name < NAMES]
        self.absent = [product for product in every if product.name >= NAMES]
        by_code = {product.code: product for product in self.there}
        catalogues = len(self.there) // _PER_CATALOGUE
        self.papers: list[Paper] = []
        kept: dict[str, Product | None] = {}
        for paper in world.papers:
            kind, _, rest = paper.name.partition("/")[2].partition("-")
            product = by_code.get(rest.partition("-")[0])
            if product is not None or (kind == "catalogue" and int(rest) <= catalogues):
                kept[paper.name] = product
                self.papers.append(Paper(_path(paper.name), _dated(paper, kind, rest, product, language)))
        by_full = {product.full: product for product in self.there}
        self.facts = list(_facts(world, language, kept, by_full))


def _facts(
    world: cutting.World, language: str, kept: dict[str, Product | None], by_full: dict[str, Product]
) -> Iterator[Fact]:
    for one in world.facts:
        if one.question.paper not in kept:
            continue
        product = kept[one.question.paper] or by_full[one.values["product"]]
        kind, _, rest = one.question.paper.partition("/")[2].partition("-")
        version = rest.partition("-")[2] or None
        yield Fact(
            kind, one.slot, language, product.number, _path(one.question.paper), one.question.needs, tuple(one.asked), one.values,
            version,
        )


def _path(name: str) -> str:
    language, _, rest = name.partition("/")
    return f"products/{rest}.{language}.md"


def _dated(paper: cutting.Paper, kind: str, rest: str, product: Product | None, language: str) -> str:
    family = f"{kind}-{language}-{rest.partition('-')[0]}"
    lines = [f'title: "{paper.title}"', f"document: {family}", f"language: {language}", "scope: product"]
    version = rest.partition("-")[2]
    if kind == "manual" and product is not None:
        lines += [f'version: "{version}"', f"valid_from: {STARTS[version]}"]
        if version == "3.0" and product.both:
            lines.append(f"valid_until: {BOTH}")
    front = "\n".join(lines)
    return f"---\n{front}\n---\n\n{paper.text}"
