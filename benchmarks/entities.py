"""How well names are resolved, beside rapidfuzz and nomenklatura: wrong merges first, then what is found; and 100,000 entities.

    python -m benchmarks.entities        reads `$CONCORD_DATA`, else `../shared/data`, folder `er`; docs/entities.md explains

Peers give a similarity, so each is given what it needs: the threshold that is best on the validation part, or, where precision is
asked for, the lowest one at which it holds on the very pairs that are measured. nomenklatura's logic-v2 runs in the environment
that `CONCORD_PEERS` names, and is left out where it is not installed there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from rapidfuzz import fuzz, process, utils

from benchmarks.measure import table
from benchmarks.resolution import sets
from benchmarks.resolution.scoring import best_threshold, f1_at, recall_at_precision
from entities.compare import compare
from entities.names import form_of
from entities.resolve import Resolver
from entities.score import score_of
from entities.score_described import Rarity
from ingest.model.entity import Entity, Name, Registry
from ingest.settings import EntitiesPart

PEERS = Path(os.environ.get("CONCORD_PEERS", ".venv-peers"))
_ORGANIZATION = "organization"
_NEIGHBOURS = 3000
Line = tuple[str, str, str, str, str]
"""Measure, what is asked for, Concord, rapidfuzz, logic-v2."""


def main() -> None:
    if not sets.DATA.exists():
        print(f"skipped: {sets.DATA} is not there; set CONCORD_DATA to the folder that holds er/")
        return
    lines = [*hard(), *organisations(), *short_names(), *neighbours(), *renamed(), *products(), *large()]
    print(table(("measure", "asked for", "concord", "rapidfuzz", "logic-v2"), lines))


def hard() -> list[Line]:
    found = [(pair, compare(pair.left, pair.right, pair.type, pair.other_type).outcome) for pair in sets.hard_pairs()]
    exact = sum(outcome == pair.expected for pair, outcome in found)
    wrong = sum(outcome == "same" != pair.expected for pair, outcome in found)
    fuzzy = sum(_token_set(pair.left, pair.right) >= 0.9 and pair.expected != "same" for pair, _ in found)
    peer = logic_v2([(pair.left, pair.right) for pair, _ in found])
    theirs = sum(score >= 0.7 and pair.expected != "same" for score, (pair, _) in zip(peer, found, strict=False))
    return [
        ("hard pairs: wrong merges", "0", str(wrong), f"{fuzzy} (token_set >= 90)", f"{theirs} (>= .7)" if peer else "-"),
        ("hard pairs: exact verdicts", ">= 90 %", f"{exact} of {len(found)}", "-", "-"),
    ]


def organisations() -> list[Line]:
    pairs = sets.name_bench()
    outcomes = Counter((compare(pair.left, pair.right, _ORGANIZATION).outcome, pair.truth) for pair in pairs)
    total = sum(pair.truth for pair in pairs)
    same, wrong, asked = outcomes["same", True], outcomes["same", False], outcomes["review", True]
    fuzzy = recall_at_precision([(_token_set(pair.left, pair.right), pair.truth) for pair in pairs], 0.99)
    ratio = recall_at_precision([(fuzz.WRatio(pair.left, pair.right, processor=utils.default_process), pair.truth)
                                 for pair in pairs], 0.99)
    peer = logic_v2([(pair.left, pair.right) for pair in pairs])
    theirs = recall_at_precision([(score, pair.truth) for score, pair in zip(peer, pairs, strict=True)], 0.99) if peer else None
    return [
        ("name_bench: precision of accepted", ">= .99", f"{same / (same + wrong):.3f}", "-", "-"),
        ("name_bench: recall where precision is .99", ">= .50", f"{same / total:.3f}", f"{fuzzy:.3f}, WRatio {ratio:.3f}",
         f"{theirs:.3f}" if theirs is not None else "-"),
        ("name_bench: recall, accepted or in review", ">= .92", f"{(same + asked) / total:.3f}", "-", "-"),
        ("name_bench: different pairs asked about", "", f"{outcomes['review', False] / (len(pairs) - total):.1%}", "-", "-"),
    ]


def short_names() -> list[Line]:
    lines = []
    for name in ("zh_short_full_pairs.csv", "zh_org_full_short_finglm.csv"):
        pairs = sets.short_and_full(name)
        fulls = sorted({full for _, full in pairs})
        resolver = Resolver(Registry(tuple(Entity(full, _ORGANIZATION, (Name(full, "legal"),)) for full in fulls)))
        found = [(full, short, resolver.resolve(short, _ORGANIZATION)) for short, full in pairs]
        at_five = sum(full in {proposal.entity_id for proposal in each.proposals} or each.entity_id == full
                      for full, _, each in found)
        accepted = sum(each.outcome == "accept" for full, short, each in found if full != short)
        some = pairs[:1000]
        near = (process.extract(short, fulls, scorer=fuzz.WRatio, limit=5) for short, _ in some)
        fuzzy = sum(full in {each[0] for each in five} for (_, full), five in zip(some, near, strict=True)) / len(some)
        label = f"short to full, {len(pairs)} of {len(fulls)} firms"
        lines.append((f"{label}: recall@5", ">= .99", f"{at_five / len(pairs):.4f}", f"{fuzzy:.4f} (WRatio, 1,000)", "-"))
        lines.append((f"{label}: accepted without a dictionary", "0", str(accepted), "-", "-"))
    return lines


def neighbours() -> list[Line]:
    fulls = sorted({full for _, full in sets.short_and_full("zh_org_full_short_finglm.csv")})
    pairs = []
    for name in fulls[:_NEIGHBOURS]:
        near = process.extract(name, fulls, scorer=fuzz.ratio, limit=2)
        pairs.append((name, next(other for other, _, _ in near if other != name)))
    merged = sum(compare(*pair, _ORGANIZATION).outcome == "same" for pair in pairs)
    fuzzy = sum(_token_set(*pair) >= 0.9 for pair in pairs), sum(fuzz.ratio(*pair) >= 85 for pair in pairs)
    peer = logic_v2(pairs)
    theirs = str(sum(score >= 0.7 for score in peer)) if peer else "-"
    return [(
        f"{len(pairs):,} nearest neighbours, other firms: merges", "0", str(merged),
        f"{fuzzy[0]} (token_set >= 90), {fuzzy[1]} (ratio >= 85)", f"{theirs} (>= .7)",
    )]


def renamed() -> list[Line]:
    brackets, real = sets.renames()
    kept = sum(compare(*pair, _ORGANIZATION).outcome == "same" for pair in brackets)
    outcomes = Counter(compare(*pair, _ORGANIZATION).outcome for pair in real)
    fuzzy = sum(_token_set(*pair) >= 0.9 for pair in brackets), sum(_token_set(*pair) >= 0.9 for pair in real)
    return [
        ("names that differ in brackets: accepted", "69", f"{kept} of {len(brackets)}", f"{fuzzy[0]} (token_set >= 90)", "-"),
        ("real name changes: merged by likeness", "0", str(outcomes["same"]), f"{fuzzy[1]} (token_set >= 90)", "-"),
        ("real name changes: in review", ">= 75 %", f"{outcomes['review'] / len(real):.1%}", "-", "-"),
    ]


def products() -> list[Line]:
    lines = []
    for label, validation, test, gain in (
        ("WDC computers", "wdc_computers_train_small.txt", "wdc_computers_test.txt", 0.15),
        ("Amazon-Google", "amazon_google_valid.txt", "amazon_google_test.txt", 0.05),
    ):
        chosen, measured = list(sets.records(validation)), list(sets.records(test))
        rarity = Rarity(form_of(name, "product") for pair in chosen for name in (pair.left, pair.right))
        ours = _f1(chosen, measured, lambda a, b, rarity=rarity: score_of(  # type: ignore[misc]
            form_of(a, "product"), form_of(b, "product"), rarity
        ))
        fuzzy = _f1(chosen, measured, _token_set)
        found = f"{ours:.3f} (+{ours - fuzzy:.3f})"
        lines.append((f"{label}: F1", f"token_set + {gain}", found, f"{fuzzy:.3f} (token_set)", "-"))
    return lines


def _f1(chosen: Sequence[sets.Pair], measured: Sequence[sets.Pair], score: Callable[[str, str], float]) -> float:
    """F1 on `measured` at the threshold that is best on `chosen`."""
    threshold = best_threshold([(score(pair.left, pair.right), pair.truth) for pair in chosen])
    return f1_at([(score(pair.left, pair.right), pair.truth) for pair in measured], threshold)


def large() -> list[Line]:
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.resolution.large"], check=True, capture_output=True, text=True, env=environment
    )
    found = json.loads(done.stdout)
    return [
        ("100,000 entities: built in", "< 60 s", f"{found['build']:.1f} s (CPU {found['build_cpu']:.1f} s)", "-", "-"),
        ("100,000 entities: names looked up", ">= 5,000/s", f"{found['lookups']:,.0f}/s", "-", "-"),
        ("100,000 entities: 10,000 new mentions", "< 10 s", f"{found['new']:.1f} s (CPU {found['new_cpu']:.1f} s)", "-", "-"),
        ("100,000 entities: memory", "< 1 GB", f"{found['memory'] / 1e9:.2f} GB", "-", "-"),
    ]


def logic_v2(pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Scores of nomenklatura's logic-v2; empty where it is not installed in the peers' environment."""
    python = PEERS / "bin" / "python"
    if not python.exists() or subprocess.run([python, "-c", "import nomenklatura"], check=False, capture_output=True).returncode:
        return []
    script = Path(__file__).parent / "resolution" / "logic_v2.py"
    done = subprocess.run([python, script], input=json.dumps(pairs), check=True, capture_output=True, text=True)
    scores: list[float] = json.loads(done.stdout)
    return scores


def _token_set(left: str, right: str) -> float:
    return fuzz.token_set_ratio(left, right, processor=utils.default_process) / 100


if __name__ == "__main__":
    assert EntitiesPart().review_proposals == 5, "recall@5 is measured on what a question shows"
    main()
