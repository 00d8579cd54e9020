"""Without a listener, telling costs next to nothing and imports nothing."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from ingest.telemetry import signals

ROOT = Path(__file__).parents[3]


def test_nobody_listens_by_default() -> None:
    assert not signals.listened()
    with signals.span("run", {"concord.run.id": "x"}) as span:
        span.say({"concord.generation": 1})
    signals.add("concord.runs", 1)
    signals.record("no such metric", 1.0)
    assert signals.ids() is None and signals.page() is None


def test_a_command_that_is_not_asked_to_tell_imports_no_library(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n\nA page.\n", encoding="utf-8")
    script = (
        "import sys\nfrom ingest.cli.main import main\n"
        "sys.argv = ['ingest', 'run', 'docs', '--json']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(sorted(n for n in sys.modules if n.partition('.')[0] in ('opentelemetry', 'prometheus_client')), file=sys.stderr)"
    )
    environ = {"PYTHONPATH": str(ROOT), "INGEST_EMBED__ENGINE": "hash", "INGEST_EXECUTE__EXECUTOR": "inline", "PATH": "/usr/bin"}
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=environ, capture_output=True, text=True, check=True)
    assert done.stderr.strip().splitlines()[-1] == "[]"


def test_every_thread_of_the_process_tells_the_one_listener(kept: Any) -> None:
    thread = threading.Thread(target=lambda: signals.add("concord.texts.embedded", 3))
    thread.start()
    thread.join()
    (point,) = kept.points()["concord.texts.embedded"]
    assert point.value == 3


def test_a_listener_ends_with_its_context(kept: Any) -> None:
    other: Any = object()
    with signals.heard(other):
        assert signals.listened()
    signals.add("concord.texts.embedded", 1)
    assert kept.points()["concord.texts.embedded"]


def test_a_failed_span_says_the_class_of_the_error_and_not_its_text(kept: Any) -> None:
    with pytest.raises(ValueError), signals.span("run"):
        raise ValueError("云脉网关 is secret")
    (span,) = kept.spans
    assert span.attributes["error.type"] == "ValueError"
    assert not span.status.is_ok and span.status.description is None and span.events == ()
