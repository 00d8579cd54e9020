"""docs/observability.md lists every span, metric and log field, and nothing that is none; its configurations parse."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from ingest.settings import LogPart, ServePart, TelemetryPart
from ingest.telemetry.names import MEASURES, RESOURCE, SPANS
from ingest.telemetry.records import FIELDS

PAGE = (Path(__file__).parents[2] / "docs" / "observability.md").read_text(encoding="utf-8")
PACKAGES = ("ingest", "entities", "indexes", "flows")


def rows(heading: str) -> list[list[str]]:
    """The cells of the table below a column heading."""
    lines = PAGE[PAGE.index(f"| {heading} |") :].splitlines()[2:]
    table = lines[: next(number for number, line in enumerate(lines) if not line.startswith("|"))]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table]


def named(cell: str) -> tuple[str, ...]:
    return tuple(re.findall(r"`([^`]+)`", cell))


def test_every_span_is_listed_with_its_attributes() -> None:
    listed = {named(name)[0]: named(attributes) for name, _, attributes in rows("span")}
    assert listed == {name: each.attributes for name, each in SPANS.items()}


def test_every_metric_is_listed_with_kind_unit_and_attributes() -> None:
    listed = {named(row[0])[0]: (row[1], named(row[2])[0], named(row[4]) if len(row) > 4 else ()) for row in rows("metric")}
    assert listed == {
        name: ("gauge" if each.kind == "watched" else each.kind, each.unit, each.attributes) for name, each in MEASURES.items()
    }


def test_every_log_field_is_listed() -> None:
    assert [named(name)[0] for name, _ in rows("field")] == list(FIELDS)


def test_settings_and_resource_attributes_on_the_page_exist() -> None:
    for part, model in (("telemetry", TelemetryPart), ("log", LogPart)):
        assert set(re.findall(rf"`{part}\.([a-z_]+)", PAGE)) == set(model.model_fields)
    assert set(re.findall(r"`serve\.([a-z_]+)", PAGE)) <= set(ServePart.model_fields)
    assert all(f"`{name}`" in PAGE for name in RESOURCE)


@pytest.mark.parametrize("block", re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL))
def test_example_configurations_parse(block: str) -> None:
    assert isinstance(yaml.safe_load(block), dict)


def test_alarms_are_on_metrics_that_exist() -> None:
    known = {name.replace(".", "_") for name in MEASURES}
    for name in re.findall(r"\b(concord_[a-z_]+?)(?:_seconds)?(?:_bucket|_total)?[ {\[]", PAGE.partition("## A collector")[2]):
        assert name in known, name


def constant(node: ast.AST | None) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def told(root: Path) -> tuple[set[str], set[str], set[str]]:
    """Names that code gives to `signals.<what>(...)`, keys of attributes, and fields of log lines."""
    metrics, attributes, fields = set(), set(), set()
    for file in (path for package in PACKAGES for path in (root / package).rglob("*.py")):
        tree = ast.parse(file.read_bytes())
        if file.match("*/telemetry/names.py"):
            continue
        for node in ast.walk(tree):
            keys = node.keys if isinstance(node, ast.Dict) else [node.slice] if isinstance(node, ast.Subscript) else []
            attributes |= {each for each in map(constant, keys) if re.match(r"(concord|http|url|error)\.", each)}
            if isinstance(node, ast.Call):
                if getattr(getattr(node.func, "value", None), "id", "") == "signals":
                    metrics |= {each for each in map(constant, node.args[:1]) if "." in each}
                if getattr(node.func, "id", "") in ("log", "bound"):
                    fields |= {keyword.arg for keyword in node.keywords if keyword.arg}
    return metrics, attributes, fields


def test_what_code_tells_is_what_the_page_lists(root: Path) -> None:
    metrics, attributes, fields = told(root)
    every: set[Any] = {name for each in (*SPANS.values(), *MEASURES.values()) for name in each.attributes}
    assert metrics == set(MEASURES)
    assert attributes == every
    assert fields <= set(FIELDS)
