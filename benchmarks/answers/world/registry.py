"""Who and what is meant in the made papers: a registry seed with the names that only the registry knows.

An alias stands in no paper: it is said of a paper that everybody may see, so that everybody may use it.
"""

from __future__ import annotations

from typing import Any

import yaml

from benchmarks.answers.world.papers import Papers
from benchmarks.answers.world.products import Product

_LATIN = {
    "青鸟": "Qingniao", "青雀": "Qingque", "磐石": "Panshi", "云杉": "Yunshan", "海棠": "Haitang", "白鹭": "Bailu", 
    "赤松": "Chisong", "网关": "Gateway", "总线": "Bus", "密钥柜": "Vault",
}
_HAN = {
    "Kestrel": "红隼", "Merlin": "灰背隼", "Osprey": "鱼鹰", "Heron": "苍鹭", "Plover": "鸻鸟", "Curlew": "杓鹬", 
    "Bittern": "麻鸦", "Gateway": "网关", "Bus": "总线", "Vault": "密钥柜",
}


def product_alias(product: Product) -> str:
    """The name of a product in the other language."""
    if " " in product.full:
        name, _, kind = product.full.partition(" ")
        return _HAN[name] + _HAN[kind]
    return f"{_LATIN[product.full[:2]]} {_LATIN[product.full[2:]]}"


def product_id(language: str, product: Product) -> str:
    return f"urn:kb:entity:world-{language}-{product.code.lower()}"


def organisation_id(made: dict[str, str]) -> str:
    return f"urn:kb:entity:world-{made['slug']}"


def system_id(made: dict[str, str]) -> str:
    return f"urn:kb:entity:world-system-{made['slug'].lower()}"


def person_id(language: str, number: int) -> str:
    return f"urn:kb:entity:world-person-{language}-{number + 1:02}"


def seed(papers: Papers, products: list[Product]) -> str:
    """Return the registry seed of one language as YAML."""
    language, other = papers.language, "en" if papers.language == "zh" else "zh"
    people = papers.words["people"]
    entities: list[dict[str, Any]] = []
    assertions: list[dict[str, Any]] = []
    for made in papers.organisations:
        path = papers.words["kinds"]["profile"]["path"].format(**made)
        short = f"{made['short']}{made['industry']}" if language == "zh" else f"{made['short']} {made['industry']}"
        preferred = short if "twin" in made else made["short"]
        names = [_name(made["legal"], "legal", language), _name(preferred, "preferred", language)]
        names.append(_name(made["other"], "alternate", other, path))
        if "twin" not in made:
            names += [
                _name(made["former"], "former", language, path), _name(made["abbreviation"], "abbreviation", language, path)
            ]
        entities.append({"id": organisation_id(made), "type": "organization", "names": names})
    for number, made in enumerate(papers.systems):
        path = papers.words["kinds"]["system"]["path"].format(slug=made["slug"].lower())
        names = [_name(made["name"], "preferred", language), _name(made["other"], "alternate", other, path)]
        entities.append({"id": system_id(made), "type": "system", "names": names})
        owner = person_id(language, number % len(people))
        assertions.append({"subject": owner, "relation": "maintains", "object": system_id(made), "evidence": path})
    for number, person in enumerate(people):
        entities.append({"id": person_id(language, number), "type": "person", "names": [_name(person, "preferred", language)]})
    for product in products:
        path = f"products/faq-{product.code}.{language}.md"
        names = [_name(product.full, "preferred", language), _name(product_alias(product), "alternate", other, path)]
        entities.append({"id": product_id(language, product), "type": "product", "names": names})
    head = "# Written by benchmarks/answers; see world/registry.py.\n"
    return head + yaml.safe_dump({"entities": entities, "assertions": assertions}, allow_unicode=True, sort_keys=False)


def _name(text: str, kind: str, language: str, source: str | None = None) -> dict[str, str]:
    return {"text": text, "kind": kind, "language": language} | ({"source": source} if source else {})
