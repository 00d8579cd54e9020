"""A Word document, read in the order of its body: headings, paragraphs, lists, tables, footnotes, text boxes, charts.

What a reader would not see is left out and recorded with its place: tracked deletions, comments, hidden text, prompts of empty
controls, pictures, embedded objects. Running headers and footers and the printed table of contents are kept as furniture.
Headings come from styles and outline levels; only a document that has none is asked how its lines look instead
(`word_headings`). The readers of stories, lines and tables are in the modules of those names.
"""

from __future__ import annotations

from typing import Any

from ingest.errors import DocumentEmpty
from ingest.model.document import Block, Document, Provenance
from ingest.parse.draft import paired
from ingest.parse.ledger import Ledger
from ingest.parse.office.package import Package
from ingest.parse.office.properties import properties
from ingest.parse.office.word_headings import with_headings
from ingest.parse.office.word_line import WP, Shared, V
from ingest.parse.office.word_notes import Notes
from ingest.parse.office.word_numbering import Numbering
from ingest.parse.office.word_story import Story, flat
from ingest.parse.office.word_styles import Styles, W, is_on


def read(package: Package, media_type: str, parser: str) -> Document:
    """Raises DocumentEmpty when nothing is written in it."""
    root = package.xml(package.main)
    styles = Styles.read(_part(package, "styles"))
    shared = Shared(package, styles, Ledger(), Notes.read(package, root), _has_ground(package, root))
    story = Story(shared, Numbering.read(_part(package, "numbering"), styles), package.main)
    for body in root.iterfind(f"{W}body"):
        story.read(body)
    _record_comments(story)
    for (kind, identifier), note in shared.notes.uncited():
        shared.ledger.note("uncited_note", f"{kind} {identifier}", _said(note), count=int(bool(_said(note).strip())))
    blocks = with_headings(story.blocks, story.looks)
    if not any(block.layer == "body" for block in blocks):
        raise DocumentEmpty(f"{package.name} has no text; leave it out with .ingestignore")
    blocks += _running(story)
    embedded = properties(package)
    if languages := _languages(styles):
        embedded["proofing_languages"] = languages
    title = embedded.get("title") or story.title or _first_heading(blocks)
    laid, links = paired(blocks, story.links)
    return Document(
        media_type=media_type,
        parser=parser,
        title=title,
        blocks=laid,
        links=links,
        omissions=shared.ledger.omissions(),
        embedded=embedded,
    )


def _part(package: Package, kind: str) -> Any | None:
    found = package.related(package.main, kind)
    return package.xml(found[0]) if found else None


def _has_ground(package: Package, root: Any) -> bool:
    """Whether something may lie behind the text on which white letters can be read: a colour of the page, a shape, a picture."""
    drawn = [root, *(package.xml(part) for part in package.related(package.main, "header"))]
    if any(anchor.get("behindDoc") in ("1", "true") for one in drawn for anchor in one.iter(f"{WP}anchor")):
        return True
    if any("z-index:-" in (shape.get("style") or "") for one in drawn for shape in one.iter(f"{V}shape", f"{V}rect")):
        return True
    ground = root.find(f"{W}background")
    if ground is None or (ground.get(f"{W}color") or "auto").upper() in ("AUTO", "FFFFFF"):
        return False
    settings = _part(package, "settings")
    return settings is not None and is_on(settings.find(f"{W}displayBackgroundShape"))


def _record_comments(story: Story) -> None:
    shared = story.shared
    for part in shared.package.related(shared.package.main, "comments"):
        for comment in shared.package.xml(part).iterfind(f"{W}comment"):
            where = story.comments.get(comment.get(f"{W}id") or "", "")
            shared.ledger.note("comment", where, flat(_said(comment)))


def _running(story: Story) -> list[Block]:
    """Headers and footers, watermarks in them included, each text once."""
    made: list[Block] = []
    seen: set[str] = set()
    shared = story.shared
    for kind in ("header", "footer"):
        for part in shared.package.related(shared.package.main, kind):
            running = Story(shared, story.numbering, part, kind=kind)
            running.read(shared.package.xml(part))
            text = flat(" ".join(block.text for block in running.blocks))
            if text and text not in seen:
                seen.add(text)
                made.append(Block("paragraph", text, layer="furniture", provenance=Provenance(locator=kind)))
    return made


def _languages(styles: Styles) -> dict[str, str]:
    """Languages that the spelling is checked in, by script. What the text is written in is told from the text."""
    declared = None if styles.base is None else styles.base.find(f"{W}lang")
    if declared is None:
        return {}
    names = {"val": "latin", "eastAsia": "east_asian", "bidi": "right_to_left"}
    return {name: value for key, name in names.items() if (value := declared.get(f"{W}{key}"))}


def _said(element: Any) -> str:
    return " ".join("".join(t.text or "" for t in paragraph.iter(f"{W}t")) for paragraph in element.iter(f"{W}p"))


def _first_heading(blocks: list[Block]) -> str | None:
    first = next((block for block in blocks if block.layer == "body"), None)
    return first.text if first is not None and first.kind == "heading" else None
