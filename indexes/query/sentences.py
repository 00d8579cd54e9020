"""What one sentence of a row says beside a question, by a second model: which of the best rows are best.

The vector of a row says what the row is about, and near the top of a ranking all rows are about the thing. Which of them has what
is asked stands in a sentence. So each sentence of the best rows, after the heading that it stands under, is held against the
question (without the names, where these are known), and a row counts by its best one:

    fused  +  worth · cosine of the best sentence          the model: `ingest.rerank.sentences`

The less rows say what is asked in its own words, the more that counts: where they do say it, words know better. Measured with
multilingual-e5-small, so it is used with no other vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from indexes.generation.snapshot import Snapshot
from ingest.chunk.sentences import sentences
from ingest.model.row import ChunkRow
from ingest.protocols import Hit, Reranker

ROWS = 10
"""Best rows that are looked at. With 40 nDCG@10 is the same on both calibration sets, with 8 .002 less."""
OF_EACH = 6
"""Rows of each language besides, where languages were searched apart and nothing known is named: in another language than the
question the right row may stand behind many that are wrong."""
WORTH = 8.0
"""Standard deviations of a list of cosines (`fuse.py`) that a cosine of 1 is worth to a question of which no row says a word."""
WELL = 0.5
"""Of the BM25 ceiling: where the best row says so much of a question, sentences are not looked at, and the answer is looked for
without regard to languages. Below, each language is searched by itself, which on a server costs a search for each: so are three
in four questions of XQuAD in a collection of both languages, and nine in ten of those that only the other language answers. At
.25 nDCG@10 of these is .010 less for Chinese questions and .028 for English ones, that of the others in Chinese .005 more."""
_MOST = 24
"""Sentences of one row: more have long tables and code."""
_READ = 1500
"""Characters of one row: what a child of usual size has."""
_LEAST = 3
"""Characters of a sentence: fewer say nothing."""


def worth(match: float) -> float:
    """Return the standard deviations that a cosine of 1 is worth where the best row says `match` of a question: BM25 in parts of
    its ceiling."""
    return WORTH * (1 - match) ** 2 if match < WELL else 0.0


def said(
    snapshot: Snapshot, model: Reranker, question: str, hits: Sequence[Hit], lists: Mapping[str, Sequence[Hit]]
) -> dict[str, float]:
    """Return for the first `ROWS` hits, and the first `OF_EACH` in each language of `lists`, the cosine of the question and the
    sentence that is nearest to it: of at most twice `ROWS`. A row that the catalog lacks is left out: who reads it next tells."""
    first = _looked_at(hits, lists)
    facts = snapshot.catalog.get("chunks", snapshot.generation, first)
    # Row by row: what the model keeps of one serves the next question that finds it.
    return {chunk: max(model.scores(question, _parts(facts[chunk].noun(ChunkRow)))) for chunk in first if chunk in facts}


def _looked_at(hits: Sequence[Hit], lists: Mapping[str, Sequence[Hit]]) -> list[str]:
    order = [hit.chunk_id for hit in hits]
    found = [{hit.chunk_id for hit in hits} for hits in lists.values()] if len(lists) > 1 else []
    firsts = [[chunk for chunk in order if chunk in own][:OF_EACH] for own in found]
    in_turn = [chunk for each in zip_longest(*firsts) for chunk in each if chunk is not None]
    return list(dict.fromkeys([*order[:ROWS], *in_turn]))[: 2 * ROWS]


def _parts(row: ChunkRow) -> list[str]:
    """The sentences of a row, each after its heading; the row as it stands where it has none."""
    heading = row.heading_path[-1] if row.heading_path else ""
    found = list(_sentences(row.text[:_READ]))[:_MOST] or [row.text[:_READ]]
    return [f"{heading} {sentence}" if heading else sentence for sentence in found]


def _sentences(text: str) -> Iterator[str]:
    for line in text.splitlines():
        for sentence in sentences(line):
            if len(stripped := sentence.strip()) >= _LEAST:
                yield stripped
