"""Two generations of one base between which everything happened that can happen to documents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SEED = """
entities:
  - {id: "urn:kb:entity:gate", type: product, names: [{text: 云脉网关, kind: preferred}, {text: YunGate}]}
  - {id: "urn:kb:entity:bus", type: product, names: [{text: YunBus, kind: preferred}]}
  - {id: "urn:kb:entity:old", type: product, names: [{text: OldBox, kind: preferred}]}
assertions:
  - {subject: "urn:kb:entity:gate", relation: uses, object: "urn:kb:entity:bus", evidence: limits.md}
  - {subject: "urn:kb:entity:old", relation: replaced_by, object: "urn:kb:entity:gate", evidence: limits.md}
"""
SEED_AFTER = """
entities:
  - {id: "urn:kb:entity:gate", type: product, names: [{text: 云脉网关, kind: preferred}, {text: YunGateway}]}
  - {id: "urn:kb:entity:bus", type: product, names: [{text: YunBus, kind: preferred}]}
  - {id: "urn:kb:entity:new", type: system, names: [{text: NewBox, kind: preferred}]}
assertions:
  - {subject: "urn:kb:entity:gate", relation: uses, object: "urn:kb:entity:bus", evidence: limits.md, valid_from: 2025-06-01}
  - {subject: "urn:kb:entity:new", relation: uses, object: "urn:kb:entity:bus", evidence: limits.md}
"""
MANUAL = """---
title: 云脉网关手册
---
# 云脉网关手册

云脉网关是部署在企业边界的接入设备。

## 安装

安装前确认机柜有{power}路电源。上架后先接管理口，再接业务口。

## Limits

A node accepts {limit} connections. Beyond that it answers with ERR_1042 and keeps the ones it has.
"""


def rules(said: str = "") -> str:
    return (f"---\n{said}---\n" if said else "") + "# Rules\n\nWho may read this, and until when.\n"


def before(base: Any) -> None:
    base.seed(SEED)
    base.write("limits.md", MANUAL.format(power="两", limit=20000))
    base.write("same.md", "# Same\n\nNothing happens to this.\n")
    base.write("gone.md", "# Gone\n\nThis goes away.\n")
    base.write("旧/move.md", "# Move\n\nOnly the place of this changes, word for word.\n\n## Second\n\n一字不改，只换地方。\n")
    base.write("access.md", rules())
    base.write("until.md", rules("title: Until\n"))
    base.write("names.md", "# Names\n\nYunGate and OldBox are named here.\n")
    base.write("v1.md", "---\ndocument: policy\nversion: '1'\nvalid_from: 2024-01-01\n---\n# Policy\n\nSeven days.\n")
    base.write("breaks.md", "# Breaks\n\nStill readable.\n")


def after(base: Any) -> None:
    base.seed(SEED_AFTER)
    base.write("limits.md", MANUAL.format(power="三", limit=30000))
    base.delete("gone.md")
    (base.docs / "新").mkdir()
    (base.docs / "旧" / "move.md").rename(base.docs / "新" / "moved.md")
    base.write("access.md", rules("allowed_roles: [sre]\n"))
    base.write("until.md", rules("title: Until\nvalid_until: 2026-12-31\n"))
    base.write("v2.md", "---\ndocument: policy\nversion: '2'\nvalid_from: 2025-01-01\n---\n# Policy\n\nFourteen days.\n")
    base.write("new.md", "# New\n\n统一社会信用代码 91320594MAQH5N1C4N 的来电转给销售。\n")
    base.write("breaks.md", b"PK\x03\x04 no zip")


@pytest.fixture(scope="session")
def happenings() -> tuple[Callable[[Any], None], Callable[[Any], None]]:
    """What to write before the first and before the second generation."""
    return before, after


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory, make_base: Callable[..., Any]) -> Any:
    """The base with both generations; nobody changes it."""
    base = make_base(Path(tmp_path_factory.mktemp("between")))
    before(base)
    base.run()
    after(base)
    base.run()
    return base
