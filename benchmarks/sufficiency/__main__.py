"""How right it is when an answer says that its evidence does not suffice: refusals, calibration, and the fit of the weights.

    python -m benchmarks.sufficiency [--fit] [--keep FOLDER] [--each 6] [--most 150]

Fitted, and with folds by subject held out, on made questions (`made.py`) and fixtures/eval/calibration.jsonl; for questions that
name a known thing on this and fixtures/eval/harder.jsonl. Nothing is fitted on fixtures/eval/natural.jsonl, nor on XQuAD and
CMRC, read from `$CONCORD_DATA` or `../shared/data`, which are asked twice, with the right paragraph and without it. `--fit`
writes `indexes/query/sufficiency.json` and `docs/pictures/sufficiency.svg`. Takes about a quarter of an hour; `--keep` leaves
bases and features.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks.answers.__main__ import ingested
from benchmarks.retrieval import DATA
from benchmarks.sufficiency.diagram import diagram
from benchmarks.sufficiency.fitting import SETS, error, fitted, held_out, refusals, reliability
from benchmarks.sufficiency.measured import Seen, calibration, kept, made, natural, shared
from indexes.query.sufficiency import FITTED, chance, set_for
from ingest.settings import SearchPart

PICTURE = Path(__file__).parents[2] / "docs" / "pictures" / "sufficiency.svg"
NEIGHBOURS = ("product", "version", "model", "person")
"""What is asked for and not there in the material that refusals are held to: its neighbours all are."""
THRESHOLD = SearchPart().sufficiency


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--fit", action="store_true", help="write the weights and the picture")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where bases and features stay; those found there are used")
    parser.add_argument("--each", type=int, default=6, help="made questions of a kind of fact and language")
    parser.add_argument("--most", type=int, default=150, help="questions of each shared set")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="concord-bench-") as folder:
        kept_in = options.keep or Path(folder)
        kept_in.mkdir(parents=True, exist_ok=True)
        seen = kept(kept_in / "made.jsonl", lambda: made(kept_in / "world", options.each))
        asked, harder = (_of_set(kept_in, name) for name in ("calibration", "harder"))
        groups = _groups_of(seen, asked, harder)
        weights = {name: fitted(groups[name], *of) for name, of in SETS.items()}
        if options.fit:
            _write(groups, weights)
        judged = {name: held_out(groups[name], *of) for name, of in SETS.items()}
        of_made = {id(each) for each in seen}
        for name, some in groups.items():
            first = sum(id(each) in of_made for each in some)
            _told(f"made, {name}, by subject held out", some[:first], judged[name][:first])
            _told(f"calibration, {name}, by subject held out", some[first:], judged[name][first:])
        if options.fit:
            curves = {name: reliability(groups[name], told) for name, told in judged.items()}
            PICTURE.write_text(diagram(curves), encoding="utf-8")
        _unfitted("natural", kept(kept_in / "natural.jsonl", lambda: natural(kept_in / "natural")), weights)
        if (DATA / "xquad").exists():
            _unfitted("shared", kept(kept_in / "shared.jsonl", lambda: shared(kept_in, options.most)), weights)
        else:
            print(f"skipped: {DATA / 'xquad'} is not there; set CONCORD_DATA to the folder that holds ir/")


def _unfitted(title: str, seen: Sequence[Seen], weights: Mapping[str, Mapping[str, float]]) -> None:
    """Print how questions are judged that nothing was fitted on."""
    for engine in ("e5", "hash"):
        _told(f"{title}, {engine}", seen, [chance(each.features, weights[set_for(engine, each.features)]) for each in seen])


def _of_set(folder: Path, name: str) -> list[Seen]:
    return kept(folder / f"{name}.jsonl", lambda: calibration(ingested(folder / "answers", "auto"), name))


def _groups_of(made: Sequence[Seen], asked: Sequence[Seen], harder: Sequence[Seen]) -> dict[str, list[Seen]]:
    """What each set of weights is fitted on, made questions first."""
    plain = [*made, *asked]
    named = [each for each in (*asked, *harder) if each.features.apart]
    return {
        "meaning": plain, "terms": plain, "named": named,
        "named, sentences": [each for each in named if each.features.sentence is not None],
    }


def _write(groups: dict[str, list[Seen]], weights: dict[str, dict[str, float]]) -> None:
    counted = ", ".join(f"{name} {len(some)} ({sum(each.answered for each in some)} answered)" for name, some in groups.items())
    on = (
        "questions to the made company of benchmarks/sufficiency and those of fixtures/eval/calibration.jsonl, asked with and "
        f"without a plan where their names stand in the text, and fixtures/eval/harder.jsonl; Chinese and English: {counted}"
    )
    FITTED.write_text(json.dumps({"fitted_on": on, "weights": weights}, indent=2) + "\n", encoding="utf-8")


def _told(title: str, seen: Sequence[Seen], judged: Sequence[float]) -> None:
    if not seen:
        return
    print(f"\n{title} (threshold {THRESHOLD})\n")
    print("| of | questions | refusal precision | refusal recall | answers refused |\n|---|---|---|---|---|")
    for language in ("zh", "en"):
        for name, within in _groups(language, seen):
            some = [place for place, each in enumerate(seen) if within(each)]
            if some:
                found = refusals([seen[place] for place in some], [judged[place] for place in some], THRESHOLD)
                rates = (found.precision, found.recall, found.refused_wrongly)
                print(f"| {language}, {name} | {found.count} | {' | '.join(f'{rate:.3f}' for rate in rates)} |")
    bins = reliability(seen, judged)
    print(f"\nexpected calibration error {error(bins):.3f}\n\n| chance | answered | questions |\n|---|---|---|")
    for mean, share, count in bins:
        print(f"| {mean:.2f} | {share:.2f} | {count} |")
    print("\n| kind | language | has an answer | questions | refused |\n|---|---|---|---|---|")
    for (kind, language, answered), refused in sorted(_by_kind(seen, judged).items()):
        share = sum(refused) / len(refused)
        print(f"| {kind} | {language} | {'yes' if answered else 'no'} | {len(refused)} | {share:.3f} |", flush=True)


def _groups(language: str, seen: Iterable[Seen]) -> list[tuple[str, Callable[[Seen], bool]]]:
    """Names of groups, and whether a question is in one."""
    own = any(each.kind == "fact" for each in seen)
    if not own:
        return [("everything", lambda each: each.language == language)]
    return [
        ("near misses", lambda each: each.language == language and "across" not in each.kind and (
            each.answered or any(name in each.kind for name in NEIGHBOURS)
        )),
        ("near misses, asked across", lambda each: each.language == language and "across" in each.kind),
        ("everything", lambda each: each.language == language),
    ]


def _by_kind(seen: Sequence[Seen], judged: Sequence[float]) -> dict[tuple[str, str, bool], list[bool]]:
    found: dict[tuple[str, str, bool], list[bool]] = defaultdict(list)
    for each, told in zip(seen, judged, strict=True):
        found[each.kind, each.language, each.answered].append(told < THRESHOLD)
    return found


if __name__ == "__main__":
    main()
