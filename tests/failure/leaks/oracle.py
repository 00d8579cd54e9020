"""Who may see what of a made-up world, from the rules as the design words them. Nothing of the product is called here.

A document shows to a caller when its tenant is absent or the caller's, its level is at most the caller's, and it has no list of
users or roles or one that names the caller. An older generation is read under the rules of the newest: of a document that is
gone, its last ones; of one that was withdrawn, nobody.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Any


def admits(rule: Any, who: dict[str, Any]) -> bool:
    if rule.tenant is not None and rule.tenant != who.get("tenant"):
        return False
    if rule.level > who.get("level", 0):
        return False
    if rule.users is None and rule.roles is None:
        return True
    users, roles = rule.users or (), rule.roles or ()
    return "*" in users or "*" in roles or who.get("user") in users or any(role in roles for role in who.get("roles", ()))


def visible(world: Any, who: dict[str, Any], generation: int) -> dict[str, Any]:
    """Return the documents of a generation that a caller may see, by path, as they were in it."""
    held = world.first if generation == 1 else world.second
    shown = {}
    for path, document in held.items():
        newest = world.second.get(path, document)
        if not newest.broken and admits(newest.rule, who):
            shown[path] = document
    return shown


def hidden_words(world: Any, who: dict[str, Any], generation: int) -> list[str]:
    """Return every secret, folded, that the caller may not be given from a generation. What a document that shows says of another
    one, such as the name of the file that it links to, is no secret."""
    shown = visible(world, who, generation)
    told = folded("\n".join([*(document.content() for document in shown.values()), *(
        f"{document.path} {' '.join(document.secrets)}" for document in shown.values()
    )]))
    every = {
        folded(secret) for held in (world.first, world.second) for document in held.values() for secret in document.secrets
    }
    joined = {secret.replace("-", "") for secret in every if secret[2:3] == "-"}  # codes as indexes write them
    return sorted(secret for secret in every | joined if secret not in told and secret not in told.replace("-", ""))


def hidden_paths(world: Any, who: dict[str, Any], generation: int) -> list[str]:
    """Return the paths of either generation that the caller may not be shown in this one."""
    return sorted((world.first.keys() | world.second.keys()) - visible(world, who, generation).keys())


def without(world: Any, who: dict[str, Any], generation: int) -> dict[str, str]:
    """Return the contents by path of a base that never had what is hidden."""
    return {path: document.content() for path, document in visible(world, who, generation).items()}


def found_in(words: Iterable[str], text: str, asked: str) -> list[str]:
    """Return those of some folded words that a text has and that were not asked for in so many words."""
    said, query = folded(text), folded(asked)
    return [word for word in words if word in said and word not in query and word not in query.replace("-", "").replace(" ", "")]


def folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
