"""Ids survive what is not an edit of their text: other edits, reflowed lines, a file saved or rendered again."""

from __future__ import annotations

import io
import textwrap
import zipfile

import pytest

from ingest.chunk.structure import chunk
from ingest.model.chunk import Chunked
from ingest.parse.route import parse
from ingest.settings import ChunkPart, ParsePart

EN = [
    "The gateway keeps a copy of every request for thirteen months, and writes it to the archive of the tenant it belongs to.",
    "Requests that carry no tenant are refused, unless the operator has set a default one in the console or by command.",
    "A copy is encrypted with the key of its tenant; see Fig. 2 for how keys are made, turned and destroyed in the end.",
    "When the archive is full, e.g. because a quota was lowered, the gateway answers with ERR_1042 and keeps the request.",
    "Operators are told by mail and in the console. They may raise the quota, or remove what is older than the law demands.",
]
ZH = [
    "网关把每个请求的副本保存十三个月，并写入其所属租户的归档存储。",
    "没有租户的请求会被拒绝，除非运维人员在控制台或命令行设置了默认租户。",
    "副本用租户的密钥加密，密钥的生成、轮换与销毁见图 2。",
    "归档存储已满时，网关返回 ERR_1042，并保留该请求。",
    "运维人员会收到邮件与控制台提醒，可以提高配额，也可以删除超过法定期限的副本。",
]


def paragraphs(count: int, shift: int = 0) -> list[str]:
    made = []
    for n in range(count):
        said = EN if n % 2 else ZH
        order = [said[(n * 3 + k + shift) % len(said)] for k in range(len(said))]
        made.append((" " if n % 2 else "").join([*order, f"第 {n} 段到此为止。" if n % 2 == 0 else f"This was paragraph {n}."]))
    return made


def markdown(sections: dict[str, list[str]]) -> str:
    return "\n\n".join(part for heading, body in sections.items() for part in (heading, *body)) + "\n"


SECTIONS = {"# 手册 Manual": paragraphs(1), "## 归档 Archive": paragraphs(14), "## 配额 Quotas": paragraphs(9, 2)}


def cut(data: bytes, name: str, title: str = "手册") -> Chunked:
    return chunk(parse(data, name, ParsePart()), source_id="urn:kb:source:1", title=title, settings=ChunkPart())


def ids(chunked: Chunked) -> list[str]:
    return [child.chunk_id for child in chunked.children]


def of(sections: dict[str, list[str]]) -> list[str]:
    return ids(cut(markdown(sections).encode(), "a.md"))


def test_paragraph_inserted_near_the_top_of_a_long_section_makes_few_new_children() -> None:
    before = of(SECTIONS)
    for at in range(4):
        body = [*SECTIONS["## 归档 Archive"]]
        body.insert(at, "新加的一段：归档存储从下个月起按租户计费。" * 3)
        after = of({**SECTIONS, "## 归档 Archive": body})
        assert len(before) > 12
        assert len(set(after) - set(before)) <= 5


def test_new_section_at_the_top_leaves_the_others() -> None:
    before = of(SECTIONS)
    after = of({"# 手册 Manual": SECTIONS["# 手册 Manual"], "## 新章": paragraphs(3, 4), **dict(list(SECTIONS.items())[1:])})
    assert set(before) <= set(after)


@pytest.mark.parametrize("change", ["insert", "delete", "replace"])
def test_changed_sentence_costs_few_children(change: str) -> None:
    before = set(of(SECTIONS))
    costs = []
    for number in range(14):
        body = [*SECTIONS["## 归档 Archive"]]
        body[number] = {
            "insert": body[number] + "另见附录三。",
            "delete": body[number].replace(EN[3], "").replace(ZH[3], ""),
            "replace": body[number].replace("ERR_1042", "ERR_2042"),
        }[change]  # fmt: skip
        costs.append(len(set(of({**SECTIONS, "## 归档 Archive": body})) - before))
    assert max(costs) <= 6 and sum(cost <= 4 for cost in costs) >= 12


