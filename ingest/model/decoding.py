"""Bytes of a text file become text, whatever encoding they were saved in.

In: bytes, and what the file says of itself (a hint, often wrong). Out: the text without its byte order mark and the name of
the encoding. The order is: byte order mark, the escapes of ISO-2022, UTF-16 by its null bytes and other control bytes,
strict UTF-8, then a contest between gb18030, big5, shift_jis, euc_jp, euc_kr, cp1252 and UTF-16 without either, won by the
reading whose non-ASCII characters are the most ordinary.
A statistical detector was not used because it fails on short GBK, which is what file names, notes and exports are made of.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from functools import lru_cache

SAMPLE_BYTES = 64 * 1024
"""The contest reads this much of the lines that are not ASCII: plenty to tell encodings apart, and bounded on huge files."""

_ENOUGH = 0.35
"""Mean plainness a reading must reach. Real text of the five encodings scores .6 to 1, a wrong reading below .25."""

_CLEAR = 0.6

_HINT_BONUS = 0.1
"""A declared encoding wins close calls only."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROLS = bytes(b for b in range(32) if b not in b"\t\n\v\f\r\x1b") + b"\x7f"
_ASCII = bytes(range(128))
_REPLACED = "\ufffd"
_READS_ANYTHING = frozenset({"ascii", "iso8859-1", "iso8859-15", "cp1252", "cp437", "mac-roman", "latin-1"})


@dataclass(frozen=True, slots=True)
class Decoded:
    """`text` keeps the line endings of the file. `replaced` counts undecodable places, each U+FFFD in the text."""

    text: str
    encoding: str
    replaced: int = 0


def decode(data: bytes, declared: str | None = None) -> Decoded:
    """Decode `data`; `declared` is the encoding it claims (a charset attribute), used only where it survives the score.

    A few damaged bytes in otherwise sound text become U+FFFD. Raises ValueError for bytes that are not text, or are text
    in an encoding that cannot be told.
    """
    if not data:
        return Decoded("", "utf-8")
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _lenient(data[len(mark) :], encoding)
    escaped = _by_escapes(data)
    if escaped is not None:
        return escaped
    controls = len(data) - len(data.translate(None, _CONTROLS))
    if b"\0" in data:
        wide = _utf16_by_nulls(data)
        if wide is not None:
            return wide
    # A handful of stray controls is a damaged text file; a steady share of them is a program, an image or an archive.
    if controls > 4 and controls * 100 > len(data):
        wide = _utf16_by_nulls(data) if len(data) % 2 == 0 and b"\0" not in data else None
        if wide is not None and not wide.replaced:
            return wide
        raise ValueError("binary data, not text")
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        pass
    if controls and len(data) % 2 == 0 and (wide := _utf16_by_nulls(data)) is not None and not wide.replaced:
        return wide
    damaged = _mostly_utf8(data)
    return damaged if damaged is not None else _contest(data, declared)


def decode_as(data: bytes, declared: str | None) -> Decoded:
    """Decode what comes with a declaration that is mostly right, as in mail; never raises.

    A declared encoding that cannot read just any bytes is believed where it reads these. The others (us-ascii, iso-8859-1, which
    old mailers write on everything) are held against the contest like a page's, and stand where that knows no better.
    """
    hint = _codec_name(declared)
    if hint is not None and hint not in _READS_ANYTHING:
        try:
            return Decoded(data.decode(hint), hint)
        except ValueError:
            pass
    try:
        return decode(data, declared)
    except ValueError:
        return _lenient(data, hint or "cp1252")


def _lenient(data: bytes, encoding: str) -> Decoded:
    try:
        return Decoded(data.decode(encoding), encoding)
    except UnicodeDecodeError:
        text = data.decode(encoding, "replace")
        return Decoded(text, encoding, text.count(_REPLACED))


_ESCAPES = (
    (re.compile(rb"\x1b\$(?:[@BA]|\([CD])|\x1b\(J|\x1b\.A"), "iso2022_jp_2"),
    (re.compile(rb"\x1b\$\)C"), "iso2022_kr"),
)


