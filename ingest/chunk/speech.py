"""Transcripts: where the floor passes to another speaker, or nobody speaks for a while, is the best place to cut.

Parsers make a paragraph of what one person says without a pause, with its times, and put the name in front where it is known.
"""

from __future__ import annotations

import re

from ingest.model.document import Block

PAUSE_SECONDS = 3.0
"""A silence this long ends a subject more often than not; a shorter one only a sentence or a paragraph."""

_SPEAKER = re.compile(r"(?P<name>[^\W\d_][^\n:：。！？!?,，]{0,40})[:：]\s")


def speaker_of(block: Block) -> str:
    """Return who speaks in a paragraph of a transcript, or ""."""
    found = _SPEAKER.match(block.text) if block.provenance.time is not None else None
    return found["name"].strip() if found else ""


def turns(before: Block, block: Block) -> bool:
    """Whether another person speaks from `block` on, or somebody after a long pause. False outside transcripts."""
    earlier, now = before.provenance.time, block.provenance.time
    if earlier is None or now is None:
        return False
    return now[0] - earlier[1] >= PAUSE_SECONDS or speaker_of(block) != speaker_of(before)
