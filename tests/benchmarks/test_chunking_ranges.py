"""Where pieces stand in a corpus, and what of the excerpts they cover."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.chunking.contenders import Piece
from benchmarks.chunking.ranges import Places, common, corpora, questions, size, union

TEXT = """# Ports

The gateway listens on 9443. It is safe.

| a | b |
| - | - |
| 1 | 2 |

The gateway listens on 9443. Twice.
"""


def piece(text: str, lead: int = 0) -> Piece:
    return Piece("corpus", text, text, text, lead)


def test_ranges_that_touch_or_overlap_are_joined() -> None:
    assert union([(5, 9), (0, 3), (3, 4), (8, 12)]) == [(0, 4), (5, 12)]
    assert size([(0, 4), (5, 12)]) == 11


def test_common_part_is_counted_once() -> None:
    assert common([(0, 10), (20, 30)], [(5, 8), (6, 25)]) == [(5, 10), (20, 25)]
    assert common([(0, 5)], [(5, 9)]) == []


def test_piece_is_found_though_its_markup_is_gone() -> None:
    [(start, end)] = Places(TEXT).of(piece("Ports\nThe gateway listens on **9443**"))
    assert TEXT[start:end] == "Ports\n\nThe gateway listens on 9443"


def test_rewritten_table_is_found_line_by_line() -> None:
    found = Places(TEXT).of(piece("It is safe\nb is the second column\n1, 2"))
    assert [TEXT[start:end] for start, end in found] == ["It is safe", "1 | 2"]


def test_text_that_occurs_twice_is_looked_for_behind_the_piece_before() -> None:
    places = Places(TEXT)
    [(start, _)] = places.of(piece("The gateway listens on 9443. It is safe."))
    [(again, _)] = places.of(piece("The gateway listens on 9443."))
    assert (start, again) == (TEXT.index("The gateway"), TEXT.rindex("The gateway"))


def test_what_is_repeated_is_found_in_front_of_the_rest() -> None:
    lead = "The gateway listens on 9443."
    found = Places(TEXT).of(piece(f"{lead} It is safe.", len(lead) + 1))
    assert [TEXT[start:end].rstrip(".") for start, end in found] == ["The gateway listens on 9443", "It is safe"]


def test_piece_of_another_text_is_nowhere() -> None:
    assert Places(TEXT).of(piece("Something else entirely")) == []


def test_questions_to_a_corpus_that_is_not_there_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "wiki.md").write_text("Text.", encoding="utf-8")
    references = json.dumps([{"content": "Te", "start_index": 0, "end_index": 2}]).replace('"', '""')
    (tmp_path / "questions_df.csv").write_text(
        f'question,references,corpus_id\nWhat?,"{references}",wiki\nWho?,"{references}",logs\n', encoding="utf-8"
    )
    assert questions(tmp_path) == [("What?", "wiki", [(0, 2)])]
    assert [(paper.name, paper.title) for paper in corpora(tmp_path)] == [("wiki", "")]
