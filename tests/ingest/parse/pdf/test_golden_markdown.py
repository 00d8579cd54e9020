"""Whole pages of several kinds read as once approved, as Markdown.

After a wanted change: CONCORD_REWRITE_GOLDEN=1 pytest tests/ingest/parse/pdf/test_golden_markdown.py, then read the diff.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingest.cli.markdown import pieces
from ingest.parse import pdf as reader
from ingest.parse.detect import PDF
from ingest.settings import ParsePart

GOLDEN = Path(__file__).parent / "golden"
REWRITE = os.environ.get("CONCORD_REWRITE_GOLDEN") == "1"

Pages = list[list[Any]]


def regulation(pdf: Any) -> Pages:
    """A Chinese regulation: parts by number alone, articles that are text, a page's end in a sentence."""
    first = [
        pdf.Text(180, 90, "数据分级管理办法", 18, "bold"),
        pdf.Text(260, 130, "第一章 总则", 12, "bold"),
        *pdf.lines(70, 160, ["第一条 为了规范公司数据的分级管理，保护客户与员工的合法权益，根据有", "关法律法规，制定本办法。"]),
        *pdf.lines(70, 200, ["第二条 本办法适用于公司全体员工以及能够接触公司数据的合作单位。"]),
        pdf.Text(260, 240, "第二章 分级", 12, "bold"),
        *pdf.lines(70, 270, ["第三条 数据按照重要程度分为下列级别："]),
        *pdf.lines(94, 290, ["（一）公开数据；", "（二）内部数据；", "（三）敏感数据。"]),
        *pdf.lines(70, 340, ["第四条 敏感数据的访问应当经部门负责人批准，并且在系统中登记访问的时间"]),
    ]
    second = [*pdf.lines(70, 90, ["与用途，登记保存三年。"]), pdf.Text(260, 130, "第三章 附则", 12, "bold")]
    second += pdf.lines(70, 160, ["第五条 本办法自发布之日起施行。"])
    third = [pdf.Text(70, 90, "附件一 登记表", 12, "bold"), *pdf.lines(70, 120, ["登记表由信息部门保管，每季度检查一次。"])]
    pages = enumerate([first, second, third], start=1)
    return [[pdf.Text(50, 40, "内部资料"), *page, pdf.Text(290, 815, f"- {n} -")] for n, page in pages]


def paper(pdf: Any) -> Pages:
    """A paper: title over both columns, numbered sections, a table between rules, a footnote, a hyphen at a line's end."""
    left = [
        "Gateways that count requests in fixed", "windows let twice the agreed traffic", "through at the edge of a win-",
        "dow.1 We describe another way that", "needs no more memory than before.",
    ]
    more = [
        "The state is kept in one word, and a", "refill is computed when it is needed,", "so that idle buckets cost nothing at",
        "all while they are not looked at.",
    ]
    right = ["We replayed logs of eleven days from", "four customers against both of them", "on the same six machines in a rack."]
    cells = [["Release", "Burst", "p99"], ["fixed", "2.0", "31 ms"], ["bucket", "1.2", "9 ms"]]
    table = pdf.between_rules(310, 190, [90, 60, 60], cells)
    return [
        [
            pdf.Text(100, 80, "A Data Plane That Forgets Nothing", 18, "bold"),
            pdf.Text(50, 120, "1 Introduction", 12, "bold"), *pdf.lines(50, 140, left),
            pdf.Text(50, 230, "2 Method", 12, "bold"), *pdf.lines(50, 250, more),
            pdf.Text(310, 120, "3 Evaluation", 12, "bold"), *pdf.lines(310, 140, right),
            *table, pdf.Text(310, 260, "Table 1. Highest burst and latency."), *pdf.lines(310, 290, right),
            pdf.Text(50, 760, "1 As described in the manual of the gateway.", 7),
        ]
    ]


def sheet(pdf: Any) -> Pages:
    """A product sheet: labels and values in line, a ruled table with a cell over two rows, a list."""
    cells = [["Group", "Port", "Use"], ["Data", "eth0", "traffic"], ["", "eth1", "standby"]]
    grid = pdf.grid(50, 250, [100, 100, 160], 20, cells)
    ports = [one for one in grid if not (isinstance(one, pdf.Rule) and one.y0 == one.y1 == 290)]
    values = ["Height|2U|rack", "Power|420 W|full load", "Weight|18 kg|with rails", "Depth|60 cm|with cables"]
    places = [
        (x, 145 + 16 * i, text)
        for i, row in enumerate(values)
        for x, text in zip((50, 150, 260), row.split("|"), strict=True)
    ]
    return [
        [
            pdf.Text(50, 80, "YunKey K2 Appliance", 20, "bold"),
            *pdf.lines(50, 115, ["Keeps the keys of a company in one place and signs for its gateways."]),
            *[pdf.Text(*place) for place in places],
            pdf.Text(50, 235, "Ports", 13, "bold"), *ports, pdf.Rule(150, 290, 410, 290),
            pdf.Text(50, 340, "In the box", 13, "bold"),
            *pdf.lines(60, 365, ["• two power cords", "• a pair of rails", "• five smart keys"]),
        ]
    ]


MADE: dict[str, Callable[[Any], Pages]] = {"regulation": regulation, "paper": paper, "sheet": sheet}


@pytest.mark.parametrize("name", MADE)
def test_a_page_reads_as_approved(pdf: Any, name: str) -> None:
    document = reader.parse(pdf.build(MADE[name](pdf)), f"{name}.pdf", ParsePart(), PDF)
    made = "\n\n".join(pieces(document)) + "\n"
    expected = GOLDEN / f"{name}.md"
    if REWRITE:
        expected.write_text(made, encoding="utf-8")
    assert made == expected.read_text(encoding="utf-8")


def test_every_golden_file_is_of_a_page_that_is_made() -> None:
    assert {path.stem for path in GOLDEN.glob("*.md")} == set(MADE)