def _by_escapes(data: bytes) -> Decoded | None:
    """The encodings of old mail, which change their alphabet by escapes and use no byte above 127."""
    if b"\x1b$" not in data and b"\x1b(" not in data:
        return None
    for sign, encoding in _ESCAPES:
        if sign.search(data[:SAMPLE_BYTES]) and data.isascii():
            found = _lenient(data, encoding)
            return found if found.replaced * 20 <= len(found.text) else None
    return None


def _utf16_by_nulls(data: bytes) -> Decoded | None:
    """UTF-16 without a mark. Null bytes are half of its ASCII, control bytes half of some others: the byte order in which the
    pairs read well is the one."""
    sample = data[: SAMPLE_BYTES & ~1]
    score, encoding = max((_wide_score(sample.decode(name, "replace")), name) for name in ("utf-16-le", "utf-16-be"))
    return _lenient(data, encoding) if score >= _ENOUGH else None


def _wide_score(text: str) -> float:
    """`_plainness`, counting ASCII as ordinary and control characters as strange."""
    if not text:
        return 0.0
    strange = sum(1 for c in text if (c < " " and c not in "\t\n\v\f\r\x1b") or c == "\x7f")
    others = _non_ascii(text)
    ascii_ones = len(text) - len(others) - strange
    return (ascii_ones - 3.0 * strange + _plainness(others, _WIDE) * len(others)) / len(text)


def _mostly_utf8(data: bytes) -> Decoded | None:
    """UTF-8 with a few bad bytes (a cut file, one pasted byte): at least twenty sound characters for each bad place."""
    text = data.decode("utf-8", "replace")
    bad = text.count(_REPLACED)
    sound = sum(1 for c in _non_ascii(text[: 8 * SAMPLE_BYTES]) if c != _REPLACED)
    return Decoded(text, "utf-8", bad) if sound > 20 * bad else None


def _contest(data: bytes, declared: str | None) -> Decoded:
    sample = _sample(data)
    hint = _codec_name(declared)
    best, best_score = None, _ENOUGH
    for reading in _READINGS:
        score = _score(sample if reading.by_line else data[: SAMPLE_BYTES & ~1], reading)
        if hint is not None and hint in reading.names:
            score += _HINT_BONUS
        if score > best_score:
            best, best_score = reading, score
    # A declared Korean or Cyrillic page that reads as words wins over a doubtful winner, never over a clear one.
    if hint is not None and best_score < _CLEAR and _reads_as_words(sample, hint):
        return _lenient(data, hint)
    if best is not None:
        return _best_of(data, best.codecs)
    raise ValueError("the encoding of this text cannot be told")


def _best_of(data: bytes, names: tuple[str, ...]) -> Decoded:
    """The first codec of a family that reads all bytes, else the one that reads most (vendors extended them all)."""
    tries = []
    for name in names:
        made = _lenient(data, name)
        if not made.replaced:
            return Decoded(made.text, names[0])
        tries.append(made)
    least = min(tries, key=lambda made: made.replaced)
    return Decoded(least.text, names[0], least.replaced)


def _sample(data: bytes) -> bytes:
    """Whole lines that hold non-ASCII bytes, up to SAMPLE_BYTES. No candidate uses 0x0A inside a character."""
    lines: list[bytes] = []
    size = 0
    for line in data.split(b"\n"):
        if len(line.translate(None, _ASCII)):
            lines.append(line[:SAMPLE_BYTES])
            size += len(line)
            if size >= SAMPLE_BYTES:
                break
    return b"\n".join(lines)


@dataclass(frozen=True, slots=True)
class _Reading:
    """One contestant: its codecs (strict standard first, vendor supersets after) and what is ordinary in it."""

    codecs: tuple[str, ...]
    common: str
    level_one: tuple[str, int, int]
    """A codec with two-byte rows sorted by frequency, and its first and last row of everyday characters."""
    kana: float
    by_line: bool = True
    hangul: float = -0.5

    @property
    def names(self) -> frozenset[str]:
        return frozenset(codecs.lookup(name).name for name in self.codecs)


def _score(sample: bytes, reading: _Reading) -> float:
    text = _best_of(sample, reading.codecs).text
    if reading is _WESTERN:
        return _western_share(text)
    score = _plainness(text, reading)
    # Japanese without one kana is rarer than a misread Chinese title, whose bytes are the same rows in EUC-JP.
    return score - 0.25 if reading.kana > 0 and reading.by_line and not _has_kana(text) else score