def test_renamed_heading_costs_its_own_section() -> None:
    before = cut(markdown(SECTIONS).encode(), "a.md")
    renamed = {("## 限额 Limits" if "配额" in heading else heading): body for heading, body in SECTIONS.items()}
    kept = set(ids(before)) & set(of(renamed))
    assert kept == {child.chunk_id for child in before.children if "配额 Quotas" not in child.heading_path}


@pytest.mark.parametrize("width", [40, 72, 100])
def test_reflowed_lines_change_no_id(width: int) -> None:
    wrapped = {heading: [reflowed(one, width) for one in body] for heading, body in SECTIONS.items()}
    assert markdown(wrapped).count("\n") > 2 * markdown(SECTIONS).count("\n")
    assert of(wrapped) == of(SECTIONS)


def reflowed(paragraph: str, width: int) -> str:
    """Broken at spaces in English, between two Chinese characters elsewhere."""
    if paragraph[0].isascii():
        return "\n".join(textwrap.wrap(paragraph, width, break_on_hyphens=False))
    places = [at for at in range(1, len(paragraph)) if min(paragraph[at - 1 : at + 1]) > "\u4dff" and paragraph[at] < "\ua000"]
    lines, start = [], 0
    for at in places:
        if at - start >= width and paragraph[at - 1] < "\ua000":
            lines.append(paragraph[start:at])
            start = at
    return "\n".join([*lines, paragraph[start:]])


def word(sections: dict[str, list[str]]) -> bytes:
    from docx import Document

    made = Document()
    for heading, body in sections.items():
        marks, _, name = heading.partition(" ")
        made.add_heading(name, len(marks))
        for one in body:
            made.add_paragraph(one)
    buffer = io.BytesIO()
    made.save(buffer)
    return buffer.getvalue()


def saved_again(data: bytes) -> bytes:
    """The same parts in another order, stored, with other times and another last editor, as another program would save it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as new:
        for name in sorted(old.namelist()):
            part = old.read(name)
            if name == "docProps/core.xml":
                part = part.replace(b"<dc:creator>python-docx</dc:creator>", b"<dc:creator>somebody else</dc:creator>")
            if name == "word/document.xml":
                part = part.replace(b"<w:t>", b'<w:rPr><w:lang w:val="zh-CN"/></w:rPr><w:t>')
                part = part.replace(b"<w:p>", b'<w:p w:rsidR="00AB12CD">')
            new.writestr(zipfile.ZipInfo(name, (2031, 5, 6, 7, 8, 10)), part)
    return buffer.getvalue()


def test_word_file_that_is_saved_again_keeps_its_ids() -> None:
    first = word(SECTIONS)
    second = saved_again(first)
    assert first != second
    assert ids(cut(first, "a.docx")) == ids(cut(second, "a.docx"))


def rendered(width: float, size: float) -> bytes:
    from fpdf import FPDF

    made = FPDF(format=(width, 297))
    made.set_auto_page_break(auto=True, margin=20)
    made.add_page()
    for number in range(3):
        made.set_font("helvetica", "B", size * 1.5)
        made.cell(0, size, f"{number + 1}. Archive number {number + 1}", new_x="LMARGIN", new_y="NEXT")
        made.set_font("helvetica", size=size)
        for turn in range(5):
            said = " ".join(EN[(number + turn + k) % len(EN)] for k in range(len(EN)))
            made.multi_cell(0, size * 0.5, said, align="L", new_x="LMARGIN", new_y="NEXT")
            made.ln(size * 0.4)
    return bytes(made.output())


def test_pdf_that_is_rendered_again_keeps_the_ids_of_equal_text() -> None:
    data = rendered(210, 11)
    first, second = cut(data, "a.pdf"), cut(data.replace(b"/Producer", b"/PRoducer"), "a.pdf")
    assert ids(first) == ids(second)
    narrow = cut(rendered(160, 11), "a.pdf")
    texts = {child.text for child in first.children} & {child.text for child in narrow.children}
    assert len(texts) >= len(first.children) // 2
    equal = {child.chunk_id for child in first.children if child.text in texts}
    assert equal <= set(ids(narrow))
