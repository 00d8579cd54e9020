"""Markup of every kind becomes a tree that can be read: false attributes, floods and depth cost no page."""

from __future__ import annotations

import pytest

from ingest.errors import DocumentTooLarge
from ingest.parse.html import tree
from ingest.parse.html.tree import MAX_ATTRIBUTES, read_tree
from ingest.parse.route import parse
from ingest.settings import ParsePart


@pytest.mark.parametrize(
    "attributes", ['a<b="1" {x}="2"', '="3"', '"4"', "'", "{{ctx}}", ':href="x" @click="y"', "\x01=1", "<", 'xmlns:x="1" x:y:z=2']
)
def test_attributes_with_invalid_names_cost_no_page(attributes: str) -> None:
    page = f"<html><body><div {attributes}><p>The first words.</p></div><table {attributes}><tr><td>a<td>b</table></body></html>"
    assert "The first words." in parse(page.encode(), "a.html", ParsePart()).text


def test_attributes_beside_a_false_one_stay() -> None:
    root, _ = read_tree('<p {x}="1" style="display:none" id=a>x</p>')
    (paragraph,) = root.iter("p")
    assert dict(paragraph.attrib) == {"style": "display:none", "id": "a"}


def test_a_tag_with_thousands_of_attributes_loses_them_and_nothing_else() -> None:
    flood = " ".join(f'a{n}="1"' for n in range(MAX_ATTRIBUTES + 1))
    root, _ = read_tree(f"<p>before</p><div {flood}><p>inside</p></div><p title=x>after</p>")
    assert [p.text for p in root.iter("p")] == ["before", "inside", "after"]
    assert not next(root.iter("div")).attrib


def test_a_long_script_is_no_flood() -> None:
    script = "if(a<b){" + "x=1;" * (MAX_ATTRIBUTES + 5) + "}"
    root, _ = read_tree(f"<script>{script}</script><p>after</p>")
    assert [p.text for p in root.iter("p")] == ["after"]


def test_a_page_of_too_many_tags_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "MAX_TAGS", 100)
    with pytest.raises(DocumentTooLarge, match="split it"):
        read_tree("<b>x" * 101)


def test_entities_of_a_page_are_never_expanded() -> None:
    bomb = '<!DOCTYPE html [<!ENTITY a "boom"><!ENTITY b "&a;&a;"><!ENTITY f SYSTEM "file:///etc/hostname">]>'
    text = parse(f"{bomb}<html><body><p>x &b; &f; y</p></body></html>".encode(), "a.html", ParsePart()).text
    assert "boom" not in text
    assert text.startswith("x ")
