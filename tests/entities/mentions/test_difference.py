"""An added or changed name concerns the texts that hold it, and no other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from entities.mentions.recogniser import Recogniser
from ingest.model.entity import Entity, Identifier, Name, Registry

CODE = "91320594MAQH5N1C4N"
FORMS = ["云脉", "云脉网关", "网关", "YunGate", "Gate", "Yun", "HX-200", "云脉科技有限公司"]


def registry(names: dict[str, str], claims: dict[Identifier, str] | None = None) -> Registry:
    ids = sorted({*names.values(), *(claims or {}).values()})
    return Registry(tuple(
        Entity(
            id, "product", tuple(Name(form) for form, owner in names.items() if owner == id),
            tuple(item for item, owner in (claims or {}).items() if owner == id),
        ) for id in ids
    ))


def test_added_alias_concerns_texts_that_hold_it() -> None:
    before, after = (Recogniser(registry(names)) for names in ({"云脉": "a"}, {"云脉": "a", "YunMai": "a"}))
    difference = after.since(before)
    assert difference.concerns("Ｙｕｎｍａｉ said") and not difference.concerns("云脉 said")


def test_nothing_changed_concerns_nothing() -> None:
    same = [Recogniser(registry({"云脉": "a"}, {Identifier("uscc", CODE): "a"})) for _ in range(2)]
    assert not same[0].since(same[1]).concerns(f"云脉 {CODE}")


def test_claimed_identifier_concerns_texts_that_hold_it_however_it_is_written() -> None:
    before = Recogniser(registry({"云脉": "a"}))
    after = Recogniser(registry({"云脉": "a"}, {Identifier("uscc", CODE): "a", Identifier("domain", "yun.example"): "a"}))
    difference = after.since(before)
    assert difference.concerns(f"{CODE[:8]}-{CODE[8:]}") and difference.concerns("x@yun.example")
    assert not difference.concerns("云脉 91440300MAYM7K2A69 x@other.example")


@given(
    st.dictionaries(st.sampled_from(FORMS), st.sampled_from("abc"), max_size=5),
    st.dictionaries(st.sampled_from(FORMS), st.sampled_from("abc"), max_size=5),
    st.lists(st.sampled_from([*FORMS, "的", " ", "2.0", "有限公司"]), max_size=8).map("".join),
)
def test_text_that_is_not_concerned_names_the_same(before: dict[str, str], after: dict[str, str], text: str) -> None:
    old, new = Recogniser(registry(before)), Recogniser(registry(after))
    assert new.since(old).concerns(text) or new.mentions("c", text) == old.mentions("c", text)
