"""What documentation tools add to Markdown reads as their sites show it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.model.document import Document
from ingest.parse.markdown import parse
from ingest.parse.markdown_extras import prepared
from ingest.settings import ParsePart


def read(text: str, name: str = "a.md") -> Document:
    return parse(text.encode(), name, ParsePart(), "text/markdown")


def shape(text: str) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in read(text).blocks]


@pytest.mark.parametrize(
    ("markup", "blocks"),
    [
        ('!!! note "Mind this"\n    Back up first.\n\n    Then go on.\n\nAfter.',
         [("quote", "Mind this: Back up first.\nThen go on."), ("paragraph", "After.")]),
        ("!!! warning\n    Hot.\n", [("quote", "Warning: Hot.")]),
        ('??? question "How long?"\n    Two days.\n', [("faq", "How long?\nTwo days.")]),
        ("!!! This is no note\n", [("paragraph", "This is no note")]),
        (":::note Mind this\nBack up first.\n:::\n\nAfter.", [("quote", "Mind this: Back up first."), ("paragraph", "After.")]),
        (":::tip\n\nBack up first.\n\n:::\n", [("quote", "Tip: Back up first.")]),
        (":::note[Mind this]\n\nBack up.\n\n:::\n", [("quote", "Mind this: Back up.")]),
        ("::: details How long?\nTwo days.\n:::\n", [("faq", "How long?\nTwo days.")]),
        ("::: columns\nLeft.\n\nRight.\n:::\n", [("paragraph", "Left."), ("paragraph", "Right.")]),
        ("```{note} Mind this\nBack *up*.\n```\n", [("quote", "Mind this: Back up.")]),
        ("````{note}\n```python\nx = {y: 1}\n```\n````\n", [("quote", "Note:"), ("code", "x = {y: 1}")]),
        ('=== "Linux"\n\n    ```sh\n    apt install x\n    ```\n\n=== "Mac"\n\n    Click it.\n',
         [("quote", "Linux:"), ("code", "apt install x"), ("quote", "Mac: Click it.")]),
        ("- item\n\n    !!! note\n        Inside.\n", [("list", "- item\n  Note: Inside.")]),
        ("> [!NOTE]\n> Back up.\n", [("quote", "NOTE: Back up.")]),
    ],
)  # fmt: skip
def test_notes_tabs_and_containers_are_read(markup: str, blocks: list[tuple[str, str]]) -> None:
    assert shape(markup) == blocks


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("## Title {#anchor .class}", "Title"),
        ("words\n{: .lead }", "words"),
        ("Use {braces} freely", "Use {braces} freely"),
        ("[[Other page]] and [[page|words]]", "Other page and words"),
        (r"so \(a_1^2\) is", "so a_1^2 is"),
        (r"\[not math\]", "[not math]"),
        ("a {/* hidden */}b", "a b"),
    ],
)
def test_inline_additions_read_as_shown(markup: str, text: str) -> None:
    assert read(markup).text == text


def test_wiki_links_are_links() -> None:
    assert [(link.text, link.target) for link in read("see [[page|words]]").links] == [("words", "page")]


def test_a_tex_environment_is_a_formula() -> None:
    assert shape("\\begin{equation}\na = b\n\\end{equation}")[0][0] == "formula"


def test_imports_and_site_tags_are_taken_out_and_told() -> None:
    document = read("import Tabs from '@theme/Tabs';\n\n# Title\n\n{% include note.html %}\n\nwords\n", "a.mdx")
    assert document.text == "Title\n\nwords"
    assert [(one.kind, one.count, one.where) for one in document.omissions] == [("site_tag", 2, "line 1")]


def test_prose_that_begins_like_an_import_stays() -> None:
    assert read("import taxes from 2026 on rise\nby a tenth.").text == "import taxes from 2026 on rise by a tenth."


def test_code_is_left_alone() -> None:
    code = "import x from 'y'\n=== \"T\"\n{% raw %}\n:::note\n## Title {#a}"
    assert shape(f"```\n{code}\n```") == [("code", code)]
    assert shape("    {% raw %}\n    !!! note\n") == [("code", "{% raw %}\n!!! note")]


def test_lines_are_those_of_the_file() -> None:
    document = read("import A from 'a'\n\n=== \"T\"\n\n    words\n\n:::note\nmore\n:::\n")
    assert [block.provenance.lines for block in document.blocks] == [(5, 5), (8, 8)]


def test_lists_of_attributes_cost_linear_time() -> None:
    assert "the end" in read("# T {#top" + "rowspan=0" * 5_000 + "\n# U {" + "a=b " * 5_000 + "\n\nthe end\n").text


@pytest.mark.parametrize(
    "line", [":::note\n", "```{note}\n", "::::::tip\nx\n", '=== "T"\n', "!!! note\n", "> !!! note\n", "{% x %}\n"]
)
def test_notes_by_the_thousand_do_not_stall(line: str) -> None:
    assert "the end" in read(line * 20_000 + "\n\nthe end\n").text


def test_struck_words_are_told() -> None:
    document = read("now ~~ten~~ twelve")
    assert document.text == "now twelve"
    assert [(one.kind, one.sample) for one in document.omissions] == [("deleted_text", "ten")]


PIECES = (
    '=== "T"', "!!! note", "??? q", ":::note", ":::", "```{note}", "```", "    x", "{: .a}", "{% x %}", "words", "", "- i", "> q",
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=15))
def test_any_mixture_is_read_to_its_end_in_as_many_lines(pieces: list[str]) -> None:
    text = "\n".join([*pieces, "", "the end"])
    assert prepared(text, "a.md")[0].count("\n") == text.count("\n")
    assert "the end" in read(text).text
