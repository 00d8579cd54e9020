"""The document in the making: blocks arrive in reading order, with the links that stand in them.

Settled here for all text formats: a block without text never gets in; marked questions find their answers, whether they stand
in one paragraph or in two that follow each other; notes stand behind what cites them; and a list is gathered line by line until
something interrupts it. Formats whose blocks come from elsewhere find their pairs with `paired`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from ingest.model.document import Block, BlockKind, Layer, Link, Provenance, laid_out
from ingest.model.language import join_lines
from ingest.parse.faq import answer_in, is_second_choice, may_start, pairs_in, question_in

MEANT_BREAK = "\u2028"
"""A line break that the author meant (two spaces, `<br>`), as against one where a line was wrapped (`\\n`)."""

Target = tuple[str, str]
"""The text of a link and where it leads."""

_RUNNING = ("paragraph", "list", "quote")
_NOTE = re.compile(r"\[[^\[\]\n]{1,40}\]")
"""A note's mark, in front of it and where it is cited."""
_SAYS_MORE = re.compile(r"[。！？；.!?;…][\"'”’」』）)\]]*$")
_TITLE_LENGTH = 40
_LONGEST_REST = 3000
"""Characters of what may be the rest of an answer. More is the text of the document, with a question here and there."""
_ITEM = re.compile(r"^ *(?:[-*•]|\d{1,3}[.)、])\s+", re.MULTILINE)


