"""The bound that candidates are found by: never below the score, and made anew before it says too little."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexes.bm25.memory import MemoryBm25
from indexes.bm25.scoring import Formula, Scoring
from indexes.qdrant.bm25_reader import open_reader
from indexes.qdrant.bm25_writer import ServerBm25Writer
from indexes.qdrant.format import header_of
from indexes.qdrant.place import Place
from indexes.qdrant.weights import REFERENCE, headroom, sparse, sparse_query, term_index
from ingest.model.predicate import Predicate
from ingest.progress import Silent
from ingest.protocols import Bm25Delta

ALL = Predicate(None, statuses=None)
FORMULAS = st.sampled_from(["lucene", "okapi"])


@given(
    st.integers(1, 400), st.integers(1, 500), st.floats(1, 500), st.floats(1, 500), FORMULAS, st.floats(0.05, 4), st.floats(0, 1)
)
def test_no_part_exceeds_its_bound(
    count: int, more: int, mean: float, reference: float, formula: Formula, k1: float, b: float
) -> None:
    length, scoring = count + more, Scoring(formula, k1, b)
    saturation = scoring.saturation(np.array([length]), mean)
    part = float(scoring.part(1.0, np.array([float(count)]), saturation)[0])
    stored = float(REFERENCE.part(1.0, np.array([float(count)]), REFERENCE.saturation(np.array([length]), reference))[0])
    assert part <= stored * headroom(scoring, mean, reference, length) * (1 + 1e-9)


def test_terms_of_one_place_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexes.qdrant.weights.term_index", lambda term: 7)
    indices, values = sparse(Counter("ab"), 2.0)
    assert indices == [7] and values[0] == pytest.approx(2 * (1 / (1 + 1.5)))
    assert sparse_query({"a": 1.0, "b": 2.0, "c": -1.0}) == ([7], [3.0])


def test_places_are_those_that_are_written_down() -> None:
    assert term_index("gateway") == 254910331
    assert len({term_index(f"term{number}") for number in range(1000)}) == 1000
    assert sparse({}, 3.0) == ([], [])


@pytest.fixture
def builds(tmp_path: Path, server_in_process: Callable[..., Any]) -> Any:
    """`write(name, base, rows, removed)`, and `open(name)` on the stand-in."""
    with server_in_process() as (server, _):

        class Builds:
            def write(self, name: str, base: str | None, rows: list[Any], removed: tuple[str, ...] = ()) -> dict[str, str]:
                place = Place(server, tmp_path / "server.json", lambda: (
                    header_of(path, "bm25") for path in tmp_path.iterdir() if (path / "server.json").exists()
                ))
                delta = Bm25Delta(rows, len(rows), frozenset(removed))
                target = tmp_path / name
                return ServerBm25Writer(place, 4).write(tmp_path / base if base else None, delta, target, Silent())

            def open(self, name: str) -> Any:
                return open_reader(tmp_path / name, server)

            def header(self, name: str) -> Any:
                return header_of(tmp_path / name, "bm25")

        yield Builds()


def _oracle(rows: list[Any]) -> Any:
    memory = MemoryBm25()
    memory.write(None, Bm25Delta(rows, len(rows), frozenset()), Path("all"), Silent())
    return memory.open_reader(Path("all"))


def test_weights_are_made_anew_once_rows_have_become_longer(builds: Any, make_row: Callable[..., Any]) -> None:
    short = [make_row(number, text=f"gateway {number}", prefix="") for number in range(6)]
    long = [make_row(number, text=f"gateway {number} " + "storage of backups " * 40, prefix="") for number in range(6, 12)]
    builds.write("one", None, short)
    builds.write("two", "one", long)
    assert builds.header("two").mean == builds.header("one").mean, "of the base: what comes now is not known before"
    more = [make_row(12, text="gateway 12", prefix="")]
    builds.write("three", "two", more)
    assert builds.header("three").mean > builds.header("one").mean
    for name, rows in (("one", short), ("two", [*short, *long]), ("three", [*short, *long, *more])):
        reader, oracle = builds.open(name), _oracle(rows)
        assert reader.contents([row.chunk_id for row in rows]).keys() == {row.chunk_id for row in rows}
        for limit in (1, 2, 20):
            assert reader.search("gateway storage 7", ALL, limit) == oracle.search("gateway storage 7", ALL, limit)


def test_an_older_build_can_be_gone_on_from(builds: Any, make_row: Callable[..., Any]) -> None:
    """After a rollback: what was taken out since comes back, what came since goes, and all three answer as they did."""
    first = [make_row(number) for number in range(8)]
    builds.write("one", None, first)
    builds.write("two", "one", [make_row(9)], (first[0].chunk_id, first[1].chunk_id))
    promised = builds.write("back", "one", [make_row(10)], (first[2].chunk_id,))
    held = {"one": first, "two": [*first[2:], make_row(9)], "back": [*first[:2], *first[3:], make_row(10)]}
    for name, rows in held.items():
        reader, oracle = builds.open(name), _oracle(rows)
        assert dict(reader.pairs()) == {row.chunk_id: row.row_checksum for row in rows}
        assert reader.search("gateway 网关 429", ALL, 5) == oracle.search("gateway 网关 429", ALL, 5)
        assert reader.contents([row.chunk_id for row in rows]) == oracle.contents([row.chunk_id for row in rows])
    assert promised.items() <= builds.open("back").contents(list(promised)).items()
