"""`ingest verify`: do the indexes hold what they claim?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ingest.cli import options

if TYPE_CHECKING:
    from flows.repair import Mended
    from indexes.generation.verify import Drift, Level

NAME = "verify"

_SHOWN = 20
"""Ids of a finding that are printed; --json has them all."""


def command(
    kb: options.Kb = None, config: options.Config = None, json: options.Json = False, generation: options.Generation = None,
    deep: Annotated[bool, typer.Option("--deep", help="compare the stored content of every row with what it must be")] = False,
    sample: Annotated[int | None, typer.Option("--sample", metavar="N", min=0, help="with --deep: rows to embed (64)")] = None,
    every: Annotated[bool, typer.Option("--all", help="with --deep: embed every row anew")] = False,
    repair: Annotated[bool, typer.Option("--repair", help="build what drifted in the newest generation anew")] = False,
) -> None:
    """Check manifests, stamps, every byte of the three builds, every fact of the catalog and what each index holds.

    With --repair, what drifted is rebuilt from the catalog, and facts that the catalog lost are read from the sources again; what
    cannot be given back is named. docs/trust.md has the kinds of drift, and what each level costs.

    Exit codes: 0 as published (or repaired), 5 something drifted (each named), 6 something could not be told.

    Example:  ingest verify --deep
    """
    from flows.verifying import verify_generation
    from ingest.cli.output import print_json, work_apart
    from ingest.cli.progress import shown
    from ingest.errors import UsageError

    settings = options.read_settings(kb, config)
    if repair and generation is not None:
        raise UsageError("--repair is of the newest generation; leave out --generation")
    if not deep and (sample is not None or every):
        raise UsageError("--sample and --all are part of --deep; add it")
    level = _level(deep, sample, every)
    mended: Mended | None = None
    with work_apart(), shown() as progress:
        if repair:
            from flows.repair import mend

            mended = mend(settings, progress, level)
        number, found = verify_generation(settings, generation, progress, level)
    drift, unknown = [item for item in found if item.told], [item for item in found if not item.told]
    left = mended.left if mended is not None else ()
    if json:
        repaired = mended.repaired if mended is not None else ()
        print_json({
            "generation": number, "clean": not found and not left, "drift": drift, "unknown": unknown, "repaired": repaired,
            "left": left,
        })
    else:
        _tell(number, drift, unknown, mended, generation)
    raise typer.Exit(5 if drift or left else 6 if unknown else 0)


def _level(deep: bool, sample: int | None, every: bool) -> Level:
    from indexes.generation.verify.levels import SAMPLE, Level

    return Level(deep, SAMPLE if sample is None else sample, every)


def _tell(number: int, drift: list[Drift], unknown: list[Drift], mended: Mended | None, generation: int | None) -> None:
    from ingest.cli.output import say

    for item in mended.repaired if mended is not None else ():
        say(f"repaired: {_said(item)}")
    for loss in mended.left if mended is not None else ():
        say(f"cannot be given back: {loss.what}: {loss.why}; {loss.remedy}")
    if not drift and not unknown:
        say(f"generation {number} is as published: files, catalog and three indexes agree")
    for item in (*drift, *unknown):
        say(_said(item))
        for id in item.ids[:_SHOWN]:
            say(f"  {id}")
        if len(item.ids) > _SHOWN:
            say(f"  and {len(item.ids) - _SHOWN} more, see --json")
    if drift and generation is not None:
        say(f"generation {number} is not repaired where it is; drop it with: ingest snapshots prune --keep K")
    elif drift and mended is None:
        say("mend it with: ingest verify --repair")


def _said(item: Drift) -> str:
    named = f" ({', '.join(item.sources[:3])}{' ...' if len(item.sources) > 3 else ''})" if item.sources else ""
    return f"{item.kind}: {item.where}: {item.detail}{named}"
