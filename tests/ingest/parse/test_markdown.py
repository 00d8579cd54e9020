"""Markdown becomes blocks that keep their lines, their code and their links, whatever is thrown at them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.errors import DocumentEmpty
from ingest.model.document import Block, Document
from ingest.parse.markdown import parse
from ingest.parse.route import parse as route
from ingest.settings import ParsePart


def read(text: str | bytes) -> Document:
    data = text.encode() if isinstance(text, str) else text
    return parse(data, "a.md", ParsePart(), "text/markdown")


def only(text: str) -> Block:
    (block,) = read(text).blocks
    return block


def shape(text: str) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in read(text).blocks]


@pytest.mark.parametrize(
    ("markup", "level", "text"),
    [
        ("# One", 1, "One"),
        ("###### Six ##", 6, "Six"),
        ("Setext *one*\n===", 1, "Setext one"),
        ("Two\nlines\n---", 2, "Two lines"),
        ("## `code` & [link](x)", 2, "code & link"),
        ("## 第一章 概述", 2, "第一章 概述"),
    ],
)
def test_headings_have_level_and_plain_text(markup: str, level: int, text: str) -> None:
    block = only(markup)
    assert (block.kind, block.level, block.text) == ("heading", level, text)


def test_title_is_the_first_first_level_heading() -> None:
    assert read("## Two\n\n# One\n\n# Other").title == "One"
    assert read("## Two\n\nwords").title is None


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("第一行\n第二行", "第一行第二行"),
        ("first\nsecond", "first second"),
        ("hard  \nbreak", "hard\nbreak"),
        ("hard\\\nbreak", "hard\nbreak"),
        ("one<br>two", "one\ntwo"),
        ("**bold** _it_ ~~old~~ `c*d`", "bold it c*d"),
        ("a \\* b &amp; &#35;", "a * b & #"),
        ("see ![alt *text*](x.png) here", "see alt text here"),
        ("<kbd>Ctrl</kbd>+<kbd>C</kbd>", "Ctrl+C"),
        ("costs $5 and $10", "costs $5 and $10"),
        ("where $a_1 * b_1$ holds", "where a_1 * b_1 holds"),
        ("snake_case_name stays", "snake_case_name stays"),
    ],
)
def test_paragraphs_read_as_a_reader_sees_them(markup: str, text: str) -> None:
    assert only(markup).text == text


def test_lines_are_those_of_the_file_front_matter_counted() -> None:
    document = read("---\ntitle: x\n---\n\n# Title\n\nwords\nmore\n\n\n- a\n- b\n")
    assert [block.provenance.lines for block in document.blocks] == [(5, 5), (7, 8), (11, 12)]


@pytest.mark.parametrize("newline", ["\r", "\r\n"])
def test_lines_do_not_depend_on_line_ends(newline: str) -> None:
    text = "---\na: b\n---\n# T\n\n| a |\n|---|\n| b |\n"
    assert read(text.replace("\n", newline)).blocks == read(text).blocks


def test_nested_lists_are_one_block_with_two_spaces_a_level() -> None:
    assert shape("- a\n  - b\n    1. c\n- [x] d\n\n  e\n") == [("list", "- a\n  - b\n    1. c\n- [x] d e")]


def test_ordered_lists_keep_their_numbers() -> None:
    assert shape("3. a\n4. b") == [("list", "3. a\n4. b")]


def test_code_in_a_list_stands_alone_between_its_parts() -> None:
    found = shape("1. run\n\n   ```sh\n   a  b\n     c\n   ```\n\n   then\n2. end")
    assert found == [("list", "1. run"), ("code", "a  b\n  c"), ("list", "  then\n2. end")]


@pytest.mark.parametrize(
    ("markup", "text", "language"),
    [
        ("```python\ndef f():\n\treturn  1 \n```", "def f():\n\treturn  1 ", "python"),
        ("~~~\n\nblank first\n\n~~~", "\nblank first\n", None),
        ("```{.js title=x}\na\n```", "a", "js"),
        ("    indented\n      more", "indented\n  more", None),
        ("```\nnever closed\n# not a heading", "never closed\n# not a heading", None),
    ],
)
def test_code_is_exact(markup: str, text: str, language: str | None) -> None:
    block = only(markup)
    assert (block.kind, block.text, block.code_language) == ("code", text, language)


def test_tables_have_rows_and_a_header() -> None:
    block = only("| a | *b* |\n|---|:-:|\n| `x` | [y](z) |\n| 1 |\n")
    assert block.table is not None
    assert block.table.rows == (("a", "b"), ("x", "y"), ("1", ""))
    assert block.table.header_rows == 1
    assert block.text == "a | b\nx | y\n1 | "


def test_a_blank_header_is_no_header() -> None:
    block = only("| | |\n|---|---|\n| a | b |\n")
    assert block.table is not None
    assert (block.table.rows, block.table.header_rows) == ((("a", "b"),), 0)


def test_quotes_keep_paragraphs_and_lists_as_lines() -> None:
    assert shape("> [!NOTE]\n> one\n> two\n>\n> - item") == [("quote", "NOTE: one two\n- item")]


@pytest.mark.parametrize(
    "markup",
    [
        "Q: How?\nA: So.",
        "**Q:** How?\n**A:** So.",
        "Q: How?\n\nA: So.",
        "### Q: How?\n\nA: So.",
        "<details><summary>How?</summary>\n\nSo.\n\n</details>",
        "<details>\n\n<summary>How?</summary>\n\nSo.\n\n</details>",
        "<details><summary>How?</summary>So.</details>",
        "How?\n: So.",
    ],
)
def test_marked_questions_find_their_answers(markup: str) -> None:
    assert shape(markup) == [("faq", "How?\nSo.")]


def test_chinese_questions_find_their_answers() -> None:
    assert shape("问：如何升级？\n答：先备份，\n再升级。\n问：多久？\n答：一小时。") == [
        ("faq", "如何升级？\n先备份，再升级。"),
        ("faq", "多久？\n一小时。"),
    ]


def test_a_question_without_answer_stays_a_paragraph() -> None:
    assert shape("Q: How?\n\nNobody knows.") == [("paragraph", "Q: How?"), ("paragraph", "Nobody knows.")]


def test_code_in_details_stays_code() -> None:
    found = shape("<details><summary>How?</summary>\n\nRun:\n\n```sh\na\n```\n\n</details>\n\nafter")
    assert found == [("faq", "How?\nRun:"), ("code", "a"), ("paragraph", "after")]


def test_formulas_footnotes_and_lone_images_have_kinds_of_their_own() -> None:
    found = shape("$$\na = b\n$$\n\n![a panel](x.png)\n\nwords[^n] and ^[in place]\n\n[^n]: the note\n\n```math\nc\n```\n")
    assert found == [
        ("formula", "a = b"),
        ("caption", "a panel"),
        ("paragraph", "words[n] and [note 2]"),
        ("footnote", "[note 2] in place"),
        ("footnote", "[n] the note"),
        ("formula", "c"),
    ]


def test_links_keep_their_targets_as_written() -> None:
    document = read(
        "# T\n\n[手册](产品 手册.md) [a](<b c.md#x> 't') <https://x.y/z> [ref][r]\n\n- [in list](l.md)\n\n[r]: ../r.md\n"
    )
    assert [(link.block, link.text, link.target) for link in document.links] == [
        (1, "a", "b c.md#x"),
        (1, "https://x.y/z", "https://x.y/z"),
        (1, "ref", "../r.md"),
        (2, "in list", "l.md"),
    ]


def test_scripts_are_no_links() -> None:
    assert read("[x](javascript:alert(1)) <a href='data:text/html,x'>y</a>").links == ()


def test_links_follow_their_block_into_an_answer() -> None:
    document = read("# T\n\n<details><summary>How?</summary>\n\none\n\n[two](t.md)\n\n</details>\n\n[after](a.md)\n")
    assert [(document.blocks[link.block].kind, link.target) for link in document.links] == [
        ("faq", "t.md"),
        ("paragraph", "a.md"),
    ]


def test_hidden_text_is_dropped_and_recorded() -> None:
    document = read("seen <span style='display:none'>secret <b>words</b></span> too\n\n<p hidden>more</p>\n\nlast")
    assert [block.text for block in document.blocks] == ["seen  too", "last"]
    assert {omission.kind for omission in document.omissions} == {"hidden_text"}
    assert sum(omission.count for omission in document.omissions) == 3


def test_comments_and_scripts_are_never_text() -> None:
    assert shape("a <!-- no --> b\n\n<!-- neither\n\nthis -->\n\n<script>\nvar x\n</script>\n\nc") == [
        ("paragraph", "a  b"),
        ("paragraph", "c"),
    ]


def test_html_tables_in_markdown_are_tables() -> None:
    block = only("<table><tr><th colspan=2>a</th></tr><tr><td>b</td><td>c</td></tr></table>")
    assert block.table is not None
    assert block.table.rows == (("a", "a"), ("b", "c"))
    assert block.provenance.lines == (1, 1)


# -- hostile input ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "markup",
    [
        ">" * 10_000 + " deep",
        "> " * 10_000 + "deep",
        "- " * 10_000 + "deep",
        "1. " * 10_000 + "deep",
        "\n".join("  " * level + "- x" for level in range(400)) + "\n" + "  " * 400 + "- deep",
        "[" * 10_000 + "deep",
        "![" * 10_000 + "deep",
        "[" * 5_000 + "deep" + "]" * 5_000,
        "**a_ " * 10_000 + "deep",
        "a <!--" * 10_000 + "deep",
        "<div>" * 10_000 + "deep",
        "$$ a\n\n" * 3_000 + "deep",
        "a " + "`" * 5_001 + "deep",
        "x" * 1_000_000 + " deep",
        "a" + " " * 500_000 + "b\ndeep",
        "*a* " * 20_000 + "deep",
        "<details>\n\n" * 1_000 + "deep",
        "```\n" + "deep\n" * 10_000,
        "|a" * 500 + "\n" + "|-" * 500 + "\n|deep",
    ],
    ids=lambda markup: markup[:8].strip() + f" {len(markup)}",
)
def test_hostile_text_is_read_to_its_end(markup: str) -> None:
    assert "deep" in route(markup.encode(), "a.md", ParsePart()).text


def test_null_characters_become_replacement_characters() -> None:
    assert only("a\0b").text == "a\ufffdb"


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from([*"#->*_`[]()!|:\n\n\n $\\~^<&", "  ", "\n    ", "a", "汉", "1. ", "<b>", "</details>", "<details>"]),
        max_size=60,
    )
)
def test_any_markup_keeps_the_promises_of_a_document(pieces: list[str]) -> None:
    text = "".join(pieces)
    document = read(text)
    for block in document.blocks:
        assert block.text.strip()
        assert block.provenance.span is not None
        start, end = block.provenance.span
        assert document.text[start:end] == block.text
        assert block.provenance.lines is not None
        assert 1 <= block.provenance.lines[0] <= block.provenance.lines[1] <= text.count("\n") + 1
    assert all(0 <= link.block < len(document.blocks) for link in document.links)
    assert read(text) == document


@given(st.lists(st.sampled_from(["网关", "gateway", "42", "。", "，", "the", "a-b"]), min_size=1, max_size=30))
def test_plain_words_come_back_whole(words: list[str]) -> None:
    text = " ".join(words)
    try:
        found = route(f"# T\n\n{text}\n".encode(), "a.md", ParsePart())
    except DocumentEmpty:  # pragma: no cover
        raise AssertionError(text) from None
    assert "".join(found.text.split()) == "T" + "".join(text.split())
