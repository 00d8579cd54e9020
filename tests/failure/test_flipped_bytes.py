"""One bit of any published file turned over: verifying finds it, or nothing depends on it. No answer silently becomes another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.tampering.flips import IRRELEVANT, Fate, Flip, flip_all, flips, published
from benchmarks.tampering.looking import ENVIRONMENT, copy_base, make

LEVELS = ("default", "deep")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a published base of three generations and a copy of it to look at."""
    folder = tmp_path_factory.mktemp("flipped")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        patch.setattr("indexes.generation.seal.flush_path", lambda path: None)
        make(folder)
    copy_base(folder / "kb", folder / "copy")
    return folder


def fates(base: Path, wanted: Sequence[Flip]) -> list[Fate]:
    return list(flip_all(base, wanted, LEVELS, workers=2))


def unaccounted(found: list[Fate]) -> list[Fate]:
    """Flips that neither verifying found nor are known to mean nothing, or after which somebody was told something else."""
    return [fate for fate in found if fate.changed or not (fate.found or fate.irrelevant in IRRELEVANT)]


def test_a_bit_of_every_file_of_the_head_is_found_or_means_nothing(base: Path) -> None:
    wanted = flips(base / "copy", 20260101, each=1, older=0, database=12)
    assert {flip.file for flip in wanted} == {file for file, generation in published(base / "copy").items() if generation is None}
    assert unaccounted(fates(base, wanted)) == []


@pytest.mark.slow
def test_many_bits_of_every_published_file_are_found_or_mean_nothing(base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = flips(base / "copy", 7, each=8, older=1, database=600)
    assert {flip.file for flip in wanted} == set(published(base / "copy"))
    found = fates(base, wanted)
    assert unaccounted(found) == []
    counted = Counter(fate.found or fate.irrelevant for fate in found)
    with capsys.disabled():
        print(f"\n{len(found)} flips:", ", ".join(f"{what} {count}" for what, count in counted.most_common()))
    assert IRRELEVANT.keys() <= counted.keys(), "a reason that never applies is none"
