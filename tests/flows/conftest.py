"""A small base with versions, access and an entity, and a way to write a file of questions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

MANUAL = """---
title: {name} {version} 手册
document: manual-{slug}
version: "{version}"
valid_from: {start}
---
# {name} {version} 手册

## 容量

{name}单节点默认最大并发连接数为 {connections}，达到上限以后返回 {code}。
"""
ORDER = """---
title: Service order for Larkfield
tenant: larkfield
---
# Service order for Larkfield

The project is called KESTREL. Monthly availability is 99.95 percent.
"""
SEED = """entities:
  - id: urn:kb:entity:qingniao
    type: product
    names:
      - {text: 青鸟网关, kind: preferred, language: zh}
      - {text: Bluebird, kind: alternate, language: en, source: a-2.0.md}
"""


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory, make_base: Callable[..., Any]) -> Any:
    """Two versions of one manual, one of another, and an order that only its tenant may see."""
    base = make_base(tmp_path_factory.mktemp("evaluated"))
    made = {"name": "青鸟网关", "slug": "a"}
    base.write("a-1.0.md", MANUAL.format(**made, version="1.0", start="2024-01-01", connections=5000, code="ERR_7001"))
    base.write("a-2.0.md", MANUAL.format(**made, version="2.0", start="2025-01-01", connections=9000, code="ERR_7001"))
    base.write("b-2.0.md", MANUAL.format(
        name="白鹭网关", slug="b", version="2.0", start="2025-01-01", connections=7000, code="ERR_8002"
    ))
    base.write("order.md", ORDER)
    base.seed(SEED)
    base.run()
    return base


@pytest.fixture
def questions(tmp_path: Path) -> Callable[..., Path]:
    """Write questions, one a line."""

    def write(*lines: dict[str, Any] | str, name: str = "questions.jsonl") -> Path:
        file = tmp_path / name
        text = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
        file.write_text("\n".join(text) + "\n", encoding="utf-8")
        return file

    return write
