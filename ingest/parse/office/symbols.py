"""Characters of Microsoft's picture fonts as Unicode: the ticked box of Wingdings is a ticked box, not an unknown letter.

Word stores them as `w:sym` (a font and a code) or as characters of the private area U+F000 to U+F0FF in a run of that font.
The tables are those of the fonts themselves; what is rarer than these is not guessed.
"""

from __future__ import annotations

_SYMBOL = dict(zip(
    range(0x21, 0x7F),
    "!∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼",
    strict=True,
)) | dict(zip(
    range(0xA0, 0xFF),
    "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\uf8ff〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭",
    strict=True,
))
_WINGDINGS = {
    0x21: "✏", 0x22: "✂", 0x23: "✁", 0x28: "☎", 0x29: "✆", 0x2A: "✉", 0x36: "⌛", 0x3F: "✍", 0x41: "✌", 0x43: "👍", 0x44: "👎",
    0x45: "☜", 0x46: "☞", 0x47: "☝", 0x48: "☟", 0x4A: "☺", 0x4B: "😐", 0x4C: "☹", 0x4D: "💣", 0x4E: "☠", 0x52: "☼", 0x54: "❄",
    0x58: "✠", 0x59: "✡", 0x5B: "☯", 0x6C: "●", 0x6D: "❍", 0x6E: "■", 0x6F: "□", 0x70: "❐", 0x71: "❑", 0x72: "❒", 0x73: "⬧",
    0x74: "⧫", 0x75: "◆", 0x76: "❖", 0x77: "⬥", 0x78: "⌧", 0x7B: "❀", 0x7C: "✿", 0x80: "⓪", 0x9E: "·", 0x9F: "•", 0xA1: "○",
    0xA2: "○", 0xA3: "○", 0xA4: "◉", 0xA5: "◎", 0xA7: "▪", 0xA8: "◻", 0xAA: "✦", 0xAB: "★", 0xAC: "✶", 0xAE: "✹", 0xD5: "⌫",
    0xD6: "⌦", 0xD8: "➢", 0xDC: "➲", 0xDF: "←", 0xE0: "→", 0xE1: "↑", 0xE2: "↓", 0xE3: "↖", 0xE4: "↗", 0xE5: "↙", 0xE6: "↘",
    0xE8: "➔", 0xEF: "⇦", 0xF0: "⇨", 0xF1: "⇧", 0xF2: "⇩", 0xF3: "⬄", 0xF4: "⇳", 0xFB: "✗", 0xFC: "✔", 0xFD: "☒", 0xFE: "☑",
    **{0x81 + i: chr(0x2460 + i) for i in range(10)},
    **{0x8C + i: chr(0x2776 + i) for i in range(10)},
    **{0xB7 + i: chr(0x1F550 + i) for i in range(12)},
}
_WINGDINGS_2 = {
    0x4F: "✗", 0x50: "✓", 0x51: "☒", 0x52: "☑", 0x53: "☒", 0x54: "☒", 0x55: "⮽", 0x56: "⮾", 0x57: "⦸", 0x95: "·", 0x96: "•",
    0x97: "●", 0x98: "●", 0x99: "○", 0xA0: "▪", 0xA1: "■", 0xA2: "■", 0xA3: "□", 0xA4: "□", 0xAE: "◆", 0xAF: "◇",
    **{0x6A + i: chr(0x2460 + i) for i in range(10)},
    **{0x75 + i: chr(0x2776 + i) for i in range(10)},
}
_WINGDINGS_3 = {0x22: "→", 0x66: "←", 0x67: "→", 0x68: "↑", 0x69: "↓", 0x70: "▲", 0x71: "▼", 0x74: "◀", 0x75: "▶", 0x7D: "⯈"}
_WEBDINGS = {0x34: "▶", 0x61: "✓", 0x63: "□", 0x67: "■", 0x6E: "●", 0x72: "✖", 0x69: "ℹ", 0xC8: "📞"}

_FONTS = {
    "symbol": _SYMBOL, "wingdings": _WINGDINGS, "wingdings 2": _WINGDINGS_2, "wingdings 3": _WINGDINGS_3, "webdings": _WEBDINGS,
}


def is_picture_font(font: str | None) -> bool:
    return (font or "").strip().lower() in _FONTS


def drawn(text: str, font: str | None) -> str:
    """Return `text`, set in `font`, with the characters that are seen; ones that are not known are left as they are."""
    table = _FONTS.get((font or "").strip().lower())
    if table is None:
        return text
    return "".join(table.get(ord(c) - 0xF000 if 0xF000 <= ord(c) <= 0xF0FF else ord(c), c) for c in text)


def unknown(text: str) -> int:
    """How many characters of `text` belong to the private area, and so say nothing without their font."""
    return sum(0xE000 <= ord(c) <= 0xF8FF for c in text)
