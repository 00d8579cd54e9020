"""A page that kills, hangs or confuses its reader costs that page: the others are served, and the document is told as partial."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

NAMES = [
    first + second for first in ("Amber", "Basil", "Clover", "Daphne", "Ebony", "Fern")
    for second in ("wick", "ford", "stead", "mere", "holm", "dale")
]
"""Of those who live on a page: lines that differ by digits alone are taken for running headers."""


def manual(*pages: str) -> bytes:
    """A PDF whose pages each say one sentence."""
    from fpdf import FPDF

    pdf = FPDF()
    pdf.set_font("helvetica", size=12)
    for text in pages:
        pdf.add_page()
        pdf.set_y(100)
        pdf.multi_cell(0, 8, text)
    return bytes(pdf.output())


def book(count: int, hostile: dict[int, str], word: str = "Quokka") -> bytes:
    """Pages of which some (from 1) hold a word that does something to their reader."""
    return manual(*(f"{word} {NAMES[number]} lives here. {hostile.get(number, '')}" for number in range(1, count + 1)))


@pytest.fixture
def hostile(base: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A base whose workers do to a page what it says."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "workloads"))
    import hostile_pages

    monkeypatch.setattr("flows.gather.worker", hostile_pages.worker)
    base.set("execute", executor="processes", workers=1)
    base.set("parse", timeout_seconds=4)
    return base


def served(base: Any, numbers: Sequence[int]) -> list[int]:
    """Those of some pages whose sentence is found."""
    text = "\n".join(one["text"] for one in (base.show(id) for id in base.chunks()))
    return [number for number in numbers if f"Quokka {NAMES[number]} lives" in text]


@pytest.mark.parametrize(
    ("fate", "said"),
    [("SEGFAULT", "SIGSEGV"), ("EXIT", "exit code 3"), ("ENDLESS", "no result after 4 seconds"), ("STUMBLE", "ZeroDivisionError"),
     ("BOMB", "more memory than parse.memory_bytes")],
)
def test_page_that_ends_its_reader_is_all_that_is_missing(hostile: Any, fate: str, said: str) -> None:
    hostile.write("manual.pdf", book(30, {7: fate}))
    hostile.write("good.pdf", manual("Wombat lives here."))
    report = hostile.run()
    (failure,) = report.failures
    assert (failure.uri, failure.error, failure.serving) == ("docs/manual.pdf", "DocumentPartial", True)
    assert "1 of 30 pages cannot be read (page 7: " in failure.message and said in failure.message
    assert failure.retryable is (fate == "ENDLESS")
    assert report.exit_code == 4
    assert served(hostile, [1, 6, 7, 8, 30]) == [1, 6, 8, 30]
    assert hostile.found("Wombat") == ["good.pdf"]
    assert hostile.verify() == []


def test_page_that_ends_its_reader_once_costs_nothing(hostile: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody else needed the memory."""
    monkeypatch.setenv("HOSTILE_MARK", str(hostile.folder / "mark"))
    hostile.write("manual.pdf", book(4, {3: "ONCE"}))
    assert hostile.run().exit_code == 0
    assert served(hostile, [1, 2, 3, 4]) == [1, 2, 3, 4]


@pytest.mark.slow
def test_document_that_breaks_all_over_is_read_up_to_its_third_break(hostile: Any) -> None:
    hostile.write("manual.pdf", book(12, {2: "EXIT", 4: "EXIT", 6: "EXIT", 8: "EXIT"}))
    (failure,) = hostile.run().failures
    assert "9 of 12 pages cannot be read (page 2: " in failure.message and "pages 6 to 12: " in failure.message
    assert served(hostile, range(1, 13)) == [1, 3, 5]


def test_document_without_a_page_that_can_be_read_has_failed(hostile: Any) -> None:
    hostile.write("manual.pdf", book(1, {1: "EXIT"}))
    (failure,) = hostile.run().failures
    assert (failure.error, failure.serving) == ("ParserFailed", False)
    assert "no page of manual.pdf can be read (page 1: " in failure.message


def test_newer_text_with_few_pages_missing_replaces_an_older_one(hostile: Any) -> None:
    hostile.write("manual.pdf", book(20, {}, word="Wombat"))
    hostile.run()
    hostile.write("manual.pdf", book(20, {5: "STUMBLE"}))
    (failure,) = hostile.run().failures
    assert failure.error == "DocumentPartial" and "the other pages are served" in failure.message
    assert served(hostile, [4, 5, 6]) == [4, 6]
    assert hostile.found("Wombat") == []
    assert hostile.show("docs/manual.pdf")["state"] == "partial"


def test_older_complete_text_stays_where_much_of_the_newer_one_is_missing(hostile: Any) -> None:
    hostile.write("manual.pdf", book(6, {}, word="Wombat"))
    hostile.run()
    hostile.write("manual.pdf", book(6, {2: "STUMBLE"}))
    (failure,) = hostile.run().failures
    assert (failure.error, failure.serving) == ("ParserFailed", True)
    assert "1 of 6 pages cannot be read" in failure.message and "its last complete text stays served" in failure.message
    assert hostile.found("Wombat") and served(hostile, [1]) == []


def test_complete_text_of_the_same_bytes_is_never_replaced_by_a_part_of_it(hostile: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from flows.work import worker

    hostile.write("manual.pdf", book(30, {7: "STUMBLE"}))
    with monkeypatch.context() as patched:
        patched.setattr("flows.gather.worker", worker)
        assert hostile.run().exit_code == 0
    monkeypatch.setattr("ingest.parse.pdf.version", lambda settings: "pdf of tomorrow")
    monkeypatch.setenv("HOSTILE_VERSION", "pdf of tomorrow")
    (failure,) = hostile.run().failures
    assert "its last complete text stays served" in failure.message
    assert served(hostile, [6, 7, 8]) == [6, 7, 8]


def test_partial_document_is_not_read_again_before_there_is_a_reason(hostile: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from flows.work import worker

    hostile.write("manual.pdf", book(12, {7: "STUMBLE"}))
    first = hostile.run()
    again = hostile.run()
    assert again.generation == first.generation and [one.uri for one in again.failures] == ["docs/manual.pdf"]
    monkeypatch.setattr("flows.gather.worker", worker)
    assert hostile.run().failures == again.failures
    assert hostile.run(rehash=True).failures == ()
    assert served(hostile, [6, 7, 8]) == [6, 7, 8]


def test_part_of_a_document_is_never_taken_from_the_cache_as_the_whole(hostile: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from flows.work import worker

    hostile.write("manual.pdf", book(12, {7: "STUMBLE"}))
    hostile.run()
    monkeypatch.setattr("flows.gather.worker", worker)
    hostile.write("copy.pdf", (hostile.docs / "manual.pdf").read_bytes())  # the same bytes: what was parsed would be found
    assert [one.uri for one in hostile.run().failures] == ["docs/manual.pdf"]
    assert served(hostile, [7]) == [7]


@pytest.mark.slow
def test_page_that_never_ends_costs_its_page_when_cpu_time_is_what_runs_out(hostile: Any) -> None:
    hostile.write("manual.pdf", book(5, {3: "SPIN"}))
    (failure,) = hostile.run().failures
    assert "1 of 5 pages cannot be read (page 3: " in failure.message
    assert served(hostile, [2, 3, 4]) == [2, 4]
