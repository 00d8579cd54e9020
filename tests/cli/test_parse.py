"""`ingest parse`: what it prints of a file, of its places and of a page's picture, and how it ends when it cannot."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image

CORPUS = Path(__file__).parents[2] / "fixtures" / "corpus"
GUIDE = CORPUS / "manuals" / "云脉密钥部署指南.pdf"
PAPER = CORPUS / "whitepapers" / "yungate-data-plane.en.pdf"


def test_markdown_is_what_people_see(ingest: Callable[..., Any]) -> None:
    ended = ingest("parse", str(GUIDE))
    assert ended.code == 0
    assert ended.out.startswith("#") and "云脉" in ended.out
    assert "<!--" not in ended.out


def test_provenance_tells_page_method_and_confidence_of_every_block(ingest: Callable[..., Any]) -> None:
    seen = ingest("parse", str(PAPER), "--json").json[0]
    ended = ingest("parse", str(PAPER), "--provenance")
    told = [line for line in ended.out.splitlines() if line.startswith("<!--")]
    assert ended.code == 0
    assert len(told) == len(seen["blocks"])
    assert all("page" in line for line in told)
    headings = [line for line in told if "heading" in line]
    assert headings and any("size" in line or "outline" in line or "tag" in line for line in headings)


def test_overlay_draws_the_page_that_is_asked_for(ingest: Callable[..., Any]) -> None:
    ended = ingest("parse", str(GUIDE), "--overlay", "one.png", "--page", "1")
    assert ended.code == 0
    with Image.open("one.png") as picture:
        assert picture.format == "PNG" and min(picture.size) > 400
        assert len(picture.convert("RGB").getcolors(1 << 24) or ()) > 10
    assert ended.out == ingest("parse", str(GUIDE)).out


def test_page_that_is_not_there_draws_nothing(ingest: Callable[..., Any]) -> None:
    ended = ingest("parse", str(GUIDE), "--overlay", "none.png", "--page", "999")
    assert ended.code == 2 and "999" in ended.err and "pages" in ended.err
    assert not Path("none.png").exists()


def test_overlay_wants_one_file_and_a_place_to_write(ingest: Callable[..., Any]) -> None:
    two = ingest("parse", str(GUIDE), str(PAPER), "--overlay", "x.png")
    nowhere = ingest("parse", str(GUIDE), "--overlay", "no/such/folder.png")
    assert (two.code, "one file" in two.err) == (2, True)
    assert nowhere.code != 0 and "--overlay" in nowhere.err and "Traceback" not in nowhere.err


def test_overlay_of_text_names_what_it_can_draw(ingest: Callable[..., Any], docs: Path) -> None:
    ended = ingest("parse", "docs/手册.md", "--overlay", "x.png")
    assert ended.code == 4 and "give it a PDF" in ended.err


def test_chunks_carry_their_path_and_a_file_that_fails_does_not_keep_the_others(ingest: Callable[..., Any], docs: Path) -> None:
    (docs / "empty.md").touch()
    ended = ingest("parse", "docs/empty.md", "docs/手册.md", "--chunks", "--json")
    assert ended.code == 4 and "DocumentEmpty" in ended.err
    (one,) = json.loads(ended.out)
    assert {tuple(child["heading_path"]) for child in one["children"]} >= {("云脉网关手册", "Limits")}
