"""Transcripts with times: what was said, by whom and when, once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.errors import DocumentCorrupt, DocumentEmpty, DocumentError
from ingest.model.document import Document
from ingest.parse import captions
from ingest.parse.detect import SRT, TEXT, VTT, detect
from ingest.parse.route import parse
from ingest.settings import ParsePart

MEETING = """WEBVTT - 每周例会
Kind: captions
Language: zh

STYLE
::cue { color: yellow }

NOTE checked by the secretary

intro
00:00:01.000 --> 00:00:03.500 align:start position:10%
<v 王芳>早上好。<c.loud>我们开始吧。</c></v>

00:00:03.600 --> 00:00:05.000
<v 李明>好的 &amp; 谢谢。

00:00:09.000 --> 00:00:10.000
<v 李明>第一项：<i>备用电池</i>
"""

SUBTITLES = """1
00:00:01,000 --> 00:00:02,000
{\\an8}<i>Good morning,</i>

2
00:00:02,100 --> 00:00:04,000 X1:10 X2:20
<font color="#ffffff">everybody.</font>
- Sign the list.

3
01:00:00,000 --> 01:00:01,500
Later.
"""

ROLLING = """WEBVTT

00:00:00.000 --> 00:00:02.000
the spare battery

00:00:02.000 --> 00:00:02.010
the spare battery

00:00:02.010 --> 00:00:04.000
the spare battery
is<00:00:02.400><c> kept</c> in the

00:00:04.000 --> 00:00:04.010
is kept in the

00:00:04.010 --> 00:00:06.000
is kept in the
blue cabinet
"""


def parsed(text: str | bytes, name: str = "talk.srt") -> Document:
    return parse(text if isinstance(text, bytes) else text.encode(), name, ParsePart())


def told(document: Document) -> list[tuple[str, tuple[float, float] | None, tuple[int, int] | None]]:
    return [(b.text, b.provenance.time, b.provenance.lines) for b in document.blocks]


def test_the_bytes_tell_captions_whatever_their_name() -> None:
    assert detect(MEETING.encode(), "a.txt") == VTT
    assert detect(SUBTITLES.encode(), "a.txt") == SRT
    assert detect("﻿".encode() + SUBTITLES.replace("\n", "\r\n").encode(), "a.srt") == SRT
    assert detect(b"WEBVTTX is no header\n", "a.txt") == TEXT
    assert detect(b"1\nThe first of a list\n", "a.txt") == TEXT


def test_speakers_and_pauses_part_paragraphs() -> None:
    found = parsed(MEETING)
    assert told(found) == [
        ("王芳: 早上好。我们开始吧。", (1.0, 3.5), (11, 12)),
        ("李明: 好的 & 谢谢。", (3.6, 5.0), (14, 15)),
        ("李明: 第一项：备用电池", (9.0, 10.0), (17, 18)),
    ]
    assert (found.title, found.language, found.embedded["speakers"]) == ("每周例会", "zh", ["王芳", "李明"])
    assert [(o.kind, o.where, o.sample) for o in found.omissions] == [("comment", "line 8", "checked by the secretary")]


def test_subtitles_lose_their_styling_and_nothing_else() -> None:
    found = parsed(SUBTITLES)
    assert [(text, time) for text, time, _ in told(found)] == [
        ("Good morning, everybody. - Sign the list.", (1.0, 4.0)), ("Later.", (3600.0, 3601.5)),
    ]
    assert found.text[slice(*found.blocks[1].provenance.span or ())] == "Later."


def test_captions_that_roll_are_read_once() -> None:
    assert parsed(ROLLING).text == "the spare battery is kept in the blue cabinet"


def test_what_was_said_twice_is_read_twice() -> None:
    cue = "{0}\n00:00:0{0},000 --> 00:00:0{0},900\n{1}\n"
    text = "\n".join(cue.format(n, said) for n, said in enumerate(["No.", "No.", "Yes.", "Why?", "Because.", "I see."], start=1))
    assert parsed(text).text == "No. No. Yes. Why? Because. I see."


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "gb18030"])
def test_encodings_are_told(encoding: str) -> None:
    text = "1\n00:00:01,000 --> 00:00:05,000\n各位早上好，备用电池放在蓝色柜子里，请先签字再取用。\n"
    assert parsed(text.encode(encoding)).text == "各位早上好，备用电池放在蓝色柜子里，请先签字再取用。"


def test_cues_without_blank_lines_and_with_too_many_are_whole() -> None:
    times = "00:00:0{0},000 --> 00:00:0{0},999".format
    text = f"1\n{times(1)}\none\n2\n{times(2)}\ntwo\n\nand more\n\n3\n{times(3)}\nthree\n"
    assert parsed(text).text == "one two and more three"


def test_short_times_and_cues_out_of_order_are_read() -> None:
    assert parsed("WEBVTT\n\n00:05.000 --> 00:06.000\nb\n\n00:01.000 --> 00:02.000\na\n").text == "a\n\nb"


def test_captions_that_say_nothing_are_empty_and_ones_without_cues_corrupt() -> None:
    with pytest.raises(DocumentEmpty):
        parsed("WEBVTT\n\n00:01.000 --> 00:02.000\n\n")
    with pytest.raises(DocumentCorrupt, match=r"talk\.srt has no cue"):
        parsed("WEBVTT\n\nNOTE nothing else\n")


@given(
    st.lists(
        st.sampled_from(
            ["WEBVTT", "1", "00:00:01,000 --> 00:00:02,000", "00:01.5 --> 99:99:99.9", "", "<v A>x</v>", "<v", "text", "NOTE a"]
        ),
        max_size=30,
    )
)
def test_any_lines_are_read_or_refused_the_same_way_twice(lines: list[str]) -> None:
    data = "\n".join(lines).encode()

    def attempt() -> Document | str:
        try:
            return captions.parse(data, "a.srt", ParsePart(), SRT)
        except DocumentError as error:
            return str(error)

    found = attempt()
    assert found == attempt()
    if isinstance(found, Document):
        assert all(found.text[slice(*b.provenance.span or ())] == b.text for b in found.blocks)


def named(*said: str) -> str:
    cues = (f"{n}\n00:00:{2 * n:02},000 --> 00:00:{2 * n + 1:02},900\n{text}\n" for n, text in enumerate(said, start=1))
    return "\n".join(cues)


def test_names_in_front_of_what_is_said_are_speakers() -> None:
    document = parse(named("王芳：开始吧。", "第一项。", "李明：好的。", "王芳：见附件: 一").encode(), "a.srt", ParsePart())
    assert [block.text for block in document.blocks] == ["王芳: 开始吧。第一项。", "李明: 好的。", "王芳: 见附件: 一"]
    assert document.embedded["speakers"] == ["王芳", "李明"]


def test_a_word_and_a_colon_are_no_speaker() -> None:
    for said in (["Example: one.", "More.", "Note: two.", "Yes."], ["A: one.", *["More."] * 20, "A: two."]):
        document = parse(named(*said).encode(), "a.srt", ParsePart())
        assert "speakers" not in document.embedded