def _has_kana(text: str) -> bool:
    return any("\u3041" <= c <= "\u30fa" for c in text)


def _plainness(text: str, reading: _Reading) -> float:
    """Mean weight of the non-ASCII characters, -3 to 1: how ordinary this text would be if the reading were right."""
    ordinary, everyday = _sets(reading)
    total, count = 0.0, 0
    for char in _non_ascii(text):
        count += 1
        if char in ordinary:
            total += 1.0
        elif char in everyday:
            total += 0.4
        elif "\u3041" <= char <= "\u30ff":
            total += reading.kana
        elif "\uac00" <= char <= "\ud7a3":
            total += reading.hangul
        elif "\u3000" <= char <= "\u303f" or "\uff01" <= char <= "\uff5e" or char in "“”‘’…—·《》×÷°￥":
            total += 0.7
        elif "\u3400" <= char <= "\u9fff" or "\U00020000" <= char <= "\U0003ffff":
            total += 0.0
        elif char == _REPLACED:
            total -= 3.0
        else:
            total -= 0.5
    return total / count if count else 0.0


def _western_share(text: str) -> float:
    """Like `_plainness` for cp1252: letters with accents and quotes stand alone among ASCII; Chinese bytes come in runs."""
    total, count = 0.0, 0
    before = "x"  # at both ends a word may be cut through
    for char, after in zip(text, text[1:] + "x", strict=True):
        if char > "\x7f":
            count += 1
            if char == _REPLACED or char < "\xa0":
                total -= 3.0
            elif before < "\x80" and after < "\x80":
                total += 0.9 if char.isalpha() or char in "‘’“”–—…•€™«»°§©®·£" else 0.4
            else:
                # Two letters with accents in a row, as in `größer`, are rare; both small, rarer still among Chinese bytes.
                total += 0.3 if char.islower() and (before.islower() and after.islower()) else -0.2
        before = char
    return total / count if count else 0.0


def _reads_as_words(sample: bytes, encoding: str) -> bool:
    """Whether a declared encoding outside the contest (Cyrillic, Korean ...) reads as letters, nearly all of one script."""
    text = _lenient(sample, encoding).text
    seen = _non_ascii(text)
    letters = [c for c in seen if c.isalpha()]
    if not seen or len(letters) < 0.8 * len(seen) or _REPLACED in seen:
        return False
    blocks: dict[int, int] = {}
    for char in letters:
        # Hangul spans many blocks of 256; fold it, and keep Latin apart, which is what mojibake is made of.
        block = -1 if "\uac00" <= char <= "\ud7a3" else ord(char) >> 8
        blocks[block] = blocks.get(block, 0) + 1
    top = max(blocks, key=lambda block: blocks[block])
    return top != 0 and blocks[top] >= 0.9 * len(letters)


def _non_ascii(text: str) -> str:
    return "".join(c for c in text if c > "\x7f")


def _codec_name(declared: str | None) -> str | None:
    """Python's name of a declared text encoding, or None. UTF-7 is never believed: it hides markup from every filter."""
    if not declared:
        return None
    try:
        found = codecs.lookup(declared.strip().strip("'\"").lower())
        b"a".decode(found.name, "ignore")  # refuses byte-to-byte codecs such as base64
    except (LookupError, ValueError):
        return None
    if found.name in ("utf-7", "unicode_escape", "raw_unicode_escape", "punycode", "idna"):
        return None
    # gb2312 and gbk are subsets; web pages say either for the whole family.
    return "gb18030" if found.name in ("gb2312", "gbk") else found.name


@lru_cache(maxsize=8)
def _sets(reading: _Reading) -> tuple[frozenset[str], frozenset[str]]:
    codec, first, last = reading.level_one
    rows = (bytes((lead, trail)) for lead in range(first, last + 1) for trail in range(0x40, 0xFF))
    everyday = {row.decode(codec, "ignore") for row in rows}
    return frozenset(reading.common), frozenset(c for c in everyday if len(c) == 1 and c > "\x7f")


