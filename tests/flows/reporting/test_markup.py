"""Whatever a text is, it stays a text: a parser of HTML finds in markup the elements that were made, and no other."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.reporting.markup import ATTRIBUTES, element, escaped, legible

NASTY = (
    "</script><script>alert(1)</script>", '<img src=x onerror="alert(1)">', "'\"><b>", "&lt;b&gt; &amp; &#60;",
    "]]> <!-- --> <?x?>", "</title></style></svg>", "\u202egnp.txt", "a\x00b\x1b[31m", "\ud800", "\u2028", "报告 <手册>",
    "ملف.md", "\r\n\t x",
)


class Seen(HTMLParser):
    """Elements, attributes and texts in the order in which a parser meets them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.values: list[tuple[str, str | None]] = []
        self.texts: list[str] = []
        self.others: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.values += attrs

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        self.others.append(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


texts = st.one_of(st.text(), st.text(alphabet=st.characters(codec=None)), st.sampled_from(NASTY))


@given(texts, texts)
def test_text_comes_back_as_text_and_makes_no_element(text: str, value: str) -> None:
    seen = Seen(element("p", text, element("bdi", value), aria_label=value).text)
    assert seen.tags == ["p", "bdi"]
    assert seen.values == [("aria-label", legible(value))]
    assert "".join(seen.texts) == legible(text) + legible(value)
    assert seen.others == []


@given(texts)
def test_what_is_legible_can_be_encoded_and_hides_nothing(text: str) -> None:
    shown = legible(text)
    assert shown.encode().decode() == shown
    assert not [character for character in shown if character < " " and character not in "\t\n"]
    assert not set(shown) & set("\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029\x7f\x85")
    assert legible(shown) == shown


@pytest.mark.parametrize(("text", "shown"), [
    ("\u202egnp", "⟨U+202E⟩gnp"), ("a\x00b", "a⟨U+0000⟩b"), ("\x1b[31m", "⟨U+001B⟩[31m"), ("\udcff", "⟨U+DCFF⟩"),
    ("云脉 ملف é", "云脉 ملف é"),
])
def test_characters_that_nobody_sees_are_spelled_out(text: str, shown: str) -> None:
    assert legible(text) == shown


@pytest.mark.parametrize("text", NASTY)
def test_escaping_leaves_nothing_that_html_reads(text: str) -> None:
    assert not set(escaped(text)) & set("<>\"'")


@pytest.mark.parametrize("attribute", ["onerror", "onclick", "style", "src", "srcdoc", "formaction"])
def test_attributes_that_could_load_run_or_dress_something_do_not_exist(attribute: str) -> None:
    assert attribute not in ATTRIBUTES
    with pytest.raises(ValueError, match="no attribute"):
        element("p", **{attribute: "x"})


def test_children_may_be_lists_and_nothing() -> None:
    items: list[Any] = [element("li", "a"), None, "b"]
    assert element("ul", items, None, (element("li", str(n)) for n in range(2)), class_=None).text == (
        "<ul><li>a</li>b<li>0</li><li>1</li></ul>"
    )
    assert element("meta", charset="utf-8").text == '<meta charset="utf-8">'
    assert element("rect", x=1, width=2.504, height=10.0, aria_hidden="true").text == (
        '<rect x="1" width="2.5" height="10" aria-hidden="true"></rect>'
    )
