"""The words of a letter's body: what its writer says, what is quoted, and the signature, which is furniture.

Quoted is what stands behind `>`, and everything below the line with which a mailer introduces the letter that is answered
(`-----Original Message-----`, 发件人：…). The line `-- ` starts the signature.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from ingest.model.document import Block, Link, Provenance
from ingest.model.language import join_lines
from ingest.parse import text as plain
from ingest.parse.draft import Draft

Place = Callable[[Provenance], Provenance]

_QUOTED = re.compile(r"[ \t]?>")
_NAMES = (
    "original message|original appointment|forwarded message|begin forwarded message|ursprüngliche nachricht|message d'origine|"
    "mensaje original|original|原始邮件|原邮件|原始郵件|邮件原件|转发邮件信息|转发的邮件|转发邮件|回复的原邮件|元のメッセージ"
)
_DASHES = "[-_=*－—]{2,}"
_INTRODUCED = re.compile(
    rf"\s*{_DASHES}\s*(?:{_NAMES})\s*{_DASHES}\s*$|\s*begin forwarded message:\s*$", re.IGNORECASE
)
_FROM = re.compile(r"\s*\*?(?:from|von|de|发件人|寄件者|寄件人|差出人|送信者)\*?\s*[:：]\s*\S", re.IGNORECASE)
_NEXT = re.compile(
    r"\s*\*?(?:sent|date|to|gesendet|an|envoyé|发送时间|发送日期|日期|时间|收件人|寄件日期|收件者|送信日時|宛先)\*?\s*[:：]",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(r"--[ \xa0]?$")
MOST_SIGNATURE = 15
"""Lines; what is longer was not meant as one."""


def write_plain(draft: Draft, text: str, place: Place, *, flowed: bool = False) -> None:
    """Add the blocks of a plain text body."""
    lines = _unflowed(text) if flowed else text.split("\n")
    quoted_from = next((at for at in range(len(lines)) if _introduces(lines, at)), len(lines))
    signed = _signature(lines, quoted_from)
    at = 0
    while at < signed:
        end = at
        if _QUOTED.match(lines[at]):
            while end < signed and (_QUOTED.match(lines[end]) or (not lines[end].strip() and _goes_on(lines, end, signed))):
                end += 1
            _quote(draft, [_unmarked(line) for line in lines[at:end]], place(_lines(at, end)))
        else:
            while end < signed and not _QUOTED.match(lines[end]):
                end += 1
            plain.write(draft, "\n".join(lines[at:end]), lambda where, at=at: place(_moved(where, at)))  # type: ignore[misc]
        at = end
    if signed < quoted_from:
        told = "\n".join(line.rstrip() for line in lines[signed + 1 : quoted_from] if line.strip())
        draft.add(Block("paragraph", told, layer="furniture", provenance=place(_lines(signed, quoted_from))))
    if quoted_from < len(lines):
        rest = [line[line.index(">") + 1 :] if _QUOTED.match(line) else line for line in lines[quoted_from:]]
        _quote(draft, rest, place(_lines(quoted_from, len(lines))))


def write_blocks(draft: Draft, blocks: Sequence[Block], links: Sequence[Link], place: Place, shift: int) -> None:
    """Add the blocks of a document that is a part of this one, its headings `shift` levels lower."""
    targets: dict[int, list[tuple[str, str]]] = {}
    for link in links:
        targets.setdefault(link.block, []).append((link.text, link.target))
    for at, block in enumerate(blocks):
        level = min(6, block.level + shift) if block.level else 0
        moved = replace(block, level=level, provenance=replace(place(block.provenance), span=None))
        draft.add(moved, targets.get(at, ()))


def quoted_below(blocks: Sequence[Block]) -> list[Block]:
    """The blocks of an HTML body, with what stands below the introduction of an answered letter as quotes."""
    made: list[Block] = []
    quoting = signing = False
    for block in blocks:
        lines = block.text.split("\n")
        if not quoting and block.layer == "body" and block.kind == "paragraph" and _introduces(lines, 0):
            quoting, signing = True, False
        elif not quoting and block.kind == "paragraph" and _SIGNATURE.match(lines[0]):
            signing = True
        if quoting and block.layer == "body" and block.kind == "paragraph":
            block = replace(block, kind="quote")
        elif signing and block.layer == "body" and block.kind in ("paragraph", "list"):
            block = replace(block, layer="furniture")
        made.append(block)
    return made


def _introduces(lines: Sequence[str], at: int) -> bool:
    if _INTRODUCED.match(lines[at]):
        return True
    return bool(_FROM.match(lines[at])) and any(_NEXT.match(line) for line in lines[at + 1 : at + 3])


def _signature(lines: Sequence[str], end: int) -> int:
    """The line of `-- `, or `end`."""
    for at in range(max(0, end - MOST_SIGNATURE - 1), end):
        if _SIGNATURE.match(lines[at]) and any(line.strip() for line in lines[at + 1 : end]):
            return at
    return end


def _goes_on(lines: Sequence[str], at: int, end: int) -> bool:
    """Whether a quote goes on behind this blank line."""
    return at + 1 < end and bool(_QUOTED.match(lines[at + 1]))


def _unmarked(line: str) -> str:
    """A quoted line without its first mark; marks of deeper quotes stay, one each."""
    match = re.match(r"[ \t]?>[ \t]?((?:>[ \t]?)*)", line)
    return line if match is None else "> " * match[1].count(">") + line[match.end() :]


def _quote(draft: Draft, lines: Sequence[str], where: Provenance) -> None:
    """One quote block: a line a paragraph."""
    paragraphs: list[list[str]] = [[]]
    depth = 0
    for line in lines:
        deeper = len(line) - len(line.lstrip("> "))
        if not line.strip("> \t") or (paragraphs[-1] and deeper // 2 != depth):
            paragraphs.append([])
        if line.strip("> \t"):
            depth = deeper // 2
            paragraphs[-1].append(line)
    told = [_one_paragraph(part) for part in paragraphs if part]
    text = "\n".join(told)
    draft.add(Block("quote", text.strip(), provenance=where))


def _one_paragraph(lines: Sequence[str]) -> str:
    """The lines of one paragraph of a quote, joined where they were wrapped."""
    bare = [lines[0], *(line.lstrip("> ") for line in lines[1:])]
    return join_lines("\n".join(bare)) if plain.is_wrapped("\n".join(bare)) else "\n".join(lines)


def _unflowed(text: str) -> list[str]:
    """Lines of `format=flowed` (RFC 3676): one that ends with a space goes on in the next of the same quote."""
    out: list[str] = []
    flows = False
    for raw in text.split("\n"):
        line = raw[1:] if raw.startswith(" ") else raw
        same = bool(out) and bool(_QUOTED.match(out[-1])) == bool(_QUOTED.match(line))
        if flows and same and line.strip("> "):
            out[-1] += line.lstrip("> ") if _QUOTED.match(line) else line
        else:
            out.append(line)
        flows = line.endswith(" ") and line != "-- "
    return out


def _lines(start: int, end: int) -> Provenance:
    return Provenance(lines=(start + 1, max(start + 1, end)))


def _moved(where: Provenance, by: int) -> Provenance:
    return replace(where, lines=(where.lines[0] + by, where.lines[1] + by)) if where.lines else where
