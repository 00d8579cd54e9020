"""Tampering behind the product's back: it is found and named, nobody is shown more than before, and it is repaired or told.

The tamperings are those of the benchmark (`benchmarks/tampering`), whose table docs/quality.md prints. Every exception to these
promises is listed here with its reason, and holds in both directions: one that has become needless fails, too.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.tampering.concord import tamperings
from benchmarks.tampering.looking import ENVIRONMENT, Seen, look_at_all, make
from benchmarks.tampering.verdict import detected, named, whole

LEVELS = ("default", "deep")
NAMES = [one.name for one in tamperings(Path("backups"))]

QUICK = {
    "lost chunk: vector, careful", "ghost chunk: bm25, careful", "altered text: graph, careful",
    "swapped vectors: vector, careful", "changed access rule: vector, careful",
    "changed access rule: catalog and all three indexes, careful", "changed validity: bm25, careful",
    "orphan edge: graph, careful", "lost edge: graph, careful", "mixed builds: vector, careful", "mixed builds: graph",
    "stale stamp: bm25", "altered text: catalog: a chunk, careful", "altered text: catalog: a parent, careful",
    "ghost chunk: catalog", "orphan edge: catalog, careful", "catalog row deleted: chunks",
    "catalog row deleted: entities, careful", "flipped byte: graph: out.ends.npy, careful",
    "truncated file: bm25: a segment, careful", "missing file: files.json", "truncated file: catalog.db",
    "restored old directory: builds of two generations ago", "restored old directory: catalog.db of the generation before",
    "restored old directory: the whole base of the generation before", "head elsewhere: the generation before",
    "manifest edited: the catalog's copy", "older generation damaged: graph", "cache entry altered: cache: embed, careful",
}
"""One of each sort, for every run of the tests; the slow suite does them all."""

BY_CHECK = "the base agrees with itself; `ingest check` compares it with sources and settings, and says stale"
THE_CACHE = "the cache is no part of what is published; deleting it costs time only"
NOT_SEEN_BY_VERIFYING = {
    "restored old directory: the whole base of the generation before": BY_CHECK,
    "manifest edited: fingerprint of the chunker, both copies, careful": BY_CHECK,
    "altered fact: catalog: hash under which a file was last seen": "such a file is read anew, and found to be what it was",
    "cache entry altered: cache: chunks, careful": THE_CACHE,
    "cache entry altered: cache: made, careful": THE_CACHE,
}
"""Tampering -> what tells of it instead, or why nothing has to."""

BY_THE_RECORD = "catalog and both manifests agree: what they say of the generation does not follow from itself"
BY_THE_REGISTRY = "the registry is told, whose digest the manifest has: which entity or assertion it was, seeds tell"
BY_WHAT_RESTS_ON_IT = "the chunks that rest on it are named"
NOT_NAMED = {
    "altered edge: confidence in the graph's table, careful": "the edge is not what its id says, so the file makes no sense",
    "altered fact: catalog: a source's record, careful": BY_WHAT_RESTS_ON_IT,
    "altered fact: catalog: an entity, careful": BY_THE_REGISTRY,
    "catalog row deleted: parents, careful": BY_WHAT_RESTS_ON_IT,
    "catalog row deleted: sources, careful": BY_WHAT_RESTS_ON_IT,
    "catalog row deleted: entities, careful": BY_THE_REGISTRY,
    "catalog row deleted: assertions": BY_THE_REGISTRY,
    "catalog row deleted: assertions, careful": BY_THE_REGISTRY,
    "catalog row deleted: chunks, careful": BY_THE_RECORD,
    "catalog row deleted: edges, careful": BY_THE_RECORD,
    "orphan edge: catalog, careful": BY_THE_RECORD,
}
"""Tampering -> how its finding leads there, where it does not name the ids that were touched."""

SHOWN = {
    "changed access rule: catalog and all three indexes, careful": "whoever may rewrite every copy of a rule decides who reads",
}
"""Tampering -> why somebody is shown what they may not see until it is repaired."""

OLDER = "older generations are not mended; one that is damaged can be dropped"
BEYOND_REPAIR = {
    "orphan edge: catalog, careful": "neither manifest is a measure, and the source that the edge names is not there",
    "truncated file: catalog.db": "half of a database is none: it is restored from a copy, or the base is built anew",
    "restored old directory: catalog.db of the generation before": "it is told; the sources give it back: `ingest run`",
    "restored old directory: the whole base of the generation before": BY_CHECK,
    "manifest edited: fingerprint of the chunker, both copies, careful": BY_CHECK,
    **{f"older generation damaged: {where}": OLDER for where in ("vector", "bm25", "graph", "catalog: a chunk that has ended")},
}
"""Tampering -> why what was published is not given back. What repair says of it is looked at all the same."""

everything = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name not in QUICK), id=name) for name in NAMES]
)


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Seen]:
    """Return what was seen of a tampering. The quick ones are done at once, in two processes, and so is the rest when one of it
    is asked for."""
    folder = tmp_path_factory.mktemp("tampered")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        patch.setattr("indexes.generation.seal.flush_path", lambda path: None)
        make(folder)
    found: dict[str, Seen] = {}

    def look(name: str) -> Seen:
        if name not in found:
            numbers = [number for number, each in enumerate(NAMES) if (each in QUICK) == (name in QUICK)]
            for one in look_at_all(folder, numbers, LEVELS, flush=False, workers=2):
                found[one.name] = one
        return found[name]

    return look


@everything
def test_verifying_finds_it(seen: Callable[[str], Seen], name: str) -> None:
    assert bool(detected(seen(name), LEVELS)) is (name not in NOT_SEEN_BY_VERIFYING)


@everything
def test_what_was_touched_is_named(seen: Callable[[str], Seen], name: str) -> None:
    """By id where files are as their hashes say; else the file is named, and not opened to find out more."""
    found = seen(name)
    if name in NOT_SEEN_BY_VERIFYING:
        return
    if name.endswith(", careful") or "catalog" in name:
        assert found.named("deep") is (name not in NOT_NAMED)
    else:
        assert found.kinds("deep")


@everything
def test_nobody_is_shown_more_than_before(seen: Callable[[str], Seen], name: str) -> None:
    found = seen(name)
    assert bool(found.leaks) is (name in SHOWN)
    assert found.after["leaks"] == [], "least of all by repair"


@everything
def test_repair_leads_back_to_what_was_published_or_tells_what_it_cannot_give_back(
    seen: Callable[[str], Seen], name: str
) -> None:
    found = seen(name)
    assert whole(found) is (name not in BEYOND_REPAIR), found.after
    assert whole(found) or named(found) or name in NOT_SEEN_BY_VERIFYING


def test_every_exception_is_of_a_tampering_that_there_is() -> None:
    assert {*QUICK, *NOT_SEEN_BY_VERIFYING, *NOT_NAMED, *SHOWN, *BEYOND_REPAIR} <= set(NAMES)
    assert not NOT_SEEN_BY_VERIFYING.keys() & NOT_NAMED.keys()
