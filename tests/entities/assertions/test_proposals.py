"""Wording proposes plain things of fitting types, with their evidence, and never more."""

from __future__ import annotations

import pytest

from entities.assertions.proposals import CONFIDENCE, proposed
from entities.relations import bundled
from ingest.model.entity import Mention

NAMES = {"云脉网关": "product", "YunGate": "product", "云脉科技": "organization", "Yunmai": "organization",
         "云脉集团": "organization", "深圳": "place", "GB/T 38636-2020": "standard", "YunBus": "system", "王芳": "person"}


def found(text: str) -> list[tuple[str, str, str]]:
    mentions = [
        Mention("c", at, at + len(name), name, f"urn:{name}", "gazetteer") for name in NAMES if (at := text.find(name)) >= 0
    ]
    types = {f"urn:{name}": kind for name, kind in NAMES.items()}
    made = list(proposed(text, mentions, types, bundled(), "docs/a.md"))
    assert all((each.confidence, each.evidence) == (CONFIDENCE, "docs/a.md") for each in made)
    told = [(each.subject, each.relation, each.object or each.value or "") for each in made]
    return [(one.removeprefix("urn:"), relation, other.removeprefix("urn:")) for one, relation, other in told]


@pytest.mark.parametrize(("text", "expected"), [
    ("云脉网关由云脉科技自主研发。", ("云脉网关", "developer", "云脉科技")),
    ("“云脉网关”是由云脉科技开发的产品", ("云脉网关", "developer", "云脉科技")),
    ("这是云脉科技推出的云脉网关", ("云脉网关", "developer", "云脉科技")),
    ("YunGate is developed by the Yunmai team", ("YunGate", "developer", "Yunmai")),
    ("YunGate, developed by Yunmai", ("YunGate", "developer", "Yunmai")),
    ("云脉科技是云脉集团的全资子公司", ("云脉科技", "parentOrganization", "云脉集团")),
    ("Yunmai 云脉科技 Yunmai, a subsidiary of 云脉集团", None),
    ("云脉科技位于深圳", ("云脉科技", "locatedIn", "深圳")),
    ("YunGate complies with GB/T 38636-2020", ("YunGate", "conformsTo", "GB/T 38636-2020")),
    ("YunGate depends on YunBus", ("YunGate", "dependsOn", "YunBus")),
    ("王芳就职于云脉科技", ("王芳", "worksFor", "云脉科技")),
    ("YunGate version 2.1 answers", ("YunGate", "softwareVersion", "2.1")),
    ("云脉网关 2.0 产品手册", ("云脉网关", "softwareVersion", "2.0")),
    ("深圳由云脉科技研发", None),
    ("云脉网关的价格上涨 2.5%", None),
    ("YunGate 2 and Yunmai", None),
    ("云脉网关和云脉科技", None),
    ("云脉网关" + "，" * 40 + "由云脉科技研发", None),
])
def test_pattern_proposes(text: str, expected: tuple[str, str, str] | None) -> None:
    assert found(text) == ([expected] if expected else [])
