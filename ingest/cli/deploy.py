"""`ingest deploy`: a flow that Prefect runs on a schedule."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ingest.cli import options

if TYPE_CHECKING:
    from ingest.settings import Settings

NAME = "deploy"


def command(
    paths: Annotated[list[Path] | None, typer.Argument(help="folders, files or URLs; default: every registered root")] = None,
    kb: options.Kb = None,
    config: options.Config = None,
    json: options.Json = False,
    flow: Annotated[
        Literal["ingest", "check", "verify", "export-registry", "eval"], typer.Option("--flow", help="what is to run")
    ] = "ingest",
    name: Annotated[str, typer.Option("--name", help="name of the deployment")] = "nightly",
    cron: Annotated[str | None, typer.Option("--cron", metavar="LINE", help="when: minute hour day month weekday")] = None,
    timezone: Annotated[str | None, typer.Option("--timezone", metavar="NAME", help="of --cron (default: UTC)")] = None,
    pool: Annotated[
        str | None, typer.Option("--pool", metavar="NAME", help="hand it to this work pool (default: serve it here)")
    ] = None,
    on_stale: Annotated[bool, typer.Option("--on-stale", help="run too when a check finds the knowledge base stale")] = False,
    param: Annotated[
        list[str] | None, typer.Option("--param", metavar="KEY=VALUE", help="a parameter of the flow; may be repeated")
    ] = None,
) -> None:
    """Deploy a flow to the Prefect server of PREFECT_API_URL, which runs it when it is due, one run at a time.

    With --pool a worker runs it (prefect worker start --pool NAME); without, this command does, until told to end. Paths, the
    settings file and the knowledge base are handed on as they are found from here; INGEST_* variables are the worker's own.

    Exit codes: 0, 2 no server, or it does not take the deployment.

    Example:  ingest deploy ./docs --cron '0 2 * * *' --timezone Asia/Shanghai --pool concord
    """
    import sys

    from ingest.cli.output import print_json, say, work_apart
    from ingest.errors import UsageError

    if on_stale and flow != "ingest":
        raise UsageError(f"--on-stale is for the flow that mends it, ingest; leave it out, or deploy {flow} with --cron")
    if timezone is not None and cron is None:
        raise UsageError("--timezone says where --cron is; give --cron too, or leave it out")
    settings = options.read_settings(kb, config)
    parameters = _parameters(flow, settings, paths, config, param)
    from flows.scheduled.deploying import Wanted, deploy_to_pool, serve_here

    wanted = Wanted(flow, name, parameters, cron, timezone, on_stale)

    def deployed(full: str) -> None:
        print_json({"deployment": full, "pool": pool}) if json else say(full)
        sys.stdout.flush()

    if pool is None:
        serve_here(wanted, deployed)
        return
    with work_apart():
        full = deploy_to_pool(wanted, pool)
    deployed(full)


def _parameters(
    flow: str, settings: Settings, paths: list[Path] | None, config: Path | None, said: list[str] | None
) -> dict[str, Any]:
    """What the flow is given: places as they are found from here, then whatever --param says."""
    from ingest.errors import UsageError
    from ingest.settings import DEFAULT_FILE

    found = config or Path(DEFAULT_FILE)
    parameters: dict[str, Any] = {"kb": str(Path(settings.kb).resolve())}
    if found.exists():
        parameters["config"] = str(found.resolve())
    if paths and flow not in ("ingest", "check"):
        raise UsageError(f"--flow {flow} takes no folders; leave them out")
    if paths:
        from ingest.sources.url import typed_path, typed_url

        parameters["paths"] = [typed_url(str(path)) or str(Path(typed_path(str(path))).resolve()) for path in paths]
    return parameters | dict(map(_parameter, said or ()))


def _parameter(said: str) -> tuple[str, Any]:
    """`deep=true` and `out=registry.jsonld`: JSON where it is some, text otherwise."""
    import json

    from ingest.errors import UsageError

    name, equals, value = said.partition("=")
    if not equals or not name:
        raise UsageError(f"--param {said!r} is none; write KEY=VALUE, as in deep=true")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
