"""How well mentions are found, by type, with and without statistical models; how fast, and with 100,000 entities.

The sentences are those of `fixtures/mentions`, annotated by hand before the rules were written; a span counts when its characters
and its type are exactly those. `models alone`: spaCy's English pipeline and LAC for Chinese, without anything of ours. The
models need the extra `mentions`; without it their columns are empty.

    python -m benchmarks.mentions
"""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from benchmarks.measure import table
from entities.mentions.recogniser import Recogniser
from entities.mentions.span import disjoint
from entities.mentions.statistical import MODELS, Models
from entities.registry import load_seeds
from ingest.errors import ExtraMissing
from ingest.model.entity import Entity, Name, Registry

FIXTURE = Path(__file__).parents[1] / "fixtures" / "mentions"
LANGUAGES = ("zh", "en")
ENTITIES = 100_000

Span = tuple[int, int, str]
"""Start, end, and type; of an identifier its scheme."""
Finder = Callable[[str], set[Span]]

_MARK = re.compile(r"\{\{(.+?)\|([a-z-]+)\}\}")


def main() -> None:
    registry = load_seeds([FIXTURE / "registry.yaml"])
    finders: dict[str, Finder] = {"rules": found_by(registry, ())}
    try:
        Models(MODELS).spans("The first sentence loads. 第一句话加载。")
    except ExtraMissing as error:
        print(f"without the models: {error}\n")
    else:
        finders |= {"rules + models": found_by(registry, MODELS), "models alone": _models_alone()}
    print(f"{quality(finders)}\n")
    print(f"{speed(registry, with_models=len(finders) > 1)}\n")
    print(scale())


# --- quality ---


def annotated(language: str) -> list[tuple[str, set[Span]]]:
    """Sentences with what was marked in them."""
    lines = (FIXTURE / f"{language}.txt").read_text(encoding="utf-8").splitlines()
    return [_unmarked(line) for line in lines if line and not line.startswith("#")]


def _unmarked(line: str) -> tuple[str, set[Span]]:
    text, at, spans = "", 0, set()
    for match in _MARK.finditer(line):
        text += line[at : match.start()]
        spans.add((len(text), len(text) + len(match[1]), match[2]))
        text, at = text + match[1], match.end()
    return text + line[at:], spans


def found_by(registry: Registry, models: Sequence[str]) -> Finder:
    """Everything that the recogniser says of a text: mentions and candidates."""
    recogniser = Recogniser(registry, models)
    types = {entity.entity_id: entity.type for entity in registry.entities}

    def find(text: str) -> set[Span]:
        spans = {(one.start, one.end): _label(one.method, types.get(one.entity_id, "")) for one in recogniser.mentions("", text)}
        spans |= {(one.start, one.end): _label(one.method, one.type) for one in recogniser.candidates("", text)}
        return {(start, end, label) for (start, end), label in spans.items()}

    return find


def _label(method: str, type: str) -> str:
    return method.split(":")[1] if method.startswith("identifier:") else type


def _models_alone() -> Finder:
    models = Models(MODELS)
    return lambda text: {(span.start, span.end, span.type) for span in disjoint(models.spans(text))}


@dataclass
class Counts:
    """Of one type: right, wrong and missed spans."""

    right: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)

    def told(self, types: Iterable[str]) -> list[str]:
        right, wrong, missed = (sum(counter[type] for type in types) for counter in (self.right, self.wrong, self.missed))
        if not right:
            return ["-", "-", "-"]
        precision, recall = right / (right + wrong), right / (right + missed)
        return [f"{value:.3f}" for value in (precision, recall, 2 * precision * recall / (precision + recall))]


