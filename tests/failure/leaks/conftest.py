"""Made-up bases, published, with everybody's ways into them. The modules beside this file are found by their place."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


def _beside(name: str) -> ModuleType:
    known = f"leaks_{name}"
    if known not in sys.modules:  # dataclasses look their module up
        spec = importlib.util.spec_from_file_location(known, Path(__file__).with_name(f"{name}.py"))
        assert spec is not None and spec.loader is not None
        sys.modules[known] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[known])
    return sys.modules[known]


CLOCKS = ("ingest.store.catalog", "indexes.query.request", "indexes.serve.tools.disagreeing", "ingest.model.instant")


@pytest.fixture(autouse=True)
def one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is published, confirmed and asked at one instant."""
    for module in CLOCKS:
        monkeypatch.setattr(f"{module}.now", lambda: "2026-06-01T12:00:00Z")


@pytest.fixture(scope="session")
def worlds() -> ModuleType:
    return _beside("worlds")


@pytest.fixture(scope="session")
def oracle() -> ModuleType:
    return _beside("oracle")


@pytest.fixture(scope="session")
def doors() -> ModuleType:
    return _beside("doors")


@pytest.fixture(scope="session")
def cases() -> ModuleType:
    return _beside("cases")
