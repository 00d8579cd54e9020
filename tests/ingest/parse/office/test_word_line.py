"""What is seen of a Word paragraph, and what of it is only recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ingest.model.document import Document
from ingest.parse import office
from ingest.parse.detect import DOCX
from ingest.settings import ParsePart

Reader = Callable[..., Document]


@pytest.fixture
def read(packed: Callable[..., bytes]) -> Reader:
    def make(body: str, parts: dict[str, Any] | None = None) -> Document:
        data = packed("word/document.xml", f"<w:document><w:body>{body}</w:body></w:document>", parts)
        return office.parse(data, "file.docx", ParsePart(), DOCX)

    return make


def body(document: Document) -> list[tuple[str, str]]:
    return [(b.kind, b.text) for b in document.blocks if b.layer == "body"]


def omitted(document: Document) -> list[tuple[str, int, str | None, str | None]]:
    return [(o.kind, o.count, o.where, o.sample) for o in document.omissions]


def t(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def field(instruction: str, result: str | None, data: str = "") -> str:
    shown = "" if result is None else f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{t(result)}'
    return (
        f'<w:r><w:fldChar w:fldCharType="begin">{data}</w:fldChar></w:r><w:r><w:instrText>{instruction}</w:instrText></w:r>'
        f'{shown}<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


@pytest.mark.parametrize(
    ("runs", "text"),
    [
        (t("a") + '<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>' + t("b"), "a☑b"),
        (t("\uf0fc", '<w:rFonts w:ascii="Wingdings"/>') + t(" done"), "✔ done"),
        (t("abc", '<w:rFonts w:ascii="Symbol"/>'), "αβχ"),
        ("<w:r><w:t>co</w:t><w:softHyphen/><w:t>operate</w:t></w:r>", "cooperate"),
        (t("co\u00adoperate"), "cooperate"),
        ("<w:r><w:t>one</w:t><w:tab/><w:t>two</w:t></w:r>", "one two"),
        ('<w:r><w:t>one</w:t><w:br w:type="page"/><w:t>two</w:t></w:r>', "one\ntwo"),
        (
            f"<w:r><w:ruby><w:rt>{t('dào')}</w:rt><w:rubyBase>{t('道')}</w:rubyBase></w:ruby></w:r>" + t("路"),
            "道路",
        ),
        (t("see ") + field("REF _x \\h", "Table 3"), "see Table 3"),
        (t("x ") + field(f"IF 1 = 1 {chr(34)}a{chr(34)}", "a"), "x a"),
        (field("FORMCHECKBOX", None, "<w:ffData><w:checkBox><w:checked/></w:checkBox></w:ffData>"), "☒"),
        (
            field(
                "FORMDROPDOWN", None,
                '<w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="甲"/><w:listEntry w:val="乙"/></w:ddList>'
                "</w:ffData>",
            ),
            "乙",
        ),
        (t("第") + field("eq \\o\\ac(○,3)", None) + t("条"), "第③条"),
        (field("EQ \\f(1,2)", None), "1/2"),
        (f'<w:fldSimple w:instr="DATE">{t("2026-01-05")}</w:fldSimple>', "2026-01-05"),
        (f"<w:smartTag>{t('in a tag')}</w:smartTag>", "in a tag"),
    ],
)
def test_a_paragraph_reads_as_it_is_seen(read: Reader, runs: str, text: str) -> None:
    assert read(f"<w:p>{runs}</w:p>").text == text


def test_a_field_within_an_instruction_is_not_seen(read: Reader) -> None:
    inner = field("MERGEFIELD Name", "«Name»")
    whole = (
        f'<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>IF </w:instrText></w:r>{inner}'
        f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{t("Dear Ms Wang")}<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )
    assert read(f"<w:p>{whole}</w:p>").text == "Dear Ms Wang"


def test_a_field_that_never_ends_hides_no_more_than_its_paragraph(read: Reader) -> None:
    open_field = '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>TOC</w:instrText></w:r>'
    assert read(f"<w:p>{t('one')}{open_field}</w:p><w:p>{t('two')}</w:p>").text == "one\n\ntwo"


def test_a_table_of_contents_made_by_a_field_is_furniture(read: Reader) -> None:
    begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>TOC \\o</w:instrText></w:r>'
    begin += '<w:r><w:fldChar w:fldCharType="separate"/></w:r>'
    found = read(
        f"<w:p>{begin}{t('1 Scope 3')}</w:p><w:p>{t('2 Terms 4')}<w:r><w:fldChar w:fldCharType=\"end\"/></w:r></w:p>"
        f"<w:p>{t('Scope')}</w:p>"
    )
    assert [(b.layer, b.text) for b in found.blocks] == [
        ("furniture", "1 Scope 3"), ("furniture", "2 Terms 4"), ("body", "Scope"),
    ]


def test_links_made_by_fields_have_their_targets(read: Reader) -> None:
    link = field(r'HYPERLINK "https://example.org/a" \l "b"', "the page")
    found = read(f"<w:p>{t('see ')}{link}</w:p>")
    assert [(link.text, link.target) for link in found.links] == [("the page", "https://example.org/a#b")]


def test_prompts_of_empty_controls_are_recorded_and_what_was_chosen_is_read(read: Reader) -> None:
    control = "<w:sdt><w:sdtPr>{}</w:sdtPr><w:sdtContent>{}</w:sdtContent></w:sdt>"
    ticked = control.format('<w14:checkbox><w14:checked w14:val="1"/></w14:checkbox>', "")
    found = read(
        f"<w:p>{t('Name: ')}{control.format('<w:showingPlcHdr/>', t('Click here'))}</w:p>"
        f"<w:p>{control.format('<w:dropDownList/>', t('甲方'))}{ticked}</w:p>"
    )
    assert found.text == "Name:\n\n甲方☒"
    assert omitted(found) == [("placeholder", 1, "paragraph 1", "Click here")]


@pytest.mark.parametrize(
    "properties",
    ["<w:vanish/>", '<w:sz w:val="2"/>', '<w:color w:val="FFFFFF"/>', '<w:rStyle w:val="Secret"/>'],
)
def test_text_that_cannot_be_seen_is_recorded(read: Reader, properties: str) -> None:
    styles = '<w:styles><w:style w:type="character" w:styleId="Secret"><w:rPr><w:vanish/></w:rPr></w:style></w:styles>'
    found = read(f"<w:p>{t('seen ')}{t('unseen', properties)}</w:p>", {"r1": ("styles", "word/styles.xml", styles)})
    assert found.text == "seen"
    assert omitted(found) == [("hidden_text", 1, "paragraph 1", "unseen")]


@pytest.mark.parametrize(
    "paragraph",
    [
        f"<w:p>{t('white', '<w:color w:val=~FFFFFF~/><w:shd w:val=~clear~ w:fill=~1F4E79~/>')}</w:p>",
        f"<w:p><w:pPr><w:shd w:val=~clear~ w:fill=~1F4E79~/></w:pPr>{t('white', '<w:color w:val=~FFFFFF~/>')}</w:p>",
        f"<w:tbl><w:tr><w:tc><w:p>{t('white', '<w:color w:val=~FFFFFF~/>')}</w:p></w:tc></w:tr></w:tbl>",
    ],
)
def test_white_letters_on_a_coloured_ground_are_read(read: Reader, paragraph: str) -> None:
    assert read(paragraph.replace("~", '"')).text == "white"


def test_white_letters_over_a_shape_behind_the_text_are_read(read: Reader) -> None:
    behind = '<w:r><w:drawing><wp:anchor behindDoc="1"/></w:drawing></w:r>'
    assert read(f"<w:p>{behind}{t('white', '<w:color w:val=~FFFFFF~/>').replace('~', chr(34))}</w:p>").text == "white"


def test_where_a_paragraph_end_was_deleted_the_next_goes_on(read: Reader) -> None:
    mark = '<w:pPr><w:rPr><w:del w:id="1"/></w:rPr></w:pPr>'
    assert read(f"<w:p>{mark}{t('Payment is due ')}</w:p><w:p>{t('in 30 days.')}</w:p>").text == "Payment is due in 30 days."


def test_a_dropped_initial_belongs_to_its_word(read: Reader) -> None:
    assert read(f'<w:p><w:pPr><w:framePr w:dropCap="drop"/></w:pPr>{t("O")}</w:p><w:p>{t("nce upon")}</w:p>').text == "Once upon"


def test_moved_text_stands_where_it_was_moved_to(read: Reader) -> None:
    found = read(
        f'<w:p><w:moveFrom w:id="1">{t("clause")}</w:moveFrom>{t("A")}</w:p>'
        f'<w:p><w:moveTo w:id="2">{t("clause")}</w:moveTo></w:p>'
    )
    assert found.text == "A\n\nclause"
    assert omitted(found) == [("tracked_deletion", 1, "paragraph 1", "clause")]


def test_comments_are_recorded_with_their_places(read: Reader) -> None:
    comments = "<w:comments>" + "".join(
        f'<w:comment w:id="{i}"><w:p>{t(said)}</w:p></w:comment>' for i, said in enumerate(["why?", "as agreed"])
    ) + "</w:comments>"
    reference = '<w:r><w:commentReference w:id="{}"/></w:r>'
    found = read(
        f"<w:p>{t('a')}{reference.format(0)}</w:p><w:p>{t('b')}{reference.format(1)}</w:p>",
        {"r1": ("comments", "word/comments.xml", comments)},
    )
    assert omitted(found) == [("comment", 1, "paragraph 1", "why?"), ("comment", 1, "paragraph 2", "as agreed")]


def test_notes_have_the_marks_of_word(read: Reader) -> None:
    notes = '<w:{0}s><w:{0} w:id="5"><w:p>{1}</w:p></w:{0}><w:{0} w:id="9"><w:p>{2}</w:p></w:{0}></w:{0}s>'
    found = read(
        f'<w:p>{t("first")}<w:r><w:footnoteReference w:id="9"/></w:r>{t(" then")}<w:r><w:endnoteReference w:id="5"/></w:r></w:p>'
        f'<w:tbl><w:tr><w:tc><w:p>{t("cell")}<w:r><w:footnoteReference w:id="5"/></w:r></w:p></w:tc><w:tc/></w:tr></w:tbl>',
        {
            "r1": ("footnotes", "word/footnotes.xml", notes.format("footnote", t("of the table"), t("of the text"))),
            "r2": ("endnotes", "word/endnotes.xml", notes.format("endnote", t("at the end"), t("nobody cites this"))),
        },
    )
    assert body(found) == [
        ("paragraph", "first[1] then[i]"), ("footnote", "[1] of the text"), ("footnote", "[i] at the end"),
        ("table", "cell[2] | "), ("footnote", "[2] of the table"),
    ]
    assert omitted(found) == [("uncited_note", 1, "endnote 9", "nobody cites this")]


def test_equations_are_lines_of_text(read: Reader) -> None:
    r = "<m:r><m:t>{}</m:t></m:r>".format
    root = f"<m:rad><m:deg/><m:e><m:sSup><m:e>{r('b')}</m:e><m:sup>{r('2')}</m:sup></m:sSup>{r('−4ac')}</m:e></m:rad>"
    fraction = f"<m:f><m:num>{r('−b±')}{root}</m:num><m:den>{r('2a')}</m:den></m:f>"
    limits = f"<m:sub>{r('i=1')}</m:sub><m:sup>{r('n')}</m:sup>"
    total = f'<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr>{limits}<m:e>{r("x")}</m:e></m:nary>'
    found = read(
        f"<w:p><m:oMathPara><m:oMath>{r('x=')}{fraction}</m:oMath></m:oMathPara></w:p>"
        f"<w:p>{t('so ')}<m:oMath>{total}</m:oMath></w:p>"
    )
    assert body(found) == [("formula", "x=(−b±√(b^2−4ac))/2a"), ("paragraph", "so ∑_(i=1)^n x")]


def test_lettering_and_pictures_described_by_their_author_are_read(read: Reader) -> None:
    picture = (
        '<w:drawing><wp:inline><wp:docPr id="1" name="Picture 1" descr="{}"/><a:graphic><a:graphicData><pic:pic><pic:nvPicPr>'
        '<pic:cNvPr id="1" name="x.png"/></pic:nvPicPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing>'
    )
    found = read(
        f"<w:p><w:r>{picture.format('接线图：网关接到二号机房')}</w:r></w:p><w:p><w:r>{picture.format('image1.png')}</w:r></w:p>"
        '<w:p><w:r><w:pict><v:shape><v:textpath string="机密"/></v:shape></w:pict></w:r></w:p>'
    )
    assert body(found) == [("caption", "接线图：网关接到二号机房"), ("paragraph", "机密")]
    assert omitted(found) == [
        ("image", 1, "paragraph 1", "接线图：网关接到二号机房"), ("image", 1, "paragraph 2", None),
    ]


def test_embedded_objects_are_recorded(read: Reader) -> None:
    embedded = '<w:object><v:shape><v:imagedata/></v:shape><o:OLEObject ProgID="Excel.Sheet.12"/></w:object>'
    found = read(f'<w:p>{t("see")}<w:r>{embedded}</w:r></w:p>')
    assert omitted(found) == [("embedded_object", 1, "paragraph 1", "Excel.Sheet.12")]


def test_imported_pages_are_read(read: Reader) -> None:
    page = "<html><body><h1>Imported</h1><p>from a page</p></body></html>"
    head = "MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=x\r\n\r\n"
    archive = f"{head}--x\r\nContent-Type: text/html\r\n\r\n{page}\r\n--x--"
    for name, content in (("word/a.htm", page), ("word/a.mht", archive)):
        found = read('<w:altChunk r:id="r1"/>', {"r1": ("aFChunk", name, content.encode())})
        assert body(found) == [("heading", "Imported"), ("paragraph", "from a page")]


def test_imported_files_that_cannot_be_read_are_recorded(read: Reader) -> None:
    found = read(f'<w:p>{t("x")}</w:p><w:altChunk r:id="r1"/>', {"r1": ("aFChunk", "word/a.rtf", b"{\\rtf1 hidden}")})
    assert omitted(found) == [("embedded_document", 1, "paragraph 1", "word/a.rtf")]
