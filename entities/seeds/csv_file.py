"""A table from a spreadsheet as entries that know their rows: one entity a row, or one assertion a row.

The header decides which. Columns may have English or Chinese headings, in any order; several values in a cell are separated by
`|` or `；`. Excel separates columns by commas, semicolons or tabs, and all of it is read.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from typing import Any

from entities.seeds.entry import ASSERTION, ENTITY, SeedEntry, SeedProblem

_HEADINGS = {
    "id": ("id", "@id", "entity_id", "编号", "标识符"),
    "type": ("type", "@type", "类型", "类别"),
    "name": ("name", "preferred", "preferred_name", "名称", "首选名称"),
    "legal": ("legal", "legal_name", "legalname", "法定名称", "全称", "工商名称"),
    "alternate": ("alternate", "alternate_names", "alternate_name", "alternatename", "alias", "aliases", "别名", "其他名称"),
    "former": ("former", "former_names", "former_name", "曾用名"),
    "abbreviation": ("abbreviation", "abbreviations", "简称", "缩写"),
    "language": ("language", "lang", "语言"),
    "identifiers": ("identifiers", "identifier", "标识", "证照号码"),
    "uscc": ("uscc", "统一社会信用代码", "社会信用代码"),
    "lei": ("lei", "lei_code"),
    "status": ("status", "状态"),
    "names_source": ("names_source", "名称来源"),
    "subject": ("subject", "主体", "主语"),
    "relation": ("relation", "predicate", "关系"),
    "object": ("object", "客体", "宾语"),
    "value": ("value", "取值", "值"),
    "evidence": ("evidence", "source", "来源", "依据", "证据"),
    "confidence": ("confidence", "置信度"),
    "valid_from": ("valid_from", "validfrom", "生效日期", "有效期起"),
    "valid_until": ("valid_until", "validuntil", "validthrough", "失效日期", "有效期止"),
}
_FIELDS = {heading: field for field, headings in _HEADINGS.items() for heading in headings}
_NAME_COLUMNS = (("name", "preferred"), ("legal", "legal"), ("alternate", "alternate"), ("former", "former"),
                 ("abbreviation", "abbreviation"))
_ASSERTED = ("subject", "relation", "object", "value", "evidence", "valid_from", "valid_until")
_SCHEMES = ("uscc", "lei")
_SEVERAL = re.compile(r"\s*[|；\n]\s*")
_MOST_CELL = 1 << 20


def entries(text: str, name: str) -> Iterator[SeedEntry | SeedProblem]:
    """Yield the entries of a table. Rows are counted as a spreadsheet counts them: the header is row 1."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    csv.field_size_limit(_MOST_CELL)
    row = 0
    try:
        header = next(reader, None)
        if header is None:
            yield SeedProblem(name, "it is empty", "the first row names the columns (docs/registry.md lists them)")
            return
        columns, problems = _columns(header, f"{name} row 1")
        yield from problems
        if not any(problem.fatal for problem in problems):
            for row, cells in enumerate(reader, 2):
                yield from _row(columns, cells, f"{name} row {row}")
    except csv.Error as error:
        yield SeedProblem(f"{name} row {row + 1}", f"it is not a table: {error}", "save it again as CSV from the spreadsheet")


def _delimiter(text: str) -> str:
    first = text.partition("\n")[0]
    return max(",;\t", key=first.count)


def _columns(header: list[str], place: str) -> tuple[dict[str, int], list[SeedProblem]]:
    columns: dict[str, int] = {}
    problems = []
    for number, heading in enumerate(header):
        field = _FIELDS.get(heading.strip().casefold().replace(" ", "_"))
        if field is None and heading.strip():
            problems.append(SeedProblem(place, f"the column {heading.strip()!r} is not known and was left out",
                                        f"known are {', '.join(_HEADINGS)}", fatal=False))
        elif field in columns:
            problems.append(SeedProblem(place, f"two columns are {field}", "keep one of them"))
        elif field is not None:
            columns[field] = number
    if not ({"subject", "relation"} <= columns.keys() or ("type" in columns and columns.keys() & {"name", "legal"})):
        problems.append(SeedProblem(place, "it names neither entities nor assertions",
                                    "a table of entities has the columns type and name (or legal), one of assertions has "
                                    "subject, relation, and object or value"))
    return columns, problems


def _row(columns: Mapping[str, int], cells: list[str], place: str) -> Iterator[SeedEntry | SeedProblem]:
    if not any(cell.strip() for cell in cells):
        return
    if len(cells) < max(columns.values()) + 1 and len(cells) < len(columns):
        yield SeedProblem(place, f"it has {len(cells)} cells, fewer than the header", "fill the row up, or delete it")
        return
    said = {field: cells[number].strip() for field, number in columns.items() if number < len(cells) and cells[number].strip()}
    yield SeedEntry(place, ASSERTION, _assertion(said)) if "relation" in columns else SeedEntry(place, ENTITY, _entity(said))


def _entity(said: dict[str, str]) -> dict[str, Any]:
    entry: dict[str, Any] = {key: said[key] for key in ("id", "type", "status") if key in said}
    entry["names"] = [
        {"text": text, "kind": kind, **_of_name(text, said)}
        for column, kind in _NAME_COLUMNS for text in _SEVERAL.split(said.get(column, "")) if text
    ]
    listed = [_identifier(text) for text in _SEVERAL.split(said.get("identifiers", "")) if text]
    entry["identifiers"] = listed + [{"scheme": scheme, "value": said[scheme]} for scheme in _SCHEMES if scheme in said]
    return entry


def _of_name(text: str, said: dict[str, str]) -> dict[str, str]:
    """Source and language of a name; a row's language is not that of a Latin name among Chinese ones."""
    language = said.get("language", "")
    foreign = text.isascii() and language.casefold().startswith("zh")
    made = {"language": "" if foreign else language, "source": said.get("names_source", "")}
    return {key: value for key, value in made.items() if value}


def _identifier(text: str) -> dict[str, str]:
    scheme, colon, value = text.replace("：", ":", 1).partition(":")
    return {"scheme": scheme.strip(), "value": value.strip()} if colon else {"value": text}


def _assertion(said: dict[str, str]) -> dict[str, Any]:
    entry: dict[str, Any] = {key: said[key] for key in _ASSERTED if key in said}
    if "confidence" in said:
        try:
            entry["confidence"] = float(said["confidence"].removesuffix("%")) / (100 if said["confidence"].endswith("%") else 1)
        except ValueError:
            entry["confidence"] = said["confidence"]
    return entry
