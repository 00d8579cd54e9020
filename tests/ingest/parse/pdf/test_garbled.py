"""Nonsense is told from text that only looks odd."""

from __future__ import annotations

import pytest

from ingest.parse.pdf.garbled import is_garbled

FRENCH = "Les journaux d'audit sont conservés pendant quatre cents jours à compter de la création de l'événement."


@pytest.mark.parametrize("text", [
    FRENCH, "密钥每年更换一次，由两人授权。机柜有两路电源，先接管理口，再接业务口，最后上电并检查告警灯。",
    "1,652 28,008 1,652 28,008 0 11.5 % 2,371 -24 +416 4,634 388 5,050 315 9,407 9,952 +545",
    "E = mc² ∫ f(x) dx ≤ Σ aᵢ + √(x² + y²) → ∞ ∂u/∂t = α∇²u, ∀ x ∈ ℝ",
    "for (i = 0; i < n; i++) { a[i] = b[i] + c[i]; }  // add  " * 3,
    ". . . . . . . . . . . . . . . . . . . 12 . . . . . . . . . . . 14",
    "", "\ufffd\ufffd",
    "Příliš žluťoučký kůň úpěl ďábelské ódy. Pchnąć w tę łódź jeża lub ośm skrzyń fig. Zażółć gęślą jaźń.",
])
def test_text_is_not_garbled(text: str) -> None:
    assert not is_garbled(text)


@pytest.mark.parametrize("text", [
    "\ufffd" * 30 + "a few words among them that are right", "(cid:12)(cid:44)(cid:3)(cid:90)(cid:7)(cid:61) retention",
    "密钥每年更换一次，由两人授权。机柜有两路电源，先接管理口，再接业务口。".encode("gbk").decode("latin-1"),
    "".join(chr(0xF000 + number) for number in range(60)), "!\"#$%&'()*+,/:;<>?@[]^`{}~!\"#$%&'()*+,/:;<>?@[]^`{}~",
    "Thk qckk brwn fx jmps vr th lzy dg nd th ct wtchs frm th wndw f th hs whr t lvs wth ts frnds " * 3,
])
def test_nonsense_is_garbled(text: str) -> None:
    assert is_garbled(text)
