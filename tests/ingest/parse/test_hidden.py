"""What tags and simple style rules say about not being seen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.parse.hidden import concealed_by, is_hidden_tag


@pytest.mark.parametrize(
    ("sheet", "concealed"),
    [
        (".x{display:none}", {".x"}),
        ("nav { display: flex } .visually-hidden , #tail { DISPLAY : NONE }", {".visually-hidden", "#tail"}),
        ("/* .a{ */ .x /* } */ { color: #fff /* } */ }", {".x"}),
        ("@media print { .x { display: none } } .y { font-size: 0 }", {".y"}),
        (".tab { display: none } .tab.active { display: block }", set()),
        ("p .x { display: none } .x:hover { display: none }", set()),
        (".x { color: white; background: black }", set()),
        ("} } .x { display: none", set()),
        ("", set()),
    ],
)
def test_plain_rules_of_a_style_sheet_are_read(sheet: str, concealed: set[str]) -> None:
    assert concealed_by(sheet) == concealed


@pytest.mark.parametrize(
    ("attributes", "hidden"),
    [
        ({"hidden": ""}, True),
        ({"hidden": "until-found"}, False),
        ({"aria-hidden": "true"}, True),
        ({"aria-hidden": "false"}, False),
        ({"style": "color: rgb(255, 255, 255)"}, True),
        ({"style": "color: rgba(0,0,0,0)"}, True),
        ({"style": "background-color: white"}, False),
        ({"style": "text-indent:-9999px"}, True),
        ({"style": "margin-left:-10px"}, False),
        ({}, False),
    ],
)
def test_tags_say_whether_they_are_seen(attributes: dict[str, str], hidden: bool) -> None:
    assert is_hidden_tag(attributes) is hidden


@given(st.text(st.sampled_from("{}/*.x#;:@ displaynone"), max_size=80))
def test_any_sheet_is_safe(sheet: str) -> None:
    assert all(name[0] in ".#" for name in concealed_by(sheet))


def test_hostile_sheets_do_not_stall() -> None:
    for piece in ("/*", "{", "}", "/**", ".x{display:none}", "* ", "display:"):
        concealed_by(piece * 100_000)