class Draft:
    """Collects blocks and links; `finish` lays them out."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.links: list[Link] = []
        self._marked: int | None = None
        """The last pair that an author marked, as long as an answer may still go on."""

    def add(self, block: Block, links: Iterable[Target] = ()) -> None:
        """Append a block with the links in it. Blocks of white space are dropped."""
        if not block.text or block.text.isspace():
            return
        self.blocks.append(block)
        at = len(self.blocks) - 1
        self.links.extend(Link(at, text, target) for text, target in links)

    def link_last(self, links: Iterable[Target]) -> None:
        """Add links to the last block; without one they are dropped."""
        self.links.extend(Link(len(self.blocks) - 1, text, target) for text, target in links if self.blocks)

    def add_paragraph(
        self,
        text: str,
        provenance: Provenance,
        links: Sequence[Target] = (),
        *,
        layer: Layer = "body",
        wrapped: bool = True,
    ) -> None:
        """Append running text. Its line breaks are wrapping, and vanish, unless it is marked questions and answers.

        `wrapped=False` keeps the breaks, for formats in which a break is meant; a single meant one is MEANT_BREAK.
        """
        if layer == "body" and may_start(text) and self._take_faq(meant(text), provenance, links, wrapped):
            return
        if wrapped and "\n" in text:
            text = join_lines(text)
        self.add(Block("paragraph", meant(text), layer=layer, provenance=provenance), links)

    def ask(self, question: str, since: int, provenance: Provenance) -> None:
        """Make one faq block of `question` and the running text from block `since` on.

        What is not running text (code, tables, headings) stays behind it; a question without answer is a paragraph.
        """
        question = one_line(question)
        if not question:
            return
        end = since
        while end < len(self.blocks) and self.blocks[end].kind in _RUNNING and self.blocks[end].layer == "body":
            end += 1
        answer = "\n".join(block.text for block in self.blocks[since:end])
        if not answer:
            self._replace(since, end, Block("paragraph", question, provenance=provenance))
            return
        where = _spanning(provenance, self.blocks[end - 1].provenance)
        asked, reply = question_in(question), answer_in(answer)
        if asked and reply:  # marked once more, inside elements that say so themselves
            question, answer = asked, reply
        self._replace(since, end, Block("faq", f"{question}\n{answer}", provenance=where))

    def pair(self, at: int, until: int) -> None:
        """Make one faq block of block `at`, a question, and the running text after it, not beyond block `until`."""
        end = at + 1
        while end < min(until, len(self.blocks)) and self.blocks[end].kind in _RUNNING and self.blocks[end].layer == "body":
            end += 1
        if end == at + 1:
            return
        question, answers = self.blocks[at], self.blocks[at + 1 : end]
        text = "\n".join([one_line(question.text), *(block.text for block in answers)])
        self._replace(at, end, Block("faq", text, provenance=_spanning(question.provenance, answers[-1].provenance)))

    def promote(self, at: int) -> None:
        """Make block `at`, furniture, part of the body."""
        self.blocks[at] = replace(self.blocks[at], layer="body")

    def finish(self) -> tuple[tuple[Block, ...], tuple[Link, ...]]:
        if any(block.kind == "footnote" for block in self.blocks):
            self._put_notes_behind()
        return laid_out(self.blocks), tuple(self.links)

    def take(self, block: Block, links: Sequence[Target] = ()) -> None:
        """Append a block of a format that keeps meant line breaks only: what is marked as question and answer becomes a pair."""
        if block.layer == "body" and block.provenance.time is None:
            text = _ITEM.sub("", block.text) if block.kind == "list" else block.text if block.kind == "paragraph" else ""
            if may_start(text) and self._take_faq(text, block.provenance, links, wrapped=False, whole=block.kind == "list"):
                return
        self.add(block, links)

    def _put_notes_behind(self) -> None:
        """Move each note behind the block that cites it first: authors gather them at the end."""
        cited: dict[str, int] = {}
        for at, block in enumerate(self.blocks):
            if block.layer == "body" and block.kind not in ("footnote", "code", "formula"):
                for mark in _NOTE.findall(block.text):
                    cited.setdefault(mark, at)
        places = []
        for at, block in enumerate(self.blocks):
            found = _NOTE.match(block.text) if block.kind == "footnote" and block.layer == "body" else None
            places.append((cited.get(found.group(), at) if found else at, at))
        order = [at for _, at in sorted(places)]
        moved = {before: now for now, before in enumerate(order)}
        self.blocks = [self.blocks[at] for at in order]
        self.links = sorted((replace(link, block=moved[link.block]) for link in self.links), key=lambda link: link.block)

    def _replace(self, start: int, end: int, block: Block) -> None:
        """Put `block` in the place of the blocks from `start` to `end`, and move links with them."""
        if self._marked is not None and start <= self._marked:
            self._marked = None
        self.blocks[start:end] = [block]
        shift = 1 - (end - start)
        # Links are in the order of their blocks, so only the tail moves.
        for at in range(len(self.links) - 1, -1, -1):
            link = self.links[at]
            if link.block < start:
                break
            self.links[at] = replace(link, block=start if link.block < end else link.block + shift)

    def _take_faq(
        self, text: str, provenance: Provenance, links: Sequence[Target], wrapped: bool, whole: bool = False
    ) -> bool:
        """Whether `text` was marked questions with their answers (`whole`: nothing less), or the answer to the block before."""
        pairs = pairs_in(text)
        if pairs is not None:
            self._end_answer(len(self.blocks))
            for number, (question, answer) in enumerate(pairs):
                self.add(_faq(question, answer, provenance, wrapped), links if number == 0 else ())
            self._marked = len(self.blocks) - 1
            return True
        reply = None if whole else answer_in(text)
        before = self.blocks[-1] if self.blocks else None
        if reply is None or before is None or before.layer != "body" or before.kind not in ("paragraph", "heading"):
            return False
        asked = question_in(before.text)
        if asked is None:
            return False
        self._end_answer(len(self.blocks) - 1)
        at = len(self.blocks) - 1
        self.blocks[at] = _faq(asked, reply, _spanning(before.provenance, provenance), wrapped)
        self.links.extend(Link(at, label, target) for label, target in links)
        self._marked = at
        return True

    def _end_answer(self, until: int) -> None:
        """What stands between a marked pair and the next question, at block `until`, belongs to the answer: an answer may have
        several paragraphs. Not what looks like the title of the questions that follow."""
        at = self._marked
        between = self.blocks[at + 1 : until] if at is not None else []
        if at is None or not between or any(block.kind not in _RUNNING or block.layer != "body" for block in between):
            return
        if sum(len(block.text) for block in between) > _LONGEST_REST:
            return
        last = between[-1]
        if last.kind == "paragraph" and not _SAYS_MORE.search(last.text) and len(last.text) <= _TITLE_LENGTH:
            return
        if last.text[-1:] in ":：":
            return
        pair = self.blocks[at]
        text = "\n".join(block.text for block in (pair, *between))
        self._replace(at, until, replace(pair, text=text, provenance=_spanning(pair.provenance, last.provenance)))


def paired(blocks: Iterable[Block], links: Iterable[Link]) -> tuple[tuple[Block, ...], tuple[Link, ...]]:
    """Return blocks and links with each marked question and its answer as one faq block, laid out."""
    of: dict[int, list[Target]] = {}
    for link in links:
        of.setdefault(link.block, []).append((link.text, link.target))
    draft = Draft()
    listed = list(blocks)
    for at, block in enumerate(listed):
        if at + 1 < len(listed) and is_second_choice(listed[at + 1].text):
            draft.add(block, of.get(at, ()))
        else:
            draft.take(block, of.get(at, ()))
    return laid_out(draft.blocks), tuple(draft.links)


@dataclass(slots=True)
class Part:
    """Lines on their way into one list, quote or footnote."""

    kind: BlockKind
    layer: Layer = "body"
    lines: list[str] = field(default_factory=list)
    links: list[Target] = field(default_factory=list)
    where: Provenance | None = None

    def put(self, line: str, links: Iterable[Target], where: Provenance) -> None:
        """Add a line; one without text is dropped with its links."""
        if not line or line.isspace():
            return
        self.where = where if self.where is None else _spanning(self.where, where)
        self.lines.append(line)
        self.links += links

    def extend(self, text: str, links: Iterable[Target], where: Provenance) -> None:
        """Continue the last line."""
        self.where = where if self.where is None else _spanning(self.where, where)
        line = self.lines[-1]
        self.lines[-1] = line[:-1] + join_lines(f"{line[-1:]}\n{text}")
        self.links += links

    def flush(self, draft: Draft) -> None:
        """Add what was gathered as one block, and start over."""
        if self.lines:
            block = Block(self.kind, "\n".join(self.lines), layer=self.layer, provenance=self.where or Provenance())
            draft.take(block, self.links)
        self.lines, self.links, self.where = [], [], None


def meant(text: str) -> str:
    """Return `text` with meant breaks as line feeds."""
    return text.replace(MEANT_BREAK, "\n") if MEANT_BREAK in text else text


def one_line(text: str) -> str:
    """Return `text` without any break."""
    return join_lines(meant(text)).strip()


def _faq(question: str, answer: str, provenance: Provenance, wrapped: bool) -> Block:
    return Block("faq", f"{question}\n{join_lines(answer) if wrapped else answer}", provenance=provenance)


def _spanning(first: Provenance, last: Provenance) -> Provenance:
    lines = first.lines
    if lines and last.lines:
        lines = lines[0], max(lines[1], last.lines[1])
    return replace(first, lines=lines, boxes=tuple(dict.fromkeys((*first.boxes, *last.boxes))))
