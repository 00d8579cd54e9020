"""What is committed belongs to the project: no path of a machine, no registry, and documents that lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

_PLACES = (
    "/" + "work/", "/" + "tmp/w", "/" + "opt/", "/" + "root/", "/" + r"home/[a-z]", "/" + "Users/", r"[A-Z]:\\\\?" + "Users",
    "py" + r"pi\.", "python" + "hosted", r"simple/[a-z]+/?#", "--extra-index" + "-url", "--index" + "-url", "find" + "-links",
)
"""Written in two pieces, so that this file does not hold what it looks for."""
_WANTED = re.compile("|".join(_PLACES).encode())
_MADE_UP = {"tests/ingest/chunk/test_structure_golden.py", "tests/ingest/chunk/golden/manual_zh.txt"}
"""Documents of the fixtures may speak of paths on their own machines."""


def test_no_committed_file_knows_a_machine_or_a_registry(committed: list[Path], root: Path) -> None:
    found = {}
    for path in committed:
        name = path.relative_to(root).as_posix()
        hits = {hit.decode() for hit in _WANTED.findall(path.read_bytes())}
        if hits and name not in _MADE_UP and not name.startswith("fixtures/corpus/"):
            found[name] = hits
    assert found == {}


@pytest.mark.parametrize("text", [
    "see /" + "work/x", "cd /" + "home/anna", "https://py" + "pi.example.org/simple", "C:\\" + "Users\\anna",
])
def test_paths_and_registries_are_recognised(text: str) -> None:
    assert _WANTED.search(text.encode())


@pytest.mark.parametrize("text", ["https://example.org/homepage", "teamwork/x", "/tmp/kb", "urn:kb:source"])
def test_what_only_looks_like_one_is_left_alone(text: str) -> None:
    assert not _WANTED.search(text.encode())


def test_names_are_fit_for_every_file_system(committed: list[Path], root: Path) -> None:
    names = [path.relative_to(root).as_posix() for path in committed]
    assert len({name.casefold() for name in names}) == len(names)
    assert not [name for name in names if re.search(r'[<>:"\\|?*]|[ .]$', name)]


def test_links_between_documents_lead_somewhere(committed: list[Path], root: Path) -> None:
    for page in [root / "README.md", *(path for path in committed if path.parent == root / "docs")]:
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
            file, _, anchor = target.partition("#")
            if "://" not in target:
                linked = page.parent / file if file else page
                assert linked.is_file(), f"{page.name}: {target}"
                assert not anchor or anchor in anchors(linked), f"{page.name}: {target}"


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_change_is_told_in_a_sentence_or_two(root: Path) -> None:
    fragments = sorted((root / "changelog.d").glob("*.md"))
    assert fragments
    for fragment in fragments:
        text = fragment.read_text(encoding="utf-8").strip()
        assert re.fullmatch(r"[a-z0-9-]+\.md", fragment.name), fragment.name
        assert text.endswith(".") and "\n\n" not in text and len(text) < 500, fragment.name


def test_make_bench_runs_every_benchmark(committed: list[Path], root: Path) -> None:
    """`make bench`, or a target of its own where a benchmark needs more than Python."""
    main = (root / "benchmarks" / "__main__.py").read_text(encoding="utf-8")
    listed = re.search(r"^NAMES = \((.+?)\)$", main, re.MULTILINE | re.DOTALL)
    targets = (root / "Makefile").read_text(encoding="utf-8")
    assert listed is not None and "-m benchmarks\n" in targets
    run = {*re.findall(r"\w+", listed[1]), *re.findall(r"-m benchmarks\.(\w+)", targets)}
    modules = [path for path in committed if path.parent == root / "benchmarks" and path.suffix == ".py"]
    runnable = {path.stem for path in modules if "python -m benchmarks." in path.read_text(encoding="utf-8")}
    packages = {path.parent.name for path in committed if path.match("benchmarks/*/__main__.py")}
    assert run == (runnable | packages) - {"corpus"}, "corpus only makes the folder to measure with"
