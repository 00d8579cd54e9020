"""What others make of the questions of `benchmarks.retrieval`: rank-bm25, bm25s, and multilingual-e5-small alone.

All see whole paragraphs. The two BM25 get lower-cased words and pairs of Han characters, which is what each is usually given. e5
is the model as it is, without what this product takes off its questions. bm25s comes from the environment that `CONCORD_PEERS`
names and is left out where it is not installed there.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ingest.embed.e5 import E5

PEERS = Path(os.environ.get("CONCORD_PEERS", ".venv-peers"))
_TERMS = re.compile("[\u3400-\u9fff]+|[^\\W_\u3400-\u9fff]+")
_MANY = """
import json, sys
import bm25s, numpy as np
given = json.load(sys.stdin)
vocabulary = {term: number for number, term in enumerate(sorted({term for text in given["texts"] for term in text}))}
index = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
index.index(bm25s.tokenization.Tokenized([[vocabulary[term] for term in text] for text in given["texts"]], vocabulary),
            show_progress=False)
scores = [index.get_scores([term for term in query if term in vocabulary]).tolist() if any(t in vocabulary for t in query)
          else [0.0] * len(given["texts"]) for query in given["queries"]]
json.dump(scores, sys.stdout)
"""

Scores = NDArray[np.float64]


def rank_bm25(texts: Sequence[str], queries: Sequence[str]) -> Scores:
    """Scores of every text for every query: [queries, texts]."""
    from rank_bm25 import BM25Okapi  # type: ignore[import-untyped]

    index = BM25Okapi([terms(text) for text in texts])
    return np.array([index.get_scores(terms(query)) for query in queries])


def bm25s(texts: Sequence[str], queries: Sequence[str]) -> Scores | None:
    python = PEERS / "bin" / "python"
    if not python.exists() or subprocess.run([python, "-c", "import bm25s"], capture_output=True, check=False).returncode:
        return None
    given = json.dumps({"texts": [terms(text) for text in texts], "queries": [terms(query) for query in queries]})
    done = subprocess.run([python, "-c", _MANY], input=given, capture_output=True, text=True, check=True)
    return np.array(json.loads(done.stdout))


def e5_alone(models: Path) -> Callable[[Sequence[str], Sequence[str]], Scores]:
    """Return what scores whole paragraphs by e5 as it is. Texts that were seen are not encoded again."""
    model = E5(models)
    known: dict[tuple[str, str], NDArray[np.float32]] = {}

    def encoded(prefix: str, texts: Sequence[str]) -> NDArray[np.float32]:
        for text in texts:
            if (prefix, text) not in known:
                known[prefix, text] = model._vectors(prefix, [text])[0]
        return np.stack([known[prefix, text] for text in texts])

    return lambda texts, queries: (encoded("query: ", queries) @ encoded("passage: ", texts).T).astype(np.float64)


def terms(text: str) -> list[str]:
    found: list[str] = []
    for run in _TERMS.findall(text.casefold()):
        pairs = [run[at : at + 2] for at in range(len(run) - 1)] if "\u3400" <= run[0] <= "\u9fff" else []
        found += pairs or [run]
    return found


def ranks(scores: Scores, right: Sequence[int]) -> list[int | None]:
    """The rank of the right paragraph for each question, from 1; None beyond ten or where it has nothing of the question. Ties
    are decided by place."""
    found: list[int | None] = []
    for row, paragraph in zip(scores, right, strict=True):
        better = int((row > row[paragraph]).sum() + (row[:paragraph] == row[paragraph]).sum())
        found.append(better + 1 if better < 10 and row[paragraph] > 0 else None)
    return found
