"""A parser's worker keeps its limits and lets only errors of ours out."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ingest.errors import ConcordError, DocumentCorrupt, DocumentEmpty, DocumentUnreadable, ParserFailed
from ingest.parse import isolate, route
from ingest.settings import ParsePart

SETTINGS = ParsePart()


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(
    ("raised", "becomes"),
    [
        (MemoryError(), ParserFailed),
        (RecursionError(), DocumentCorrupt),
        (ValueError("odd"), ParserFailed),
        (OSError(28, "No space left on device"), DocumentUnreadable),
        (DocumentEmpty("nothing in it"), DocumentEmpty),
    ],
)
def test_every_exception_leaves_as_one_of_ours(
    monkeypatch: pytest.MonkeyPatch, raised: Exception, becomes: type[ConcordError]
) -> None:
    def fail(*_: object) -> None:
        raise raised

    monkeypatch.setattr(route, "parse", fail)
    with pytest.raises(becomes) as caught:
        isolate.parse_guarded(b"", "report.pdf", SETTINGS)
    assert raised is caught.value or "report.pdf" in str(caught.value)


def test_a_document_passes_through_unchanged() -> None:
    data = "# 标题\n\ntext\n".encode()
    assert isolate.parse_guarded(data, "a.md", SETTINGS) == route.parse(data, "a.md", SETTINGS)


def test_memory_beyond_the_limit_is_an_error_not_a_swap_storm() -> None:
    done = run(
        "from ingest.parse.isolate import limit_process\n"
        "limit_process(64 * 2**20, 30)\n"
        "small = bytearray(16 * 2**20)\n"
        "try:\n    bytearray(512 * 2**20)\nexcept MemoryError:\n    print('refused')\n"
    )
    assert done.stdout.strip() == "refused", done.stderr


def test_cpu_time_beyond_the_limit_ends_the_process() -> None:
    done = run("from ingest.parse.isolate import limit_process\nlimit_process(2**30, 0.1)\nwhile True:\n    pass\n")
    assert done.returncode < 0


def test_each_document_has_cpu_time_of_its_own() -> None:
    done = run(
        "import resource\nfrom ingest.parse import isolate\nfrom ingest.settings import ParsePart\n"
        "isolate.limit_process(2**32, 1000)\n"
        "resource.setrlimit(resource.RLIMIT_CPU, (5, resource.getrlimit(resource.RLIMIT_CPU)[1]))\n"
        "isolate.parse_guarded(b'text', 'a.txt', ParsePart())\n"
        "print(resource.getrlimit(resource.RLIMIT_CPU)[0])\n"
    )
    assert int(done.stdout) >= 1000, done.stderr


def test_a_stricter_limit_that_is_set_is_kept() -> None:
    done = run(
        "import resource\nfrom ingest.parse.isolate import limit_process\n"
        "resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))\nlimit_process(2**34, 30)\n"
        "print(resource.getrlimit(resource.RLIMIT_AS)[0] == 2**30)\n"
    )
    assert done.stdout.strip() == "True", done.stderr


def test_parsers_print_nothing_to_standard_output(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Also not from C: the caller's standard output may be JSON. Without any redirection here."""
    done = run(
        "from pathlib import Path\nfrom ingest.parse.isolate import parse_guarded\nfrom ingest.settings import ParsePart\n"
        "from ingest.errors import ConcordError\nfrom ingest.parse.speech_model import PACKAGED\n"
        "for path in sorted(Path('fixtures/corpus').rglob('*')):\n"
        "    if path.suffix in ('.pdf', '.docx', '.pptx', '.xlsx', '.wav'):\n"
        "        data = path.read_bytes()\n"
        "        for part in (data, data[: len(data) // 2]):\n"
        "            try:\n                parse_guarded(part, path.name, ParsePart(audio_model=PACKAGED))\n"
        "            except ConcordError:\n                pass\n"
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
