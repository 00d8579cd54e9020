"""Labels of numbered paragraphs are those that Word prints."""

from __future__ import annotations

from lxml import etree

from ingest.parse.office.word_numbering import Numbering
from ingest.parse.office.word_styles import Styles

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def numbering(levels: list[tuple[str, str]]) -> Numbering:
    written = "".join(
        f'<w:lvl w:ilvl="{i}"><w:start w:val="1"/><w:numFmt w:val="{format}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for i, (format, text) in enumerate(levels)
    )
    nums = '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    nums += '<w:num w:numId="2"><w:abstractNumId w:val="0"/>'
    nums += '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>'
    return Numbering.read(
        etree.fromstring(
            f'<w:numbering xmlns:w="{W}"><w:abstractNum w:abstractNumId="0">{written}</w:abstractNum>{nums}</w:numbering>'
        )
    )


def test_levels_count_within_one_another_and_start_anew() -> None:
    found = numbering([("decimal", "%1."), ("decimal", "%1.%2"), ("lowerLetter", "%3)")])
    labels = [found.label("1", depth) for depth in (0, 1, 1, 2, 2, 0, 1)]
    assert labels == ["1.", "1.1", "1.2", "a)", "b)", "2.", "2.1"]


def test_a_list_that_starts_anew_does_not_go_on_counting() -> None:
    found = numbering([("decimal", "%1.")])
    assert [found.label(number, 0) for number in ("1", "1", "2", "1")] == ["1.", "2.", "1.", "3."]


def test_chinese_chapters_are_labelled_as_such() -> None:
    found = numbering([("chineseCountingThousand", "第%1章"), ("chineseCounting", "（%2）")])
    assert [found.label("1", depth) for depth in (0, 1, 1, 0)] == ["第一章", "（一）", "（二）", "第二章"]


def read(definitions: str) -> Numbering:
    return Numbering.read(etree.fromstring(f'<w:numbering xmlns:w="{W}">{definitions}</w:numbering>'), STYLES)


STYLES = Styles.read(
    etree.fromstring(
        f'<w:styles xmlns:w="{W}"><w:style w:type="numbering" w:styleId="Outline"><w:name w:val="Outline"/>'
        '<w:pPr><w:numPr><w:numId w:val="7"/></w:numPr></w:pPr></w:style>'
        '<w:style w:type="paragraph" w:styleId="H2"><w:name w:val="heading 2"/>'
        '<w:pPr><w:numPr><w:numId w:val="7"/></w:numPr></w:pPr>'
        '</w:style><w:style w:type="paragraph" w:styleId="H2x"><w:name w:val="mine"/><w:basedOn w:val="H2"/></w:style></w:styles>'
    )
)


def level(index: int, text: str, format: str = "decimal", more: str = "") -> str:
    return f'<w:lvl w:ilvl="{index}"><w:numFmt w:val="{format}"/>{more}<w:lvlText w:val="{text}"/></w:lvl>'


def one(levels: str, num_id: str = "1") -> str:
    num = f'<w:num w:numId="{num_id}"><w:abstractNumId w:val="0"/></w:num>'
    return f'<w:abstractNum w:abstractNumId="0">{levels}</w:abstractNum>{num}'


def test_a_level_may_go_on_counting_through_those_above_it() -> None:
    never = level(0, "Part %1") + level(1, "Article %2", more='<w:lvlRestart w:val="0"/>')
    found = read(one(never))
    assert [found.label("1", depth) for depth in (0, 1, 1, 0, 1)] == ["Part 1", "Article 1", "Article 2", "Part 2", "Article 3"]


def test_legal_numbering_is_in_digits() -> None:
    levels = level(0, "第%1章", "chineseCounting") + level(1, "%1.%2", more="<w:isLgl/>")
    found = read(one(levels))
    assert [found.label("1", depth) for depth in (0, 1)] == ["第一章", "1.1"]


def test_a_level_that_was_skipped_has_had_its_first_turn() -> None:
    levels = "".join(level(i, ".".join(f"%{n}" for n in range(1, i + 2))) for i in range(3))
    found = read(one(levels))
    assert [found.label("1", depth) for depth in (0, 2, 1)] == ["1", "1.1.1", "1.2"]


def test_a_list_that_points_to_a_list_style_is_written_like_it() -> None:
    linked = (
        f'<w:abstractNum w:abstractNumId="3"><w:styleLink w:val="Outline"/>{level(0, "§ %1")}</w:abstractNum>'
        '<w:abstractNum w:abstractNumId="4"><w:numStyleLink w:val="Outline"/></w:abstractNum>'
        '<w:num w:numId="7"><w:abstractNumId w:val="3"/></w:num><w:num w:numId="8"><w:abstractNumId w:val="4"/></w:num>'
    )
    assert read(linked).label("8", 0) == "§ 1"


def test_a_style_has_the_level_that_names_it() -> None:
    levels = level(0, "%1") + level(1, "%1.%2", more='<w:pStyle w:val="H2"/>')
    found = read(one(levels, "7"))
    assert found.place(None, "H2", STYLES) == found.place(None, "H2x", STYLES) == ("7", 1)


def test_a_list_of_no_numbers_shows_what_stands_in_their_place() -> None:
    found = read(one(level(0, "Note:", "none")))
    assert found.label("1", 0) == "Note:"