# The most frequent characters of running text and of technical documents, most frequent first.
_SIMPLIFIED = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方"
    "多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情"
    "明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给"
    "世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太"
    "量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象"
    "完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运版章概述支持编码价元升级备份单"
    "服技网络软硬测试参考引证节置项键选择输源器读写操按错误返限默启停止步骤示例注附录图值六七八九百千零态存储供客户端订付款费"
    "签署策略装配环境"
)
_TRADITIONAL = (
    "的一是不了在人有我他這個們中來上大爲和國地到以說時要就出會可也你對生能而子那得於着下自之年過發後作裏用道行所然家種事成方"
    "多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情"
    "明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給"
    "世位次度門任常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活爾更別打女變四神總何電數安少報才結反受目太"
    "量再感建務做接必場件計管期市直德資命山金指克許統區保至隊形社便空決治展馬科司五基眼書非則聽白卻界達光放強即像難且權思王象"
    "完設式色路記南品住告類求據程北邊死張該交規萬取拉格望覺術領共確傳師觀清今切院讓識候帶導爭運版章概述支持編碼價元升級備份單"
    "服技網絡軟硬測試參考引證節置項鍵選擇輸源器讀寫操按錯誤返限默啓停止步驟示例注附錄圖值六七八九百千零態存儲供客戶端訂付款費"
    "簽署策略裝配環境裡隻為著佔臺"
)
_JAPANESE = (
    "日一国人年大十二本中長出三時行見月後前生五間上東四今金九入学高円子外八六下来気小七山話女北午百書先名川千水半男西電校語土"
    "木聞食車何南万毎白天母火右読友左父雨会同事自社発者地業方新場員立開手力問代明動京目通言理体田主題意不作用度強公持野以思家"
    "世多正安院心界教文元重近考画海売知集別物使品計死特私始朝運終台広住無真有口少町料工建空急止送切転研足究楽起着店病質待試族"
    "銀早映親験英医仕去味写字答夜音注帰古歌買悪図週室歩風紙黒花春赤青館屋色走秋夏習駅洋旅服夕借曜飲肉貸堂鳥飯勉冬昼茶弟牛魚兄"
    "犬妹姉漢部内定的実関現最性法当化対経制全政要取所合戦民分連治数成回調保決表約等設機能報資情第結果選期変応然受必予件指示登"
    "録存続利説製概更版符号参照章節項値例管接環境構検索確認"
)

_KOREAN = (
    "이다는의에을를가고로은지하한사자기도서대스해정리인아나전있일시어그수부보제장원라구주상성니과만여오조면우트소공들신경고세"
    "방위안것동문모내중무유국용선비업연요했드관화후할계진법재미마러야현통산체정분적데바생음양초파당교회간개물감임호발명입식"
    "터습행금목작민말본차설남출같되된될않없였었으며까하였합처심급등록변경사용권결과확약관련필요합니다까지부터"
)

_GB = _Reading(("gb18030",), _SIMPLIFIED + _TRADITIONAL, ("gb2312", 0xB0, 0xD7), kana=-0.5)
_BIG5 = _Reading(("big5", "cp950", "big5hkscs"), _TRADITIONAL, ("big5", 0xA4, 0xC6), kana=-0.5)
_SJIS = _Reading(("shift_jis", "cp932"), _JAPANESE, ("euc_jp", 0xB0, 0xCF), kana=1.0)
_EUC_JP = _Reading(("euc_jp", "euc_jis_2004"), _JAPANESE, ("euc_jp", 0xB0, 0xCF), kana=1.0)
_EUC_KR = _Reading(("euc_kr", "cp949"), _KOREAN, ("ascii", 0xB0, 0xB0), kana=-0.5, hangul=0.4)
_WESTERN = _Reading(("cp1252", "latin-1"), "", ("euc_jp", 0xB0, 0xB0), kana=0.0)
_WIDE = _Reading(
    ("utf-16-le",), _SIMPLIFIED + _TRADITIONAL + _JAPANESE + _KOREAN, ("gb2312", 0xB0, 0xD7), kana=1.0, by_line=False, hangul=0.4
)
_WIDE_BE = _Reading(("utf-16-be",), _WIDE.common, _WIDE.level_one, kana=1.0, by_line=False, hangul=0.4)

_READINGS = (_GB, _BIG5, _SJIS, _EUC_JP, _EUC_KR, _WESTERN, _WIDE, _WIDE_BE)
