"""Word's fields: an instruction that nobody sees, and the result that it last had.

Fields stand in one another and run over many paragraphs (a table of contents is one). What is between `begin` and `separate`
is instruction; what follows up to `end` is what is shown. A few fields keep no result and are shown by what their
instruction says: boxes and choices of old forms, quoted symbols, overlaid characters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from ingest.parse.office.symbols import drawn
from ingest.parse.office.word_styles import W, is_on, number, value_of

_LINK = re.compile(r'HYPERLINK\s+(?:\\l\s+"(?P<anchor>[^"]+)"|"(?P<target>[^"]*)"|(?P<bare>[^\s\\"]+))', re.IGNORECASE)
_ANCHOR = re.compile(r'\\l\s+"([^"]+)"')
_QUOTED = re.compile(r'"([^"]*)"|(\S+)')
_UNCOUNTED = frozenset({"AUTONUM", "AUTONUMLGL", "AUTONUMOUT", "LISTNUM"})
_CONTENTS = frozenset({"TOC", "TOA", "INDEX"})
DEEPEST = 50


@dataclass(slots=True)
class Field:
    """A field on its way: `opened` is where its result begins in the paragraph that is gathered."""

    begin: Any
    instruction: str = ""
    in_result: bool = False
    opened: int = 0

    @property
    def name(self) -> str:
        return (self.instruction.split() or [""])[0].upper()


@dataclass(slots=True)
class Fields:
    """Fields that are open at this point of a story, the outermost first."""

    open: list[Field] = field(default_factory=list)

    @property
    def showing(self) -> bool:
        """Whether what stands here is seen."""
        return all(one.in_result for one in self.open)

    @property
    def in_contents(self) -> bool:
        """Whether this is part of a printed table of contents or index."""
        return any(one.in_result and one.name in _CONTENTS for one in self.open)

    def begin(self, element: Any) -> None:
        if len(self.open) >= DEEPEST:
            raise ValueError("fields nested too deeply")
        self.open.append(Field(element))

    def say(self, instruction: str) -> None:
        """Add to the instruction of the innermost field."""
        if self.open and not self.open[-1].in_result:
            self.open[-1].instruction += instruction

    def separate(self, at: int) -> None:
        if self.open:
            self.open[-1].in_result, self.open[-1].opened = True, at

    def end(self) -> Field | None:
        return self.open.pop() if self.open else None


def link_of(instruction: str) -> str | None:
    """Where a HYPERLINK field leads, or None."""
    match = _LINK.search(instruction)
    if match is None:
        return None
    if match["anchor"]:
        return f"#{match['anchor']}"
    anchor = _ANCHOR.search(instruction, match.end())
    return (match["target"] or match["bare"] or "") + (f"#{anchor[1]}" if anchor else "")


def without_result(one: Field) -> tuple[str, str]:
    """What is shown of a field that keeps no result, and, where that cannot be told, what is lost."""
    name = one.name
    form = one.begin.find(f"{W}ffData")
    if name == "FORMCHECKBOX" and form is not None:
        box = form.find(f"{W}checkBox")
        state = None if box is None else next((s for k in ("checked", "default") if (s := box.find(f"{W}{k}")) is not None), None)
        return ("☒" if is_on(state) else "☐"), ""
    if name == "FORMDROPDOWN" and form is not None:
        choices = [e.get(f"{W}val") or "" for e in form.iterfind(f"{W}ddList/{W}listEntry")]
        listed = form.find(f"{W}ddList")
        chosen = number(value_of(listed, "result")) or number(value_of(listed, "default")) or 0
        return (choices[chosen] if 0 <= chosen < len(choices) else ""), ""
    if name == "SYMBOL":
        return _symbol(one.instruction), ""
    if name == "EQ":
        return overlaid(one.instruction.split(None, 1)[1] if " " in one.instruction.strip() else ""), ""
    if name in ("MACROBUTTON", "GOTOBUTTON"):
        return " ".join(one.instruction.split()[2:]), ""
    return "", name if name in _UNCOUNTED else ""


def _symbol(instruction: str) -> str:
    words = [quoted or bare for quoted, bare in _QUOTED.findall(instruction)][1:]
    font = words[words.index("\\f") + 1] if "\\f" in words[:-1] else None
    code = int(words[0], 0) if words and re.fullmatch(r"\d+|0x[0-9A-Fa-f]+", words[0]) else None
    if code is None or not 0 < code < 0x10000:
        return ""
    return drawn(chr(code), font) if font else bytes([code]).decode("cp1252", "replace") if code < 256 else chr(code)


def overlaid(instruction: str) -> str:
    """Text of an EQ field: `\\f(1,2)` is 1/2, `\\r(3,x)` a root, `\\o\\ac(○,1)` a ringed number, the others their parts."""
    out, at = "", 0
    while at < len(instruction):
        match = re.compile(r"\\([a-z]+)((?:\\[a-z]{2}\d*\(?\)?|\\[a-z]{2}\d*)*?)\s*\(", re.IGNORECASE).match(instruction, at)
        if match is None:
            skipped = re.compile(r"\\[a-z]{1,2}\d*", re.IGNORECASE).match(instruction, at)
            out += "" if skipped else instruction[at]
            at = skipped.end() if skipped else at + 1
            continue
        parts, at = _arguments(instruction, match.end())
        said = [overlaid(part).strip() for part in parts]
        out += _combined(match[1].lower(), said)
    return out


def _arguments(text: str, at: int) -> tuple[list[str], int]:
    """Arguments up to the closing bracket, cut at commas or semicolons of this depth."""
    parts, depth = [""], 0
    while at < len(text):
        sign = text[at]
        at += 1
        if sign == ")" and depth == 0:
            break
        depth += (sign == "(") - (sign == ")")
        if sign in ",;，" and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return parts, at


_RINGED = {str(n): chr(0x2460 + n - 1) for n in range(1, 21)}


def _combined(kind: str, parts: list[str]) -> str:
    if kind == "f" and len(parts) == 2:
        return f"{parts[0]}/{parts[1]}"
    if kind == "r":
        return f"√({parts[-1]})" if len(parts) < 2 or not parts[0] else f"{parts[0]}√({parts[1]})"
    if kind == "b":
        return f"({''.join(parts)})"
    if kind == "o" and len(parts) == 2 and parts[0] in "○〇◯":
        return _RINGED.get(parts[1], parts[1])
    return "".join(parts) if kind in ("o", "s", "x", "d", "l") else ", ".join(parts)
