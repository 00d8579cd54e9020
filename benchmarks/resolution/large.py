"""A registry of 100,000 made firms, in a process of its own: how long it takes to build, to look names up, to resolve new ones.

Printed as JSON. Names are made of syllables and words by a seeded generator, half Chinese and half English, each entity with a
full name, a short one and a code of a scheme that decides nothing.
"""

from __future__ import annotations

import json
import random
import resource
import time

from entities.judgements import Judgements
from entities.registry_judged import judged_registry
from entities.resolve import Resolver
from ingest.model.entity import Entity, Identifier, Name, Registry

ENTITIES, LOOKUPS, NEW = 100_000, 20_000, 10_000

_PLACES = ("北京", "上海", "深圳市", "浙江", "江苏省", "广州", "成都", "武汉", "西安", "青岛", "厦门", "安徽", "", "", "")
_TRADES = ("科技", "电子", "软件", "生物医药", "新材料", "能源", "环境工程", "汽车零部件", "食品", "物流", "建设",
           "文化传媒", "精密机械", "化工")
_SYLLABLES = "天海华新中金长龙云星宏远东方瑞恒盛泰通达明光科创智联博正安康德信立兴永嘉美佳凯利鹏宇航捷锐力源丰润泽万和顺风"
_STEMS = ("Nor", "Vel", "Tra", "Kin", "Mar", "Sol", "Ber", "Hal", "Quin", "Ost", "Lum", "Cor", "Dex", "Fen", "Gal", "Ivo", "Jun")
_ENDS = ("tek", "dale", "mont", "vik", "ra", "lux", "field", "gate", "core", "nova", "wick", "stad", "by", "ton", "is", "ova")
_FIELDS = ("Technologies", "Pharma", "Energy", "Logistics", "Materials", "Software", "Foods", "Motors", "Capital", "Instruments")
_FORMS = ("Ltd", "Inc", "GmbH", "Co., Ltd.", "PLC", "S.A.", "LLC")


def made(random: random.Random, place: int) -> tuple[str, str]:
    """A full name and a short one."""
    if place % 2:
        brand = "".join(random.choice(_SYLLABLES) for _ in range(random.choice((2, 2, 3, 4))))
        trade = random.choice(_TRADES)
        return f"{random.choice(_PLACES)}{brand}{trade}股份有限公司", f"{brand[:2]}{trade[:2]}"
    brand = random.choice(_STEMS) + random.choice(_STEMS).lower() + random.choice(_ENDS)
    words = (brand, random.choice(_STEMS) + random.choice(_ENDS), random.choice(_FIELDS))
    return f"{' '.join(words)} {random.choice(_FORMS)}", f"{brand} {words[2]}"


def main() -> None:
    seeded = random.Random(6)  # noqa: S311  # names, no secrets
    entities = []
    for place in range(ENTITIES):
        full, short = made(seeded, place)
        names = (Name(full, "legal"), Name(short, "abbreviation"))
        entities.append(Entity(f"urn:kb:entity:{place:06}", "organization", names, (Identifier("stock-code", f"{place:06}"),)))
    began, busy = time.perf_counter(), time.process_time()
    registry = judged_registry(Registry(tuple(entities)), Judgements()).registry
    resolver = Resolver(registry)
    resolver.resolve("某个没有的名称", "organization")  # also builds what only review needs
    built, build_cpu = time.perf_counter() - began, time.process_time() - busy
    known = [seeded.choice(entities).names[0].text for _ in range(LOOKUPS)]
    began = time.perf_counter()
    found = sum(resolver.resolve(name, "organization").outcome != "none" for name in known)
    looked_up = time.perf_counter() - began
    new = [made(seeded, place)[place // 2 % 2] for place in range(NEW)]
    began, busy = time.perf_counter(), time.process_time()
    for name in new:
        resolver.resolve(name, "organization")
    resolved, new_cpu = time.perf_counter() - began, time.process_time() - busy
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({
        "build": built, "lookups": LOOKUPS / looked_up, "found": found / LOOKUPS, "new": resolved, "memory": memory,
        "build_cpu": build_cpu, "new_cpu": new_cpu,
    }))


if __name__ == "__main__":
    main()
