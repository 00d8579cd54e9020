"""Documents that cannot be taken, and processes of their own that ingest and are killed."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

WORKLOADS = Path(__file__).parent / "workloads"
PROJECT = Path(__file__).parents[2]


@pytest.fixture
def served(base: Any) -> Any:
    """A published document that everybody sees, beside one that nothing happens to."""
    base.write("doc.md", document())
    base.write("other.md", "# Other\n\nSteady is the MAGPIE.\n")
    base.run()
    return base


def document(rule: str = "", word: str = "QUOKKA") -> str:
    return f"---\ntitle: Paper\n{rule}---\n# Paper\n\nThe {word} stands here.\n"


@pytest.fixture(scope="session")
def office() -> Callable[..., bytes]:
    """A small Word file; `encrypted` sets the flag that says its members are."""

    def make(text: str = "The QUOKKA stands here.", *, encrypted: bool = False) -> bytes:
        import docx

        made = docx.Document()
        made.add_heading("Paper", 1)
        made.add_paragraph(text)
        buffer = io.BytesIO()
        made.save(buffer)
        data = buffer.getvalue()
        if encrypted:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                places = [item.header_offset for item in archive.infolist()]
            changed = bytearray(data)
            for place in places:
                changed[place + 6] |= 1
            at = data.find(b"PK\x01\x02")
            while at >= 0:
                changed[at + 8] |= 1
                at = data.find(b"PK\x01\x02", at + 4)
            data = bytes(changed)
        return data

    return make


@pytest.fixture(scope="session")
def start() -> Callable[..., subprocess.Popen[str]]:
    """Start a program of `workloads` on a base, in a process of its own, with the hash embedder."""

    def call(base: Any, name: str, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        command = [sys.executable, str(WORKLOADS / name), str(base.docs), str(base.kb), *arguments]
        settings = {"INGEST_EMBED__ENGINE": "hash", "INGEST_EXECUTE__EXECUTOR": "inline", "OMP_NUM_THREADS": "1"}
        return subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": str(PROJECT), **settings, **environment},
        )

    return call


@pytest.fixture
def program(base: Any, start: Callable[..., subprocess.Popen[str]]) -> Callable[..., subprocess.Popen[str]]:
    """As `start`, on the test's own base."""
    return partial(start, base)
