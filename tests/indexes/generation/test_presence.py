"""What names, stamps and sizes tell of a published generation: the cheap look, which leaves what bytes tell to `verify`."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from indexes.generation.presence import problems
from ingest.model.generation import INDEX_KINDS
from ingest.store.layout import Layout


@pytest.fixture(scope="module")
def published(make_base: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Any:
    base = make_base(tmp_path_factory.mktemp("published"))
    base.write("手册.md")
    base.run()
    return base


@pytest.fixture
def base(published: Any, make_base: Callable[..., Any], tmp_path: Path) -> Any:
    shutil.copytree(published.kb, tmp_path / "kb")
    return make_base(tmp_path)


def found(base: Any) -> list[str]:
    with base.catalog() as catalog:
        return problems(Layout(base.kb), catalog.published(catalog.head()).manifest)


def folder_of(base: Any, kind: str) -> Path:
    (folder,) = (base.kb / "builds" / kind).iterdir()
    return folder


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "stamp.json")


def test_generation_as_published_has_no_problem(base: Any) -> None:
    assert found(base) == []


def grow(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"x")


def cut(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 1)


@pytest.mark.parametrize(("change", "said"), [(Path.unlink, "is missing"), (cut, "bytes and was"), (grow, "bytes and was")])
@pytest.mark.parametrize("kind", INDEX_KINDS)
def test_every_file_that_is_missing_or_of_another_size_is_named(
    base: Any, kind: str, change: Callable[[Path], None], said: str
) -> None:
    for path in [path for path in files(folder_of(base, kind)) if path.stat().st_size]:
        kept = path.with_suffix(".kept")
        shutil.copy2(path, kept)
        shutil.move(kept, base.folder / "kept")
        change(path)
        (problem,) = found(base)
        assert str(path) in problem and said in problem and "ingest verify" in problem
        shutil.move(base.folder / "kept", path)
    assert found(base) == []


@pytest.mark.parametrize("kind", INDEX_KINDS)
def test_file_that_was_not_published_is_named(base: Any, kind: str) -> None:
    (folder_of(base, kind) / "extra").write_bytes(b"x")
    (problem,) = found(base)
    assert "extra was not there" in problem


@pytest.mark.parametrize("kind", INDEX_KINDS)
@pytest.mark.parametrize("spoil", ["another stamp", "no stamp", "no JSON", "no build"])
def test_build_without_its_stamp_is_named_once(base: Any, kind: str, spoil: str) -> None:
    folder = folder_of(base, kind)
    stamp = folder / "stamp.json"
    {
        "another stamp": lambda: stamp.write_bytes(stamp.read_bytes().replace(b'"id":"', b'"id":"0')),
        "no stamp": stamp.unlink, "no JSON": lambda: stamp.write_text("{"), "no build": lambda: shutil.rmtree(folder),
    }[spoil]()
    (problem,) = found(base)
    assert "verify" in problem and (kind in problem or str(folder) in problem)


@pytest.mark.parametrize("text", ["{", "{}", "[]", "null", '{"generation": 1}', '{"generation": NaN}'])
def test_manifest_that_is_another_is_named(base: Any, text: str) -> None:
    path = base.kb / "generations/1/manifest.json"
    path.write_text(text)
    (problem,) = found(base)
    assert str(path) in problem


@pytest.mark.parametrize("text", ["{", "{}", "[]"])
def test_list_of_files_that_names_no_build_is_told_for_each(base: Any, text: str) -> None:
    (base.kb / "generations/1/files.json").write_text(text)
    assert len(found(base)) == 3


def test_lost_folder_of_a_generation_is_named(base: Any) -> None:
    shutil.rmtree(base.kb / "generations/1")
    assert len(found(base)) == 4
