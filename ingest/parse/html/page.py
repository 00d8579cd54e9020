"""The parser of web pages, in the order of its steps: decode, build the tree, read the head, find the main content, walk it."""

from __future__ import annotations

import re
from dataclasses import replace

from ingest.model.document import Block, Document, Omission, Provenance
from ingest.parse.draft import Draft, one_line
from ingest.parse.fingerprint import stamp
from ingest.parse.hidden import concealed_by
from ingest.parse.reading import read
from ingest.settings import ParsePart

_DECLARED = re.compile(rb"""charset\s*=\s*["']?\s*([\w.:-]+)|encoding\s*=\s*["']([\w.:-]+)""", re.IGNORECASE)
_SAVED = re.compile(
    r"(?:<[!?][^>]*>\s*){0,4}?<!--\s*(?:saved from url=\(\d+\)|page saved with \w+\s*\S*\s*url:\s*)(\S{4,2000})", re.IGNORECASE
)

MAX_BYLINE = 500
TITLE_WITHIN = 6
"""Blocks at the top of the body among which the title is looked for."""


def version(settings: ParsePart) -> str:
    return stamp("html", 5, ("lxml", "trafilatura"), keep_all_html=settings.keep_all_html)


def parse(data: bytes, name: str, settings: ParsePart, media_type: str) -> Document:
    """Parse a web page; raises DocumentUnsupported for bytes that are no text."""
    declared = _DECLARED.search(data[:4096])
    hint = (declared[1] or declared[2]).decode("ascii", "replace") if declared else None
    reading = read(data, name, hint)
    return document_of(reading.text, media_type, reading.omissions, keep_all=settings.keep_all_html)


def document_of(markup: str, media_type: str, lost: tuple[Omission, ...] = (), *, keep_all: bool = False) -> Document:
    """What a decoded page says. `lost` is what decoding left out, `keep_all` whether navigation and asides are content."""
    from ingest.parse.html.main import Located, locate
    from ingest.parse.html.meta import embedded_of, faq_pairs, title_of
    from ingest.parse.html.sift import sift
    from ingest.parse.html.tree import read_tree
    from ingest.parse.html.walk import Walk

    root, flattened = read_tree(markup)
    located = Located(None) if keep_all else locate(root, len(markup))

    draft = Draft()
    sheets = "\n".join(str(piece) for style in root.iterdescendants("style") for piece in style.itertext())
    walk = Walk(
        draft,
        main=located.main,
        around=located.around,
        keep_all=keep_all,
        concealed=concealed_by(sheets) if sheets else frozenset(),
    )
    walk.run(root)
    _recover_heading(draft)
    _recognise_title(draft, title_of(root, None) or "")
    embedded = embedded_of(root)
    if not keep_all:
        said = "\n".join(block.text for block in sift(draft, located.found))
        if said:
            embedded["byline"] = said[:MAX_BYLINE]
    _answer_questions(draft, list(faq_pairs(embedded.get("jsonld", []))))

    if saved := _SAVED.match(markup[:4096].lstrip("\ufeff \t\n")):
        embedded["saved_from"] = saved[1]
    blocks, links = draft.finish()
    heading = next((b.text for b in blocks if b.kind == "heading" and b.level == 1), None)
    omissions = [*lost, *walk.omissions()]
    if flattened:
        omissions.append(Omission("structure nested too deep"))
    return Document(media_type, "", title_of(root, heading), blocks, links, tuple(omissions), embedded)


def _recover_heading(draft: Draft) -> None:
    """The page's only first heading often stands in a header above the main element: it belongs to the body."""
    first = [at for at, block in enumerate(draft.blocks) if block.kind == "heading" and block.level == 1]
    body = next((at for at, block in enumerate(draft.blocks) if block.layer == "body"), None)
    if len(first) != 1 or body is None or first[0] > body:
        return
    block = draft.blocks[first[0]]
    if block.layer == "furniture":
        draft.promote(first[0])


def _recognise_title(draft: Draft, title: str) -> None:
    """A page without a first heading shows its title in big letters: a block at the top that says what `<title>` says."""
    whole = _key(title)
    if len(whole) < 4 or any(block.kind == "heading" and block.level == 1 for block in draft.blocks):
        return
    body = next((at for at, block in enumerate(draft.blocks) if block.layer == "body"), len(draft.blocks))
    for at, block in enumerate(draft.blocks[: body + TITLE_WITHIN]):
        said = _key(block.text)
        near = block.layer == "body" or at >= body - 3
        stands = whole.startswith(said) or (len(said) >= 10 and whole.endswith(said))
        if near and block.kind in ("paragraph", "heading") and stands and len(said) >= 0.4 * len(whole):
            draft.blocks[at] = replace(block, kind="heading", level=1, layer="body", evidence="title", confidence=0.8)
            return


def _answer_questions(draft: Draft, pairs: list[tuple[str, str]]) -> None:
    """schema.org FAQPage: where the page shows a question above its answer, join them; what it does not show is appended."""
    if not pairs:
        return
    wanted = {_key(question) for question, _ in pairs}
    shown = {_key(b.text.split("\n", 1)[0]) for b in draft.blocks if b.kind == "faq"}
    at = len(draft.blocks) - 1
    until = len(draft.blocks)
    while at >= 0:
        block = draft.blocks[at]
        if block.layer == "body" and block.kind in ("heading", "paragraph") and _key(block.text) in wanted:
            draft.pair(at, until)
            until = at
            if draft.blocks[at].kind == "faq":
                shown.add(_key(draft.blocks[at].text.split("\n", 1)[0]))
        at -= 1
    everything = _key(" ".join(block.text for block in draft.blocks if block.layer == "body"))
    for number, (question, answer) in enumerate(pairs, start=1):
        text = _plain(answer)
        if _key(question) not in shown and _key(text) not in everything:
            where = Provenance(locator=f"application/ld+json, question {number}")
            draft.add(Block("faq", f"{one_line(question)}\n{text}", provenance=where))


def _plain(answer: str) -> str:
    """The text of an answer that may be HTML."""
    if "<" not in answer and "&" not in answer:
        return answer.strip()
    from ingest.parse.html.walk import walk_fragment

    inner = Draft()
    walk_fragment(answer, inner, Provenance())
    return "\n".join(block.text for block in inner.blocks)


def _key(text: str) -> str:
    return re.sub(r"\W+", "", text).casefold()
