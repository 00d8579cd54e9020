"""What is larger than all limits is cut, and says so, whatever it is made of."""

from __future__ import annotations

from typing import Any

import pytest

from ingest.model.document import Block


@pytest.mark.parametrize(
    "block",
    [
        pytest.param(Block("code", "x = 1; " * 3000), id="code of one line"),
        pytest.param(Block("list", "- " + "word " * 3000), id="a list of one item"),
        pytest.param(Block("list", "- " + "无" * 3000), id="an item without spaces"),
        pytest.param(Block("formula", "x+" * 4000), id="a formula"),
    ],
)
def test_a_block_of_one_part_is_cut_where_it_is_too_large(build: Any, holds: Any, block: Block) -> None:
    made = build.document(build.paragraph("如下："), block, build.paragraph("完。"))
    chunked = build.cut(made)
    holds(made, chunked, build.settings())
    assert max(child.units for child in chunked.children) <= 300
    assert {child.kind for child in chunked.children if len(child.text) > 200} == {f"{block.kind}/part"}


def test_code_of_one_line_that_fits_is_whole(build: Any) -> None:
    made = build.document(build.paragraph("如下："), Block("code", "x = 1; " * 160), build.paragraph("完。"))
    assert "code" in {child.kind for child in build.cut(made).children}
