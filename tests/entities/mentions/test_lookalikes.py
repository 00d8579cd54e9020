"""Names one slip away are candidates for review, with whom they may mean; never links."""

from __future__ import annotations

import pytest

from entities.mentions import lookalikes
from entities.mentions.lookalikes import Lookalikes
from entities.mentions.recogniser import Recogniser
from ingest.model.entity import Entity, Name, Registry

NAMES = (("栖衡智联", "a"), ("YunGate", "b"), ("Summerline", "c"), ("王芳", "d"), ("未来云舟", "e"))


@pytest.mark.parametrize(
    ("text", "part", "method", "ids"),
    [
        ("昨天七横智联来电", "七横智联", "homophone", ("a",)), ("昨天栖衡智莲来电", "栖衡智莲", "homophone", ("a",)),
        ("我们用YunGate和Yun6ate", "Yun6ate", "confusable", ("b",)), ("by Surnrnerline", "Surnrnerline", "confusable", ("c",)),
        ("by Summer1ine", "Summer1ine", "confusable", ("c",)), ("末来云舟上线", "末来云舟", "confusable", ("e",)),
    ],
)
def test_slip_is_found_with_its_exact_span(text: str, part: str, method: str, ids: tuple[str, ...]) -> None:
    found = [span for span in Lookalikes(NAMES).find(text) if span.method == method]
    assert [(text[span.start : span.end], span.entity_ids) for span in found] == [(part, ids)]


@pytest.mark.parametrize("text", ["栖衡智联", "ＹＵＮＧＡＴＥ", "王方来了", "七横来了", "Summer line", ""])
def test_name_as_it_is_and_short_ones_are_no_slips(text: str) -> None:
    assert Lookalikes(NAMES).find(text) == []


def test_slip_never_links() -> None:
    recogniser = Recogniser(Registry((Entity("a", "organization", (Name("栖衡智联"),)),)))
    assert recogniser.mentions("c", "七横智联") == ()
    (candidate,) = recogniser.candidates("c", "七横智联")
    assert (candidate.method, candidate.type, candidate.entity_ids) == ("homophone", "organization", ("a",))


def test_without_sounds_shapes_are_still_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookalikes, "has_sounds", lambda: False)
    found = Lookalikes(NAMES)
    assert found.find("七横智联") == [] and [span.method for span in found.find("Yun6ate")] == ["confusable"]
