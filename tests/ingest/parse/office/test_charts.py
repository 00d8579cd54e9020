"""Charts that python-pptx cannot make: the newer family, and caches that are incomplete."""

from __future__ import annotations

from lxml import etree

from ingest.parse.office.charts import CX, C, Chart, read_chart

A = "http://schemas.openxmlformats.org/drawingml/2006/main"


def read(content: str) -> Chart:
    return read_chart(
        etree.fromstring(
            f'<c:chartSpace xmlns:c="{C.strip("{}")}"><c:chart><c:plotArea>{content}</c:plotArea></c:chart></c:chartSpace>'
        )
    )


def test_a_waterfall_has_its_values() -> None:
    texts = '<cx:strDim type="cat"><cx:lvl><cx:pt idx="0">开始</cx:pt><cx:pt idx="1">结束</cx:pt></cx:lvl></cx:strDim>'
    numbers = '<cx:lvl formatCode="#,##0"><cx:pt idx="0">1000</cx:pt><cx:pt idx="1">2500.4</cx:pt></cx:lvl>'
    title = "<cx:title><cx:tx><cx:rich><a:p><a:r><a:t>现金流</a:t></a:r></a:p></cx:rich></cx:tx></cx:title>"
    series = '<cx:series><cx:tx><cx:txData><cx:v>2026</cx:v></cx:txData></cx:tx><cx:dataId val="0"/></cx:series>'
    found = read_chart(
        etree.fromstring(
            f'<cx:chartSpace xmlns:cx="{CX.strip("{}")}" xmlns:a="{A}">'
            f'<cx:chartData><cx:data id="0">{texts}<cx:numDim type="val">{numbers}</cx:numDim></cx:data></cx:chartData>'
            f"<cx:chart>{title}<cx:plotArea><cx:plotAreaRegion>{series}</cx:plotAreaRegion></cx:plotArea></cx:chart></cx:chartSpace>"
        )
    )
    assert found.title == "现金流"
    assert found.table is not None
    assert found.table.rows == (("", "2026"), ("开始", "1,000"), ("结束", "2,500"))


def test_labels_of_single_points_are_read() -> None:
    label = f'<c:dLbl><c:tx><c:rich><a:p xmlns:a="{A}"><a:r><a:t>停机两天</a:t></a:r></a:p></c:rich></c:tx></c:dLbl>'
    found = read(f"<c:barChart><c:ser><c:dLbls>{label}{label.replace('停机两天', '[VALUE]')}</c:dLbls></c:ser></c:barChart>")
    assert found.caption == "停机两天"


def test_a_chart_without_kept_values_has_no_table() -> None:
    found = read("<c:barChart><c:ser><c:val><c:numRef><c:f>S!$A$1</c:f></c:numRef></c:val></c:ser></c:barChart>")
    assert found.table is None and found.caption == "" and found.sources == ("S!$A$1",)


def test_points_that_are_missing_leave_their_cells_empty() -> None:
    series = "".join(
        f"<c:ser><c:tx><c:v>{name}</c:v></c:tx><c:val><c:numRef><c:numCache>{points}</c:numCache></c:numRef></c:val></c:ser>"
        for name, points in (("a", '<c:pt idx="0"><c:v>1</c:v></c:pt>'), ("b", '<c:pt idx="2"><c:v>3</c:v></c:pt>'))
    )
    found = read(f"<c:barChart>{series}</c:barChart>")
    assert found.table is not None and found.table.rows == (("", "a", "b"), ("1", "1", ""), ("3", "", "3"))
