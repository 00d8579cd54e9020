"""The article measure, the pages it is tried on, and the other files that the parse benchmark makes or looks at."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from fpdf import FPDF

from benchmarks.parse.articles import Kept, f1, kept
from benchmarks.parse.engines.turn import target
from benchmarks.parse.long_pdf import write
from benchmarks.parse.outcomes import expected_class
from benchmarks.parse.outcomes import kept as letters_kept
from benchmarks.parse.pages import LAYOUTS, pages

ENGLISH = "one two three four five six seven"
CHINESE = "本办法自公布之日起施行"


@pytest.mark.parametrize("text", [ENGLISH, CHINESE])
def test_an_article_that_was_kept_whole_and_alone_gets_one(text: str) -> None:
    assert kept(text, f"# {text}") == Kept(1.0, 1.0)
    assert f1([kept(text, text)]) == (1.0, 1.0, 1.0)


def test_words_around_cost_precision_and_missing_words_recall() -> None:
    assert kept(ENGLISH, f"{ENGLISH} eight") == Kept(4 / 5, 1.0)
    assert kept(ENGLISH, "one two three four five") == Kept(1.0, 2 / 4)
    assert kept(CHINESE, CHINESE[:5]) == Kept(1.0, 2 / 8)


def test_the_address_of_a_link_and_the_rule_of_a_table_are_no_words() -> None:
    assert kept(ENGLISH, "one [two](https://example.org/a) three four\n\n| --- | --- |\n\nfive six seven") == Kept(1.0, 1.0)


def test_a_page_of_which_nothing_was_kept_costs_recall_alone() -> None:
    assert f1([kept(ENGLISH, ENGLISH), kept(ENGLISH, "")]) == pytest.approx((1.0, 0.5, 2 / 3))


def test_pages_are_the_same_each_time_and_hold_their_article(tmp_path: Path) -> None:
    first, again = pages(tmp_path / "a", 2), pages(tmp_path / "b", 2)
    assert [page.file.read_bytes() for page in first] == [page.file.read_bytes() for page in again]
    assert len(first) == len(LAYOUTS) * 4 and len({page.article for page in first}) == len(first)
    for page in first:
        text = page.file.read_bytes().decode("gb18030" if page.file.name.startswith("portal-zh") else "utf-8")
        assert all(line in text for line in page.article.splitlines()), page.file.name
        assert page.bare == ("<footer" not in text and 'class="menu"' not in text and "-1.html" in page.file.name)


def pdf(file: Path, *texts: str) -> Path:
    made = FPDF()
    for text in texts:
        made.add_page()
        made.set_font("Helvetica", size=12)
        made.text(20, 20, text)
    made.output(str(file))
    return file


def test_the_class_of_a_file_is_told_by_its_bytes(tmp_path: Path) -> None:
    whole = pdf(tmp_path / "whole.pdf", "Some text").read_bytes()
    locked = FPDF()
    locked.set_encryption(owner_password="a", user_password="b")
    locked.add_page()
    locked.output(str(tmp_path / "locked.pdf"))
    contents = {
        "empty": b"", "unsupported": b"\xff\xd8\xff\xe0\x00\x10JFIF", "corrupt": whole[:200], "ok": whole,
        "no text": pdf(tmp_path / "blank.pdf", "").read_bytes(), "encrypted": (tmp_path / "locked.pdf").read_bytes(),
    }
    for name, content in contents.items():
        file = tmp_path / f"{name}.pdf"
        file.write_bytes(content)
        assert expected_class(file) == name
    (tmp_path / "page.pdf").write_bytes(b"<html>no pdf</html>")
    assert expected_class(tmp_path / "page.pdf") == "ok"


def test_letters_that_are_missing_are_counted_and_headers_that_come_back_are_not(tmp_path: Path) -> None:
    file = pdf(tmp_path / "a.pdf", "Page 1", "Page 2", "body")
    assert letters_kept(file, {"text": "body", "beside": ["Page 1"]}) == 1.0
    assert letters_kept(file, {"text": "body", "beside": []}) == pytest.approx(4 / 9)


def test_every_mark_of_the_long_pdf_is_told_once(tmp_path: Path) -> None:
    marks = write(tmp_path / "long.pdf", pages=11)
    assert len(marks) == 3 + 11 * 16 + 5
    assert expected_class(tmp_path / "long.pdf") == "ok"


def test_an_engine_that_fails_over_a_file_goes_on_with_the_next(tmp_path: Path) -> None:
    script = (
        "from benchmarks.parse.engines.turn import turn_each\n"
        "def convert(file):\n    print('noise')\n    return file.read_text(encoding='utf-8').upper()\n"
        "turn_each(convert)"
    )
    good, gone = tmp_path / "good.txt", tmp_path / "gone.txt"
    good.write_text("text", encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], input=f"{gone}\n{good}", capture_output=True, text=True, check=True,
        cwd=Path(__file__).parents[2],
    )
    assert target(tmp_path, good).read_text(encoding="utf-8") == "TEXT" and not target(tmp_path, gone).exists()
    assert '"failure": "FileNotFoundError' in run.stdout and "noise" not in run.stdout
