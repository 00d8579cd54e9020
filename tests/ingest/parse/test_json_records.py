"""JSON reads as its author would lay it out: tables, records, questions with answers; what is broken is told with its line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.errors import DocumentEmpty
from ingest.model.document import Document
from ingest.parse.route import parse
from ingest.settings import ParsePart


def read(text: str, name: str = "a.jsonl") -> Document:
    return parse(text.encode(), name, ParsePart())


def test_flat_records_are_a_table_with_lines() -> None:
    document = read('{"name": "甲", "n": 1}\n{"name": "乙", "n": 2.50, "note": "x"}\n')
    (block,) = document.blocks
    assert block.text == "name | n | note\n甲 | 1 | \n乙 | 2.50 | x"
    assert block.provenance.lines == (1, 2)
    assert document.media_type == "application/jsonl"


def test_records_of_long_texts_stand_alone_with_their_key_paths() -> None:
    records = [{"id": n, "meta": {"tags": ["a", "b"]}, "text": "word " * 100} for n in range(2)]
    first, second = read("\n".join(map(json.dumps, records))).blocks
    assert first.text.startswith("id: 0\nmeta.tags: a; b\ntext: word word")
    assert (first.provenance.locator, second.provenance.locator) == ("line 1", "line 2")


@pytest.mark.parametrize(("asked", "replied"), [("question", "answer"), ("问题", "答案"), ("Q", "A")])
def test_a_question_with_its_answer_is_an_faq(asked: str, replied: str) -> None:
    (block,) = read(json.dumps({asked: "How long?", replied: "Two days.\nAt most.", "source": "manual"})).blocks
    assert (block.kind, block.text) == ("faq", "How long?\nTwo days.\nAt most.\nsource: manual")


def test_broken_lines_are_told_with_their_numbers() -> None:
    document = read('{"a": 1, "b": 2}\n{"a": 1,\n\nnot json\n{"a": 3, "b": 4}\n')
    assert [(one.kind, one.where) for one in document.omissions] == [("invalid_line", "line 2"), ("invalid_line", "line 4")]
    assert document.text == "a | b\n1 | 2\n3 | 4"


def test_an_object_becomes_headings_over_what_it_holds() -> None:
    users = [{"n": "x", "r": 1}, {"n": "y", "r": 2}]
    value = {"title": "Service", "limits": {"rps": 10}, "regions": ["suzhou", "hangzhou"], "users": users}
    document = read(json.dumps(value), "a.json")
    assert document.title == "Service"
    assert [(block.kind, block.text) for block in document.blocks] == [
        ("paragraph", "title: Service"), ("heading", "limits"), ("paragraph", "rps: 10"), ("heading", "regions"),
        ("list", "- suzhou\n- hangzhou"), ("heading", "users"), ("table", "n | r\nx | 1\ny | 2"),
    ]


def test_an_array_of_records_is_a_table_with_their_places() -> None:
    (block,) = read('[{"a": 1, "b": true}, {"a": null, "b": "x"}]', "a.json").blocks
    assert block.text == "a | b\n1 | true\n | x"
    assert block.provenance.locator == "[0] to [1]"


def test_a_map_of_records_is_a_table_with_its_keys() -> None:
    prices = {name: {"cny": n, "per": "month"} for n, name in enumerate(("a", "b", "c"))}
    document = read(json.dumps({"prices": prices}), "a.json")
    assert document.blocks[1].text == "key | cny | per\na | 0 | month\nb | 1 | month\nc | 2 | month"


def test_values_in_a_row_are_records() -> None:
    assert read('{"a": 1,\n"b": 2}\n{"a": 3,\n"b": 4}\n', "a.json").text == "a | b\n1 | 2\n3 | 4"


def test_what_is_no_json_is_text() -> None:
    assert read('{"a": [1, 2', "a.json").media_type == "text/plain"


def test_nothing_but_nulls_is_empty() -> None:
    with pytest.raises(DocumentEmpty):
        read('{"a": null, "b": ["", null]}', "a.json")


@pytest.mark.parametrize("depth", [70, 500, 5_000])
def test_depth_is_bounded_and_nothing_is_lost(depth: int) -> None:
    assert "core" in read('{"a":' * depth + '"core"' + "}" * depth, "a.json").text
    assert "core" in read("[" * depth + '"core"' + "]" * depth, "a.json").text


def test_halves_of_surrogate_pairs_are_no_text() -> None:
    read('{"\\ud800": "\\udfff x", "b": ["\\ud83d\\ude00"]}', "a.json").text.encode()


def test_encoded_files_are_taken_out_and_told() -> None:
    import base64
    import random

    data = base64.b64encode(random.Random(1).randbytes(2_000)).decode()  # noqa: S311
    document = read(json.dumps({"name": "logo", "data": data}), "a.json")
    assert document.text == "name: logo"
    assert [one.kind for one in document.omissions] == ["encoded_data"]


VALUES = st.recursive(
    st.one_of(st.text("abcXYZ测试", min_size=1, max_size=8), st.integers(), st.booleans()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.sampled_from("klmn"), inner, max_size=4)),
    max_leaves=15,
)


def texts_in(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for item in value.values() for text in texts_in(item)]
    if isinstance(value, list):
        return [text for item in value for text in texts_in(item)]
    return [value] if isinstance(value, str) else []


@given(st.lists(VALUES, min_size=1, max_size=6))
def test_every_text_of_every_record_is_in_the_document(values: list[object]) -> None:
    try:
        text = read("\n".join(json.dumps(value) for value in values)).text
    except DocumentEmpty:
        text = ""
    assert all(one in text for one in texts_in(values))
