"""What somebody asks who looks for what is hidden: by its name, half of it, a slip away, quoted, by version, date or alias, as a
filter, as an id; through any door. A call is a door with its arguments."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Call = tuple[str, dict[str, Any]]

_MODES = ("hybrid", "hybrid", "bm25", "vector", "graph")
_STATUSES = (None, ("archived", "draft"), ("active", "deprecated"))
_WIDE = {"top_k": 50, "tokens": 20_000}
"""More than there is."""
_TIGHT = {"top_k": 3, "tokens": 200}
"""Less than there is: which rows come last depends on every score."""


class Asker:
    """Makes the calls of one caller. `ids`: source, chunk and parent ids by path; `hidden`: paths that do not show; `assertions`:
    ids of all."""

    def __init__(
        self, rng: random.Random, world: Any, hidden: Sequence[str], ids: Mapping[str, Sequence[str]], assertions: Sequence[str]
    ) -> None:
        self._rng = rng
        self._world = world
        self._hidden = [path for path in hidden if path in ids] or sorted(ids)
        self._ids = ids
        self._assertions = list(assertions)
        self._documents = {**world.first, **world.second}
        self._names = [name for names in world.entities.values() for name in names]

    def calls(self, number: int, also: float = 1.0) -> Iterator[tuple[Call, ...]]:
        """Yield cases: a search, and with the chance `also` another door."""
        for _ in range(number):
            yield (self._search(), self._other()) if self._rng.random() < also else (self._search(),)

    def query(self) -> str:
        rng, target = self._rng, self._target()
        secret = rng.choice(sorted(target.secrets)) if target.secrets else "gateway"
        half, slip = secret[: max(2, len(secret) // 2)], slipped(rng, secret)
        family, version = target.said("document") or "手册", target.said("version") or "2.1"
        if rng.random() < 0.25:  # what a plan may put right or complete
            code = next((each for each in sorted(target.secrets) if each[2:3] == "-"), "ERR-1042")
            return rng.choice((
                slipped(rng, code), f"{slipped(rng, code)} alarm", f"告警 {slipped(rng, code)}",
                code.replace("-", " ").lower(), f"error {code[3:]}",
                f"limits of version {version.rpartition('.')[0]}", f"{family} {version.rpartition('.')[0]} 版",
            ))
        return rng.choice((
            secret, half, slip, secret.upper(), f'"{secret}"', f"“{secret}”", f"{secret} {slip}", f"ERR {secret[-5:]}",
            f"What is the rated value of {secret}?", f"{secret} 的负责人是谁？", f"gateway pressure {secret}",
            f"网关 {half} 压力", f"not {secret} but the valve", f"除了{secret}以外的网关", f"version {version} of the {family}",
            f"{family} {version} 版的限额", target.said("title") or secret, f"docs/{target.path}", f"see {target.path}",
            rng.choice(self._names),
            f"{rng.choice(self._names)} gateway", "Meridian", "What does Meridian depend on?", "Who makes the Norrvik Gate?",
            "北辰网关的版本是多少？", "它是什么时候维护的？", f"{rng.choice((2023, 2024, 2025))} 年的审计记录",
            f"backup power in March {rng.choice((2023, 2024))}", "The gateway keeps every connection open", "审计记录保留四百天",
        ))

    def _target(self) -> Any:
        """A document, mostly a hidden one."""
        paths = self._hidden if self._rng.random() < 0.85 else sorted(self._documents)
        return self._documents[self._rng.choice(paths)]

    def _search(self) -> Call:
        rng = self._rng
        given: dict[str, Any] = {"query": self.query(), "generation": rng.choice((1, 2, 2)), "mode": rng.choice(_MODES)}
        if rng.random() < 0.2:
            given["planned"] = False
        if rng.random() < 0.3:
            given["expand"] = rng.random() < 0.7
        if rng.random() < 0.3:
            given["statuses"] = rng.choice(_STATUSES)
        if rng.random() < 0.3:
            given["as_of"] = f"{rng.choice((2023, 2024, 2025, 2026))}-0{rng.randrange(1, 10)}-15T00:00:00Z"
        elif rng.random() < 0.2:
            given["during"] = ("2023-06-01T00:00:00Z", "2025-06-01T00:00:00Z")
        if rng.random() < 0.4:
            given |= rng.choice((_WIDE, _TIGHT))
        if rng.random() < 0.25:
            given["rendered"] = rng.choice(("text", "markdown"))
        return "search", {**given, **(self._narrowing() if rng.random() < 0.3 else {})}

    def _narrowing(self) -> dict[str, Any]:
        rng, target = self._rng, self._target()
        source = rng.choice((f"docs/{target.path}", target.path[:6] + "*", "docs/", *self._ids.get(target.path, ())[:1]))
        return rng.choice((
            {"families": (target.said("document") or "gateway-manual",)}, {"versions": (target.said("version") or "2.0",)},
            {"scopes": (target.said("scope") or "北区",)}, {"sources": (source,)}, {"languages": ("zh",)},
        ))

    def _other(self) -> Call:
        return self._rng.choice((self._asked, self._looked_at, self._looked_at, self._found, self._named, self._listed))()

    def _asked(self) -> Call:
        rng, target, query = self._rng, self._target(), self.query()
        much = rng.choice((_WIDE, _TIGHT))
        return rng.choice((
            ("knowledge_search", {"query": query, "explain": True, **much}), ("keyword_search", {"query": query, **much}),
            ("semantic_search", {"query": query, **much}),
            ("knowledge_search", {"query": query, "documents": (f"docs/{target.path}",), **much}),
            ("keyword_search", {"query": query, "statuses": ("active", "archived", "draft"), **much}),
            ("knowledge_search", {"query": query, "kb_ids": (target.path,)}),
        ))

    def _looked_at(self) -> Call:
        """By an id."""
        rng, target = self._rng, self._target()
        id = rng.choice([*self._ids.get(target.path, ()), f"docs/{target.path}", *self._assertions, *self._world.entities])
        near = {"part": rng.choice(("chunk", "parent", "section", "document")), "before": 3, "after": 3}
        return rng.choice((
            ("show", {"id": id, "generation": rng.choice((1, 2))}), ("document_open", {"id": id}),
            ("document_open", {"id": id, **near}), ("evidence_get", {"chunk_id": id}), ("evidence_get", {"citation": "K1"}),
            ("graph_neighbors", {"ids": (id,), "relations": ("links_to", "mentions"), "fan_out": 50}),
            ("graph_neighbors", {"ids": (f"docs/{target.path}",)}),
        ))

    def _found(self) -> Call:
        rng, target = self._rng, self._target()
        pattern = rng.choice(("docs/*", target.path[:5] + "*", f"*/{target.path}"))
        family = target.said("document") or "gateway-manual"
        return rng.choice((
            ("document_find", {"title": self.query()[:100]}), ("document_find", {"path": target.path}),
            ("document_find", {"glob": pattern, "limit": rng.choice((1, 5, 200))}), ("document_find", {"family": family}),
            ("document_find", {"entity": rng.choice(list(self._world.entities))}), ("conflicts_list", {"family": family}),
        ))

    def _named(self) -> Call:
        """By a name or an entity."""
        rng = self._rng
        name = rng.choice((rng.choice(self._names), slipped(rng, rng.choice(self._names)), "Meridian", self.query()[:200]))
        entity, generation = rng.choice(list(self._world.entities)), rng.choice((1, 2))
        return rng.choice((
            ("entity_resolve", {"name": name}), ("entity_resolve", {"name": name, "type": "system"}),
            ("entity_get", {"entity_id": entity}), ("told", {"id": entity, "generation": generation}),
            ("show", {"id": entity, "generation": generation}), ("listed", {"generation": generation, "name": name}),
            ("export", {"generation": generation, "entity": entity}), ("graph_neighbors", {"ids": (entity,), "fan_out": 50}),
            ("graph_neighbors", {"ids": (entity,), "relations": (name,)}),
            ("conflicts_list", {"entity": entity, "as_of": "2025-06-01"}),
        ))

    def _listed(self) -> Call:
        rng, generation = self._rng, self._rng.choice((1, 2))
        return rng.choice((
            ("listed", {"generation": generation, "by": rng.choice(("name", "mentions", "centrality"))}),
            ("export", {"generation": generation, "format": "nquads"}), ("knowledge_list", {}), ("conflicts_list", {}),
            ("resource", {"kind": rng.choice(("registry", "manifest", "schema", "boundary"))}), ("review_list", {}),
        ))


def slipped(rng: random.Random, word: str) -> str:
    """Return a word with two neighbours that changed places, or one character lost or too many."""
    at = rng.randrange(max(1, len(word) - 1))
    swapped = word[:at] + word[at + 1 : at + 2] + word[at : at + 1] + word[at + 2 :]
    return rng.choice((swapped, word[:at] + word[at + 1 :], word[: at + 1] + word[at:]))
