"""Elements become blocks as a browser would show them."""

from __future__ import annotations

import pytest

from ingest.model.document import Block, Provenance
from ingest.parse.draft import Draft
from ingest.parse.html.tree import read_tree
from ingest.parse.html.walk import Walk, walk_fragment


def walked(markup: str) -> Draft:
    draft = Draft()
    walk = Walk(draft)
    walk.run(read_tree(f"<html><body>{markup}</body></html>")[0])
    return draft


def shape(markup: str) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in walked(markup).blocks]


def only(markup: str) -> Block:
    (block,) = walked(markup).blocks
    return block


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>第一行\n   第二行</p>", "第一行第二行"),
        ("<p>first\n   second</p>", "first second"),
        ("<p>one<br>two<br/> three</p>", "one\ntwo\nthree"),
        ("<p>a&nbsp;&nbsp;b &lt;c&gt;</p>", "a b <c>"),
        (
            "<p>1 m<sup>2</sup> and 10<sup>-6</sup>, H<sub>2</sub>O, note<sup><a href='#1'>[1]</a></sup></p>",
            "1 m^2 and 10^-6, H2O, note[1]",
        ),
        ("<p>press <button>Copy</button>now</p>", "press now"),
        ("<p>x<script>var a</script><style>b</style>y</p>", "xy"),
        ("<p><ruby>漢<rt>かん</rt></ruby>字</p>", "漢字"),
        ("<p><math><semantics><mi>x</mi><annotation encoding='application/x-tex'>x^2</annotation></semantics></math></p>", "x^2"),
        ("bare words", "bare words"),
        ("<my-element><p>inside</p></my-element>", "inside"),
    ],
)
def test_words_read_as_a_reader_sees_them(markup: str, text: str) -> None:
    assert only(markup).text == text


@pytest.mark.parametrize(
    ("markup", "level", "text"),
    [
        ("<h3>Three <em>x</em></h3>", 3, "Three x"),
        ("<h2>Title<a class='headerlink' href='#t'>¶</a></h2>", 2, "Title"),
        ("<h2><button>Accordion</button></h2>", 2, "Accordion"),
        ("<div role='heading' aria-level='4'>Four</div>", 4, "Four"),
        ("<h1>two<br>lines</h1>", 1, "two lines"),
    ],
)
def test_headings_have_level_and_plain_text(markup: str, level: int, text: str) -> None:
    block = only(markup)
    assert (block.kind, block.level, block.text) == ("heading", level, text)


@pytest.mark.parametrize(
    ("markup", "text", "language"),
    [
        ("<pre><code class='language-python'>def f():\n    return 1\n</code></pre>", "def f():\n    return 1", "python"),
        ("<div class='highlight-shell'><pre>\n  a\tb  \n</pre></div>", "  a\tb  ", "shell"),
        ("<pre data-lang=SQL>select 1<br>from x</pre>", "select 1\nfrom x", "sql"),
        ("<pre><span class='lineno'>1</span>a\n<span class='lineno'>2</span>b<button>Copy</button></pre>", "a\nb", None),
        ("<pre>a &lt;b&gt; <i>c</i></pre>", "a <b> c", None),
    ],
)
def test_code_is_exact(markup: str, text: str, language: str | None) -> None:
    block = only(markup)
    assert (block.kind, block.text, block.code_language) == ("code", text, language)


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<ul><li>a<ul><li>b<ol><li>c</ol></ul><li>d</ul>", "- a\n  - b\n    1. c\n- d"),
        ("<ol start=3><li>a<li value=7>b<li>c</ol>", "3. a\n7. b\n8. c"),
        ("<ul><li><p>a</p><p>b</p></li></ul>", "- a b"),
        ("<ul><li><input type=checkbox checked> done<li><input type=checkbox> open</ul>", "- [x] done\n- [ ] open"),
        ("<ul><li>a</li><ul><li>b</li></ul></ul>", "- a\n  - b"),
        ("<ul><li>第一\n段<li><a href=x>two</a></ul>", "- 第一段\n- two"),
    ],
)
def test_lists_are_one_block_with_two_spaces_a_level(markup: str, text: str) -> None:
    block = only(markup)
    assert (block.kind, block.text) == ("list", text)


def test_code_and_tables_in_a_list_stand_alone_between_its_parts() -> None:
    found = shape("<ol><li>run<pre>a\n b</pre>then</li><li>end<table><tr><th>x</th></tr><tr><td>y</td></tr></table></li></ol>")
    assert found == [("list", "1. run"), ("code", "a\n b"), ("list", "  then\n2. end"), ("table", "x\ny")]


def test_tables_keep_caption_header_and_links() -> None:
    draft = walked("<table><caption>Prices</caption><tr><th>a<th>b<tr><td><a href='x'>one</a><td>t<br>u</table>")
    caption, table = draft.blocks
    assert (caption.kind, caption.text) == ("caption", "Prices")
    assert table.table is not None
    assert (table.table.rows, table.table.header_rows) == ((("a", "b"), ("one", "t u")), 1)
    assert [(link.block, link.target) for link in draft.links] == [(1, "x")]


