"""`ingest verify`: do the indexes hold what they claim?"""

from __future__ import annotations

import typer

from ingest.cli import options

NAME = "verify"


def command(
    kb: options.Kb = None, config: options.Config = None, json: options.Json = False, generation: options.Generation = None
) -> None:
    """Check stamps, file hashes, the catalog and what each index holds against the manifest of a generation.

    Exit codes: 0 as published, 5 something drifted (each named), 6 there is nothing to verify.

    Example:  ingest verify
    """
    from flows.checking import verify_generation
    from ingest.cli.output import print_json, say, work_apart
    from ingest.cli.progress import shown

    settings = options.read_settings(kb, config)
    with work_apart(), shown() as progress:
        number, drift = verify_generation(settings, generation, progress)
    if json:
        print_json({"generation": number, "clean": not drift, "drift": drift})
    elif not drift:
        say(f"generation {number} is as published: files, catalog and three indexes agree")
    else:
        for item in drift:
            say(f"{item.kind}: {item.where}: {item.detail}")
            for chunk in item.ids:
                say(f"  {chunk}")
    raise typer.Exit(5 if drift else 0)
