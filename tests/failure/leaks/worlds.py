"""Made-up knowledge bases in which every document has words that no other one has, in Chinese and English, over two generations.

A `World` is made from its number alone. Its first generation holds more than a dozen documents under all kinds of rules; in the
second some were closed, opened, edited, withdrawn, deleted or added. The words of a document (`secrets`: a word, a code, a
number, the title, a heading, the name of the file, of a person, of a family, a version, an alias that only the registry writes)
are how a leak is seen.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class Rule:
    """Who may see a document, as front matter says it."""

    tenant: str | None = None
    users: tuple[str, ...] | None = None
    roles: tuple[str, ...] | None = None
    level: int = 0

    def lines(self) -> list[str]:
        told = {"tenant": self.tenant, "allowed_users": self.users, "allowed_roles": self.roles}
        levels = ("public", "internal", "confidential", "restricted")
        return [f"{key}: {_quoted(value)}" for key, value in told.items() if value is not None] + (
            [f"level: {levels[self.level]}"] if self.level else []
        )


@dataclass(frozen=True)
class Document:
    """A document in one generation. `declared` and `entries`: the rest of its front matter. `broken`: its rule cannot be
    understood, so it must be withdrawn."""

    path: str
    rule: Rule
    body: str
    secrets: frozenset[str]
    declared: tuple[tuple[str, str], ...] = ()
    entries: tuple[str, ...] = ()
    broken: bool = False

    def said(self, key: str) -> str | None:
        return dict(self.declared).get(key)

    def content(self) -> str:
        lines = [*(f"{key}: {_quoted(value)}" for key, value in self.declared), *self.rule.lines(), *self.entries]
        if self.broken:
            lines.append("alowed_users: [lin]")
        return "\n".join(["---", *lines, "---", self.body])


@dataclass
class World:
    """`first` and `second`: the documents of two generations by path. `registry`: a seed. `entities`: names by id. `merged`: a
    pair that a reviewer found to be one. `principals`: fields of those who ask."""

    number: int
    first: dict[str, Document] = field(default_factory=dict)
    second: dict[str, Document] = field(default_factory=dict)
    registry: str = ""
    entities: dict[str, list[str]] = field(default_factory=dict)
    merged: tuple[str, str] | None = None
    principals: tuple[dict[str, Any], ...] = ()


PRINCIPALS: tuple[dict[str, Any], ...] = (
    {}, {"user": "lin"}, {"roles": ("sales",)}, {"tenant": "larkfield", "level": 1},
    {"user": "王芳", "roles": ("it",), "level": 2},
    {"user": "lin", "roles": ("sales", "it"), "tenant": "larkfield", "level": 3}, {"user": "sales", "tenant": "yanxi"},
)
RULES = (
    *[Rule()] * 5, Rule(users=("lin",)), Rule(users=("王芳",)), Rule(roles=("sales",)), Rule(roles=("it", "sre")),
    Rule("larkfield"), Rule(level=1), Rule(level=2), Rule(level=3), Rule("larkfield", roles=("sales",), level=1),
    Rule(users=()), Rule(users=("*",)),
    Rule(users=("lin",), roles=("sales",)), Rule("yanxi"),
)

_SYLLABLES = (
    "quor", "vex", "zal", "myn", "thrip", "drosk", "welf", "jorb", "plisk", "nauv", "grent", "oxim", "burl", "tez", "kuth",
)
_HAN = "璇玑珩琮瑗璘琚珧璆瑭珣玗琅瑀璟璠芈茕荇菡萏薏蘅蘩蕤鳐鲛鳜鲮鼋骢骓骐驷鸢鹓鹖鹗翯翚缁绡缃绶埙篪簋鬲"
_SHARED_EN = (
    "The gateway keeps every connection open until the valve reports its pressure.",
    "Operators check the backup power before a restart and note the result.",
    "Audit records are kept for four hundred days and then removed.",
    "A request beyond the limit is answered with an error and tried again later.",
    "The supplier delivers spare parts within ten days after the order.",
    "Maintenance takes place at night, and both sides are told a week before.",
)
_SHARED_ZH = (
    "网关在阀门报告压力之前保持所有连接。", "重启之前，运维人员检查备用电源并记录结果。", "审计记录保留四百天，然后删除。",
    "超过限额的请求会收到错误，稍后重试。", "供应商在下单后十天内交付备件。", "维护安排在夜间，双方提前一周得到通知。",
)
_FAMILIES = ("gateway-manual", "supply-terms", "运维手册")
_SCOPES = ("北区", "plant-two", "")


class Secrets:
    """Words that were never given before, and of which none is a part of another."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._given: set[str] = set()

    def word(self, language: str = "en") -> str:
        if language == "zh":
            return self._new(lambda: "".join(self._rng.sample(_HAN, 4)))
        return self._new(lambda: "".join(self._rng.sample(_SYLLABLES, 3)))

    def code(self) -> str:
        return self._new(lambda: f"{''.join(self._rng.sample('KLMNPQRTVWX', 2))}-{self._rng.randrange(10_000, 99_999)}")

    def number(self) -> str:
        return self._new(lambda: f"{self._rng.randrange(10_000, 99_999)}.{self._rng.randrange(101, 999)}")

    def version(self) -> str:
        return self._new(lambda: f"{self._rng.randrange(2, 9)}.{self._rng.randrange(1001, 9999)}.{self._rng.randrange(1, 9)}")

    def _new(self, make: Any) -> str:
        while True:
            made: str = make()
            if not any(made in other or other in made for other in self._given):
                self._given.add(made)
                return made


