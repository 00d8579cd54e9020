"""Transcripts are cut where another speaks or nobody does, and times and speakers stay with what was said."""

from __future__ import annotations

from typing import Any

import pytest

from ingest.chunk.speech import speaker_of, turns
from ingest.model.document import Block, Document, Provenance, laid_out

SAID = "我们先回顾上周的故障，原因是证书过期，监控没有报警，处理用了四十分钟，之后补了检查。"


def said(text: str, start: float, end: float) -> Block:
    return Block("paragraph", text, provenance=Provenance(time=(start, end)))


def transcript(*blocks: Block) -> Document:
    return Document("text/vtt", "by hand", None, laid_out(blocks))


@pytest.mark.parametrize(("text", "name"), [
    ("Wang Fang: Good morning.", "Wang Fang"), ("王芳： 大家好。", "王芳"), ("Good morning.", ""), ("At 9:30 we begin.", ""),
    ("We decided, after all: no.", ""),
])  # fmt: skip
def test_speaker_is_told_by_the_name_in_front(text: str, name: str) -> None:
    assert speaker_of(said(text, 0, 1)) == name
    assert speaker_of(Block("paragraph", text)) == ""


def test_floor_passes_with_a_speaker_or_a_long_pause() -> None:
    one = said("A: x", 0, 5)
    assert turns(one, said("B: y", 5, 6)) and turns(one, said("A: y", 9, 10))
    assert not turns(one, said("A: y", 6, 7)) and not turns(Block("paragraph", "A: x"), said("B: y", 5, 6))


def test_cut_falls_where_another_speaks(build: Any, holds: Any) -> None:
    spoken = []
    at = 0.0
    for turn in range(8):
        for _ in range(3):
            spoken.append(said(f"{'王芳' if turn % 2 else '李雷'}: {SAID * 2}", at, at + 20))
            at += 21.5
    made = transcript(*spoken)
    chunked = build.cut(made, title="周会")
    holds(made, chunked, build.settings())
    starts = [child.provenance.time[0] for child in chunked.children if child.provenance.time]
    assert len(starts) > 4
    turned = sum(start % 64.5 == 0 for start in starts)
    assert turned >= 0.7 * len(starts), "though one paragraph in three begins a turn"


def test_part_of_a_long_turn_names_who_speaks(build: Any, holds: Any) -> None:
    made = transcript(said(f"王芳: {SAID * 16}", 3, 120), said("李雷: 好的。", 121, 122))
    chunked = build.cut(made, title="周会")
    holds(made, chunked, build.settings())
    long = [child for child in chunked.children if child.provenance.time and child.provenance.time[0] == 3]
    assert len(long) > 2
    assert all("王芳" in child.prefix for child in long[1:])
