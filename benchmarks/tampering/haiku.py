"""haiku.rag, whose `doctor` looks at what its tables hold: what it finds of tampering with them.

It gets an environment of its own (it needs Python 3.12), `.venv-haiku`; `CONCORD_HAIKU` names another. Its documents are imported
with chunks and vectors that were made outside, as its API allows, so no converter and no model is needed. Tables are changed with
LanceDB, then `haiku-rag doctor --skip-providers --json` is run: its findings beyond those of the untouched database are what
it saw. That an index does not cover rows yet, which it says of every row written until the next vacuum, is not counted.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.ingest_peers import APPS, PROJECT, QUIET, SINGLE_THREADED
from benchmarks.tampering import corpus

NAME = "haiku.rag 0.101.1"
HOME = Path(os.environ.get("CONCORD_HAIKU", PROJECT / ".venv-haiku"))
_ENOUGH = (3, 12)
_INTERPRETERS = ("python3.12", "python3.13", "python3.14")
_CONFIG = """embeddings:
  model: {provider: openai, name: hash, vector_dim: 256, base_url: "http://127.0.0.1:9/v1"}
"""
_APP = str(APPS / "haiku_rag_app.py")

Finding = tuple[str, str, tuple[str, ...]]


def build() -> bool:
    """Make its environment where it is missing. Returns whether there is one: it needs a newer Python than we do."""
    if (HOME / "bin" / "python").exists():
        return True
    python = sys.executable if sys.version_info >= _ENOUGH else next(filter(None, map(shutil.which, _INTERPRETERS)), None)
    if python is None:
        return False
    print(f"building {HOME.name} ...", file=sys.stderr)
    subprocess.run([python, "-m", "venv", str(HOME)], check=True)
    pip = [str(HOME / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, "--upgrade", "pip>=25.1"], check=True)
    subprocess.run([*pip, "--group", f"{PROJECT / 'pyproject.toml'}:haiku"], check=True)
    return True


def tamper_with() -> dict[str, str]:
    """Return subject -> what its doctor saw of it."""
    with tempfile.TemporaryDirectory(prefix="concord-tampered-") as folder:
        home = Path(folder)
        (home / "haiku.rag.yaml").write_text(_CONFIG)
        corpus.write(home / "docs", corpus.DOCUMENTS)
        _app(home, "write", "docs", "db")
        shutil.copytree(home / "db", home / "older")
        corpus.write(home / "docs", corpus.CHANGES[0] | corpus.CHANGES[1])
        _app(home, "write", "docs", "db")
        whole, _ = _doctor(home, "db")
        return {subject: _seen(home, subject, whole) for subject in json.loads(_app(home, "subjects"))}


def _seen(home: Path, subject: str, whole: set[Finding]) -> str:
    """What the doctor finds once the full-text index covers what was written, as it does after the next vacuum."""
    shutil.copytree(home / "db", home / "tampered")
    _app(home, "tamper", subject, "tampered", "older")
    found, error = _doctor(home, "tampered")
    if not error and found - whole:
        try:
            _app(home, "vacuum", "tampered")
        except RuntimeError:
            pass  # it does not open a database that lacks so much; what the doctor found before stands
        else:
            found, error = _doctor(home, "tampered")
    shutil.rmtree(home / "tampered")
    if error:
        return f"the doctor fails: {error}"
    return ", ".join(f"{severity}: {name}" for name, severity, _ in sorted(found - whole)) or "not seen"


def _doctor(home: Path, db: str) -> tuple[set[Finding], str]:
    """Return what its doctor complains of, and how it failed where it did."""
    command = [str(HOME / "bin" / "haiku-rag"), "doctor", "--skip-providers", "--json", "--db", db]
    ended = _run(home, command)
    if not ended.stdout.startswith("{"):
        lines = [line for line in ended.stderr.splitlines() if "Error" in line]
        return set(), lines[-1].strip()[:90] if lines else f"exit {ended.returncode}"
    results: list[dict[str, Any]] = json.loads(ended.stdout)["results"]
    return {(one["name"], one["severity"], tuple(one["details"])) for one in results if one["severity"] != "ok"}, ""


def _app(home: Path, *arguments: str) -> str:
    ended = _run(home, [str(HOME / "bin" / "python"), _APP, *arguments])
    if ended.returncode:
        raise RuntimeError(f"haiku_rag_app {' '.join(arguments)}:\n{ended.stderr[-2000:]}")
    return ended.stdout


def _run(home: Path, command: list[str]) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **QUIET, **SINGLE_THREADED, "PYTHONPATH": str(PROJECT), "LOGFIRE_IGNORE_NO_CONFIG": "1"}
    return subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True, timeout=300, check=False)
