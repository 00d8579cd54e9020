"""Blocks and links in the making: links follow their blocks, and nothing empty gets in."""

from __future__ import annotations

from ingest.model.document import Block, Box, Link, Provenance, Table
from ingest.parse.draft import Draft, Part, paired


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


def test_an_answer_goes_on_until_the_next_question() -> None:
    draft = Draft()
    texts = ("问：甲？", "答：乙。", "还有丙。", "- 丁", "Q: E?", "A: F.", "Title", "Q: G?", "A: H.", "End.")
    for number, text in enumerate(texts, start=1):
        if text.startswith("-"):
            draft.add(Block("list", text, provenance=place(number, number)), [(text, "to-list")])
        else:
            draft.add_paragraph(text, place(number, number))
    assert [block.text for block in draft.blocks] == ["甲？\n乙。\n还有丙。\n- 丁", "E?\nF.", "Title", "G?\nH.", "End."]
    assert draft.blocks[0].provenance.lines == (1, 4)
    assert [(link.block, link.target) for link in draft.links] == [(0, "to-list")]


def test_a_document_with_a_question_here_and_there_is_no_answer() -> None:
    draft = Draft()
    for text in ("Q: A?", "A: B.", *["A paragraph of the document goes on and on. " * 5] * 20, "Q: C?", "A: D."):
        draft.add_paragraph(text, place(1, 1))
    assert [block.kind for block in draft.blocks] == ["faq", *["paragraph"] * 20, "faq"]


def test_what_is_to_be_chosen_from_is_no_answer() -> None:
    texts = ("Q1. Which?", "A. one", "B. two", "C. three", "Q2. Why?", "A2. So.")
    laid, _ = paired([Block("paragraph", text) for text in texts], [])
    assert [block.text for block in laid] == ["Q1. Which?", "A. one", "B. two", "C. three", "Why?\nSo."]
    together, _ = paired([Block("paragraph", "\n".join(texts[:4]))], [])
    assert [block.kind for block in together] == ["paragraph"]


def test_blocks_of_other_formats_find_their_pairs_and_keep_their_places_and_links() -> None:
    def on(page: int) -> Provenance:
        return Provenance(boxes=(Box(page, 1, 1, 2, 2),))

    blocks = [
        Block("heading", "FAQ", 1, provenance=on(1)),
        Block("paragraph", "问：甲？", provenance=on(1)),
        Block("paragraph", "答：乙。", provenance=on(2)),
        Block("list", "- Q: C?\n- A: D.\n- Q: E?\n- A: F.", provenance=on(2)),
        Block("paragraph", "A: nobody asked.", layer="furniture", provenance=on(2)),
        Block("paragraph", "Q: spoken", provenance=Provenance(time=(0, 1))),
        Block("paragraph", "A: too", provenance=Provenance(time=(1, 2))),
        Block("table", "x", table=Table((("x",),), 0)),
    ]
    laid, links = paired(blocks, [Link(7, "x", "to-x"), Link(2, "乙", "to-b")])
    assert [(block.kind, block.text) for block in laid][1:4] == [("faq", "甲？\n乙。"), ("faq", "C?\nD."), ("faq", "E?\nF.")]
    assert [box.page for box in laid[1].provenance.boxes] == [1, 2]
    assert [block.kind for block in laid][4:] == ["paragraph", "paragraph", "paragraph", "table"]
    assert sorted((link.block, link.target) for link in links) == [(1, "to-b"), (7, "to-x")]
    assert laid[-1].provenance.span is not None


def test_a_note_goes_behind_what_cites_it_first_with_its_links() -> None:
    draft = Draft()
    for kind, text in (
        ("paragraph", "One.[b]"), ("code", "x[a]"), ("paragraph", "Two.[a] Three.[long-name]"), ("heading", "H"),
        ("footnote", "[a] A"), ("footnote", "[b] B"), ("footnote", "[c] nobody"), ("footnote", "[long-name] L"),
    ):
        draft.add(Block(kind, text), [(text, text)])  # type: ignore[arg-type]
    blocks, links = draft.finish()
    texts = [block.text for block in blocks]
    assert texts == ["One.[b]", "[b] B", "x[a]", "Two.[a] Three.[long-name]", "[a] A", "[long-name] L", "H", "[c] nobody"]
    assert [texts[link.block] for link in links] == [link.target for link in links]