def world(number: int) -> World:
    """Return the world of a number: the same number gives the same world."""
    rng = random.Random(f"leaks {number}")  # noqa: S311
    made = World(number, principals=PRINCIPALS)
    secrets = Secrets(rng)
    for _ in range(rng.randrange(12, 17)):
        document = _document(rng, secrets, list(made.first.values()))
        made.first[document.path] = document
    _register(rng, secrets, made)
    _change(rng, secrets, made)
    return made


def _document(rng: random.Random, secrets: Secrets, others: list[Document]) -> Document:
    language = rng.choice(("en", "zh"))
    word, heading, title = secrets.word(language), secrets.word(language), secrets.word(language)
    stem, person, code, number = secrets.word(), secrets.word(), secrets.code(), secrets.number()
    declared: dict[str, str] = {"title": f"{title} 说明" if language == "zh" else f"The {title} paper"}
    own = {word, heading, title, stem, person, code, number}
    if rng.random() < 0.4:
        declared["document"] = rng.choice(_FAMILIES)
        declared["version"] = secrets.version() if rng.random() < 0.5 else rng.choice(("1.0", "2.0", "2.1", "3.0"))
        if len(declared["version"]) > 4:
            own.add(declared["version"])
    elif rng.random() < 0.2:
        declared["document"] = family = f"family-{secrets.word()}"
        own.add(family)
    if rng.random() < 0.4:
        declared["valid_from"] = f"{rng.choice((2022, 2023, 2024, 2025))}-{rng.randrange(1, 13):02}-01"
    if rng.random() < 0.15:
        declared["valid_until"] = rng.choice(("2026-01-01", "2031-05-01"))
    if rng.random() < 0.15:
        declared["status"] = rng.choice(("draft", "deprecated", "archived"))
    if "document" in declared and rng.random() < 0.3:
        declared["supersedes"] = rng.choice(("1.0", "2.0", "2.1"))
    if scope := rng.choice(_SCOPES):
        declared["scope"] = scope
    shared = rng.sample(_SHARED_ZH if language == "zh" else _SHARED_EN, 3)
    if language == "zh":
        told = [
            f"# {title}", f"{''.join(shared)}{word}的负责人是 {person}，编号 {code}。", f"## {heading}",
            f"{rng.choice(_SHARED_ZH)}额定值为 {number} kPa，代号 {code}。",
        ]
    else:
        told = [
            f"# The {title} paper", f"{' '.join(shared)} Ask {person.title()} about the {word}; its code is {code}.",
            f"## About {heading}",
            f"{rng.choice(_SHARED_EN)} The rated value is {number} kPa, written {code}.",
        ]
    if rng.random() < 0.3:
        cell = secrets.word()
        own.add(cell)
        told += ["", "| part | value |", "|---|---|", f"| {cell} | 10 bar |", f"| valve | {rng.randrange(5, 90)} bar |", ""]
    if others and rng.random() < 0.3:
        told.append(f"See [the other one]({rng.choice(others).path}).")
    if rng.random() < 0.3:
        # Only one word of these is not the same in every copy.
        kept = " ".join(_SHARED_ZH if language == "zh" else _SHARED_EN)
        told += [f"## {'附录' if language == 'zh' else 'Appendix'}", f"{kept} {kept} {kept} {word}"]
    rule = rng.choice(RULES)
    return Document(f"{stem}.md", rule, "\n\n".join(told) + "\n", frozenset(own), tuple(declared.items()))


# --- the registry