def test_layout_tables_are_no_tables() -> None:
    assert shape("<table role=presentation><tr><td><p>a</p></td><td><p>b</p></td></tr></table>") == [
        ("paragraph", "a"),
        ("paragraph", "b"),
    ]
    assert shape("<table><tr><td><h1>T</h1><p>a</p></td></tr></table>") == [("heading", "T"), ("paragraph", "a")]


def test_quotes_figures_and_formulas_have_kinds_of_their_own() -> None:
    assert shape("<blockquote><p>a</p><p>b</p></blockquote>") == [("quote", "a\nb")]
    assert shape("<figure><img alt='A panel'><figcaption>Figure 1</figcaption></figure>") == [
        ("caption", "A panel"),
        ("caption", "Figure 1"),
    ]
    assert shape("<math display=block><mi>x</mi></math>") == [("formula", "x")]
    assert shape("<p>text <img alt=icon> text</p>") == [("paragraph", "text icon text")]


def test_links_keep_their_targets_and_blocks() -> None:
    draft = walked(
        "<p>a <a href='b.html#c'>two\nwords</a> <a href='javascript:x()'>no</a></p><a href='card'><h3>Card</h3><p>text</p></a>"
    )
    assert [(draft.blocks[link.block].text, link.text, link.target) for link in draft.links] == [
        ("a two words no", "two words", "b.html#c"),
        ("text", "Cardtext", "card"),
    ]


@pytest.mark.parametrize(
    "markup",
    [
        "<dl>w1 <br>w2 <p>w3</p><dd>w4<dt>w5</dl>w6",
        "<ul>w1<li>w2</li>w3<div>w4</div><ol>w5</ol></ul>w6",
        "<table>w1<tr><td>w2</td>w3</tr><form>w4</form><tr><td>w5</table>w6",
        "<blockquote>w1<ul><li>w2</ul><pre>w3</pre>w4<h2>w5</h2></blockquote>w6",
        "<details>w1<summary>w2</summary>w3<table><tr><td>w4<td>w5</table></details>w6",
    ],
)
def test_no_word_is_lost_where_words_should_not_be(markup: str) -> None:
    text = " ".join(block.text for block in walked(markup).blocks)
    assert sorted(word for word in text.replace("|", " ").split() if word.startswith("w")) == ["w1", "w2", "w3", "w4", "w5", "w6"]


def test_a_locator_is_the_nearest_id_or_a_path() -> None:
    blocks = walked("<div><p>a</p><section id=s><p>b</p><p>c <b>d</b></p></section></div>").blocks
    assert [block.provenance.locator for block in blocks] == ["/body[1]/div[1]/p[1]", "#s/p[1]", "#s/p[2]"]


def test_a_fragment_stands_where_its_host_says() -> None:
    draft = Draft()
    where = Provenance(lines=(3, 5))
    omissions = walk_fragment("<nav>kept</nav><p hidden>dropped</p>", draft, where)
    assert [(block.text, block.layer, block.provenance) for block in draft.blocks] == [("kept", "body", where)]
    assert [omission.kind for omission in omissions] == ["hidden_text"]


@pytest.mark.parametrize(
    ("cited", "listed"),
    [
        ("<sup><a href='#n1' id='r1'>1</a></sup>", "<li id='n1'><p>The note.<a href='#r1'>↩</a></p></li>"),
        (
            "<a href='#n1' class='footnote-ref' role='doc-noteref'><sup>1</sup></a>",
            "<li id='n1'>The note. <a href='#r1' class='footnote-back'>back</a></li>",
        ),
        ("<sup><a href='#n1'>[1]</a></sup>", "<li id='n1'>The note.<a role='doc-backlink' href='#r1'>up</a></li>"),
    ],
)
def test_footnotes_stand_behind_what_cites_them(cited: str, listed: str) -> None:
    notes = f"<section class='footnotes'><ol>{listed}<li id='n2'>Nobody cites it.</li></ol></section>"
    blocks, _ = walked(f"<p>He knew{cited} of x<sup>2</sup>.</p><p>More.</p>{notes}").finish()
    assert [(block.kind, block.text) for block in blocks] == [
        ("paragraph", "He knew[1] of x^2."),
        ("footnote", "[1] The note."),
        ("paragraph", "More."),
        ("list", "2. Nobody cites it."),
    ]


def test_references_of_an_encyclopedia_stay_a_list() -> None:
    markup = "<p>Known.<sup><a href='#c1'>[1]</a></sup></p><ol class='references'><li id='c1'>A book.</li></ol>"
    assert shape(markup) == [("paragraph", "Known.[1]"), ("list", "1. A book.")]
