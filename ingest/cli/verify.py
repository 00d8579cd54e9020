"""`ingest verify`: do the indexes hold what they claim?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ingest.cli import options

if TYPE_CHECKING:
    from indexes.generation.verify import Drift
    from ingest.progress import Progress
    from ingest.settings import Settings

NAME = "verify"


def command(
    kb: options.Kb = None, config: options.Config = None, json: options.Json = False, generation: options.Generation = None,
    repair: Annotated[bool, typer.Option("--repair", help="build what drifted in the newest generation anew")] = False,
) -> None:
    """Check stamps, file hashes, the catalog and what each index holds against the manifest of a generation.

    Exit codes: 0 as published (or repaired), 5 something drifted (each named), 6 there is nothing to verify.

    Example:  ingest verify
    """
    from flows.verifying import verify_generation
    from ingest.cli.output import print_json, say, work_apart
    from ingest.cli.progress import shown
    from ingest.errors import UsageError

    settings = options.read_settings(kb, config)
    if repair and generation is not None:
        raise UsageError("--repair is of the newest generation; leave out --generation")
    with work_apart(), shown() as progress:
        mended = _mended(settings, progress) if repair else []
        number, drift = verify_generation(settings, generation, progress)
    if json:
        print_json({"generation": number, "clean": not drift, "drift": drift, "repaired": mended})
        raise typer.Exit(5 if drift else 0)
    for item in mended:
        say(f"repaired: {item.kind}: {item.where}: {item.detail}")
    if not drift:
        say(f"generation {number} is as published: files, catalog and three indexes agree")
    else:
        for item in drift:
            say(f"{item.kind}: {item.where}: {item.detail}")
            for chunk in item.ids:
                say(f"  {chunk}")
    raise typer.Exit(5 if drift else 0)


def _mended(settings: Settings, progress: Progress) -> list[Drift]:
    from flows.repair import mend

    return mend(settings, progress)