def quality(finders: dict[str, Finder]) -> str:
    """One table: precision, recall and F1 by language and type, for each way of finding."""
    heading = ["", "type", "spans"]
    for name in finders:
        heading += [f"P {name}", "R", "F1"]
    rows: list[list[object]] = []
    for language in LANGUAGES:
        sentences = annotated(language)
        marked = Counter(span[2] for _, spans in sentences for span in spans)
        counts = [counted(sentences, find) for find in finders.values()]
        for type in sorted(marked):
            rows.append([language, type, marked[type], *(cell for one in counts for cell in one.told([type]))])
        everything = {type for one in counts for type in (*one.right, *one.wrong, *one.missed)}
        rows.append([language, "all", sum(marked.values()), *(cell for one in counts for cell in one.told(everything))])
    return table(heading, rows)


def counted(sentences: Iterable[tuple[str, set[Span]]], find: Finder) -> Counts:
    counts = Counts()
    for text, wanted in sentences:
        found = find(text)
        counts.right.update(span[2] for span in found & wanted)
        counts.wrong.update(span[2] for span in found - wanted)
        counts.missed.update(span[2] for span in wanted - found)
    return counts


# --- speed and size ---


def speed(registry: Registry, *, with_models: bool) -> str:
    """Sentences a second of one core."""
    texts = [text for language in LANGUAGES for text, _ in annotated(language)]
    rules, models = Recogniser(registry), Recogniser(registry, MODELS)
    work: dict[str, Callable[[str], object]] = {
        "mentions": lambda text: rules.mentions("", text), "candidates by rules": lambda text: rules.candidates("", text),
    }
    if with_models:
        work["candidates with models"] = lambda text: models.candidates("", text)
    return table(["", "sentences a second"], [[name, f"{rate(texts, do):,.0f}"] for name, do in work.items()])


def rate(texts: Sequence[str], do: Callable[[str], object], seconds: float = 1.0) -> float:
    """Texts a second of processor time, once what is built on first use is there."""
    for text in texts[:20]:
        do(text)
    done, started = 0, time.process_time()
    while time.process_time() - started < seconds:
        for text in texts:
            do(text)
        done += len(texts)
    return done / (time.process_time() - started)


def scale() -> str:
    """A registry of 100,000 entities with two names each: to build, to look names up in, to hold."""
    registry, texts = large(ENTITIES)
    before = psutil.Process().memory_info().rss
    started = time.process_time()
    recogniser = Recogniser(registry)
    recogniser.mentions("", texts[0])
    built = time.process_time() - started
    looked_up = rate(texts, lambda text: recogniser.mentions("", text))
    held = (psutil.Process().memory_info().rss - before) / 2**20
    added = Registry((*registry.entities, Entity("urn:kb:entity:new", "product", (Name("新星座引擎"),))))
    started = time.process_time()
    difference = Recogniser(added).since(recogniser)
    concerned = sum(difference.concerns(text) for text in [*texts, "新星座引擎上线了。"])
    rescanned = time.process_time() - started
    return table(["100,000 entities, 200,000 names", ""], [
        ["build, seconds", f"{built:.1f}"], ["texts with a name a second", f"{looked_up:,.0f}"], ["memory, MB", f"{held:,.0f}"],
        [f"one alias added: of {len(texts) + 1:,} texts read again", concerned], ["  told in seconds", f"{rescanned:.2f}"],
    ])


def large(count: int) -> tuple[Registry, list[str]]:
    """`count` firms with a Chinese and an English name, and texts that hold one each."""
    draw = random.Random(6)  # noqa: S311  # the same registry every time
    han = [chr(code) for code in range(0x4E00, 0x5600)]
    syllables = [first + vowel for first in "bcdfghklmnprstvz" for vowel in ("a", "e", "i", "o", "u", "or", "an", "el")]
    entities, texts = [], []
    for number in range(count):
        chinese = "".join(draw.choices(han, k=4)) + "科技有限公司"
        english = "".join(draw.choices(syllables, k=3)).title() + " " + "".join(draw.choices(syllables, k=2)).title() + " Ltd"
        entities.append(Entity(f"urn:kb:entity:{number:06}", "organization", (Name(chinese), Name(english))))
        if number % 20 == 0:
            texts.append(f"昨天{chinese}签订了合同。" if number % 40 else f"The contract with {english} was signed in May.")
    return Registry(tuple(entities)), texts


if __name__ == "__main__":
    main()
