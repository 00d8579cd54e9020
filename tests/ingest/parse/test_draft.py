"""Blocks and links in the making: links follow their blocks, and nothing empty gets in."""

from __future__ import annotations

from ingest.model.document import Block, Provenance
from ingest.parse.draft import Draft, Part


def place(first: int, last: int) -> Provenance:
    return Provenance(lines=(first, last))


def drafted(*texts: str) -> Draft:
    draft = Draft()
    for number, text in enumerate(texts, start=1):
        kind = "heading" if text.startswith("#") else "code" if text.startswith("`") else "paragraph"
        draft.add(Block(kind, text, provenance=place(number, number)), [(text, f"to-{number}")])
    return draft


def shape(draft: Draft) -> tuple[list[str], list[tuple[int, str]]]:
    return [block.text for block in draft.blocks], [(link.block, link.target) for link in draft.links]


def test_white_space_is_no_block() -> None:
    draft = drafted("a", " \n", "b")
    assert shape(draft) == (["a", "b"], [(0, "to-1"), (1, "to-3")])


def test_a_question_takes_the_running_text_and_its_links() -> None:
    draft = drafted("before", "one", "two", "`code`", "after")
    draft.ask("How?", 1, place(9, 9))
    assert shape(draft) == (
        ["before", "How?\none\ntwo", "`code`", "after"],
        [(0, "to-1"), (1, "to-2"), (1, "to-3"), (2, "to-4"), (3, "to-5")],
    )


def test_a_question_before_code_is_a_paragraph() -> None:
    draft = drafted("before", "`code`")
    draft.ask("How?", 1, place(9, 9))
    assert shape(draft) == (["before", "How?", "`code`"], [(0, "to-1"), (2, "to-2")])
    assert draft.blocks[1].kind == "paragraph"


def test_a_pair_stops_at_its_limit() -> None:
    draft = drafted("#How?", "one", "two", "three")
    draft.pair(0, 3)
    assert shape(draft) == (["#How?\none\ntwo", "three"], [(0, "to-1"), (0, "to-2"), (0, "to-3"), (1, "to-4")])
    assert draft.blocks[0].provenance.lines == (1, 3)


def test_blocks_are_laid_out_in_the_text() -> None:
    draft = drafted("one", "two")
    draft.blocks[0] = Block("paragraph", "menu", layer="furniture")
    draft.promote(0)
    blocks, _ = draft.finish()
    assert [block.provenance.span for block in blocks] == [(0, 4), (6, 9)]


def test_a_part_becomes_one_block_and_starts_over() -> None:
    draft, part = Draft(), Part("list")
    part.put("- 一", [("a", "x")], place(1, 1))
    part.extend("二", [("b", "y")], place(3, 4))
    part.put("  ", [("lost", "z")], place(5, 5))
    part.flush(draft)
    part.flush(draft)
    assert shape(draft) == (["- 一二"], [(0, "x"), (0, "y")])
    assert draft.blocks[0].provenance.lines == (1, 4)