def _register(rng: random.Random, secrets: Secrets, made: World) -> None:
    """Entities that many documents name, and some whose every name, or one alias, or an assertion, has one document only."""
    paths = sorted(made.first)
    entities: list[dict[str, Any]] = []
    assertions: list[dict[str, Any]] = []

    def known(name: str, type: str, *names: dict[str, Any]) -> str:
        id = f"urn:kb:entity:{name}"
        entities.append({"id": id, "type": type, "names": list(names)})
        made.entities[id] = [text["text"] for text in names]
        return id

    gate = known("gate", "product", {"text": "Norrvik Gate", "kind": "preferred"}, {"text": "北辰网关"})
    maker = known("maker", "organization", {"text": "Norrvik Works", "kind": "preferred"}, {"text": "北辰制造"})
    for path in rng.sample(paths, 5):
        _mention(made, path, rng.choice((*made.entities[gate], *made.entities[maker])))
    for place in range(4):  # an alias that one document writes, or that the registry says is from it
        path, alias = rng.choice(paths), f"{secrets.word().title()} {'Gate' if place % 2 else 'Works'}"
        entity = entities[0 if place % 2 else 1]
        if rng.random() < 0.5:
            entity["names"].append({"text": alias, "source": rng.choice((path, f"docs/{path}"))})
            _own(made, path, alias)
        else:
            entity["names"].append({"text": alias})
            _mention(made, path, alias)
            _own(made, path, alias)
        made.entities[entity["id"]].append(alias)
    namesakes = []
    for place in range(3):  # entities that one document knows; two of them share a name
        path, name = rng.choice(paths), secrets.word().title()
        extra = [{"text": "Meridian"}] if place < 2 else []
        lone = known(f"lone-{place}-{name.casefold()}", "system", {"text": name, "kind": "preferred"}, *extra)
        _mention(made, path, name)
        _own(made, path, name)
        _own(made, path, lone)
        namesakes.append(lone)
        if place == 2 and rng.random() < 0.7:
            assertions.append({"subject": lone, "relation": "dependsOn", "object": gate, "evidence": path})
    for _ in range(3):  # two at once contradict each other
        path, value = rng.choice(paths), secrets.version()
        assertions.append({"subject": gate, "relation": "softwareVersion", "value": value, "evidence": path})
        _own(made, path, value)
    assertions.append({"subject": maker, "relation": "makes", "object": gate, "evidence": rng.choice(paths)})
    path, value = rng.choice(paths), secrets.version()
    document = made.first[path]
    entry = f"assertions: [{{subject: {gate}, relation: softwareVersion, value: '{value}'}}]"
    made.first[path] = replace(document, entries=(entry,), secrets=document.secrets | {value})
    if rng.random() < 0.4:
        made.merged = (namesakes[2], gate)
    made.registry = json.dumps({"entities": entities, "assertions": assertions}, ensure_ascii=False)


def _mention(made: World, path: str, name: str) -> None:
    document = made.first[path]
    made.first[path] = replace(document, body=f"{document.body}\nThe {name} is part of it; {name} 也在其中。\n")


def _own(made: World, path: str, secret: str) -> None:
    made.first[path] = replace(made.first[path], secrets=made.first[path].secrets | {secret})


# --- the second generation


def _change(rng: random.Random, secrets: Secrets, made: World) -> None:
    """What happens between the generations. An open note changes always, so that there is a second one for everybody."""
    note = Document("note.md", Rule(), "# Note\n\nThe first edition of the note about the gateway.\n", frozenset())
    made.first[note.path] = note
    made.second = dict(made.first)
    made.second[note.path] = replace(note, body="# Note\n\nThe second edition of the note about the gateway.\n")
    for path in rng.sample(sorted(made.first.keys() - {note.path}), 6):
        document, what = made.first[path], rng.choice(("close", "open", "edit", "withdraw", "delete", "outdate"))
        if document.said("document") and document.said("valid_from") and what in ("close", "edit", "withdraw"):
            what = "delete"  # an older generation keeps the windows that it was published with, those that this one ended too
        elif document.said("document") and what in ("open", "edit"):
            what = "outdate"
        if what == "close":
            made.second[path] = replace(document, rule=rng.choice([rule for rule in RULES if rule != Rule()]))
        elif what == "open":
            made.second[path] = replace(document, rule=Rule())
        elif what == "edit":
            made.second[path] = _edited(rng, secrets, document)
        elif what == "withdraw":
            made.second[path] = replace(document, broken=True)
        elif what == "delete":
            del made.second[path]
        else:
            declared = {**dict(document.declared), "status": "archived"}
            made.second[path] = replace(document, declared=tuple(declared.items()))
    for _ in range(2):
        document = _document(rng, secrets, [])
        made.second[document.path] = document


def _edited(rng: random.Random, secrets: Secrets, document: Document) -> Document:
    """Other words in the text, under another rule perhaps; titles, names and what the registry says of it stay."""
    body, kept = document.body, set(document.secrets)
    for old in sorted(secret for secret in document.secrets if "-" in secret and secret[:1].isupper() and secret in body):
        new = secrets.code()
        body = body.replace(old, new)
        kept = (kept - {old}) | {new}
    return replace(document, body=body, secrets=frozenset(kept), rule=rng.choice((document.rule, rng.choice(RULES))))


def _quoted(value: Any) -> str:
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
