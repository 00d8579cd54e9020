"""From a command to a deployment: which flow, with which parameters, when, and where it runs.

Either this process serves it, or a work pool does whose workers may be elsewhere. One run of a deployment at a time: another one
that comes due meanwhile is cancelled, not queued, because the run that follows would find nothing to do. Against everything else
that writes (a command, another deployment) the lease of the knowledge base stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from flows.scheduled.events import STALE, resource_id
from flows.scheduled.sdk import (
    ConcurrencyLimitConfig,
    ConcurrencyLimitStrategy,
    Cron,
    DeploymentEventTrigger,
    EntrypointType,
    Flow,
    LocalStorage,
    ObjectAlreadyExists,
    PrefectException,
    RunnerDeployment,
    WorkPoolCreate,
    get_client,
    get_current_settings,
    serve,
)
from ingest.errors import UsageError

Which = Literal["ingest", "check", "verify", "export-registry", "eval"]
FLOWS: Mapping[Which, tuple[str, str]] = {
    "ingest": ("flows.scheduled.ingesting", "ingest_flow"),
    "check": ("flows.scheduled.checking", "check_flow"),
    "verify": ("flows.scheduled.verifying", "verify_flow"),
    "export-registry": ("flows.scheduled.exporting", "export_registry_flow"),
    "eval": ("flows.scheduled.evaluating", "eval_flow"),
}
"""Command -> module and function of its flow."""
_WITHIN = timedelta(seconds=10)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A deployment. `name`: its own, behind that of the flow; `parameters`: of the flow, `kb` with an
    absolute path among them; `on_stale`: run too when a check of that knowledge base says so."""

    flow: Which
    name: str
    parameters: dict[str, Any] = field(default_factory=dict)
    cron: str | None = None
    timezone: str | None = None
    on_stale: bool = False


def flow_of(which: Which) -> Flow[..., Any]:
    """Return the flow of a command."""
    module, name = FLOWS[which]
    found: Flow[..., Any] = getattr(import_module(module), name)
    return found


def deploy_to_pool(wanted: Wanted, pool: str) -> str:
    """Register the deployment with a work pool, which is made (for processes) where there is none. Returns its full name.

    Raises UsageError where there is no server, or where it refuses (a cron line, a time zone, parameters)."""
    with _server():
        with get_client(sync_client=True) as client:
            try:
                client.create_work_pool(WorkPoolCreate(name=pool, type="process"))
            except ObjectAlreadyExists:
                pass
        made = _deployment(wanted, work_pool_name=pool)
        made.apply(work_pool_name=pool)
    return made.full_name


def serve_here(wanted: Wanted, started: Callable[[str], None]) -> None:
    """Register the deployment and run what comes due, each run in a process of its own, until told to end. `started` is given its
    full name before that. Raises UsageError as `deploy_to_pool`."""
    with _server():
        made = _deployment(wanted)
        started(made.full_name)
        serve(made, print_starting_message=False)


def _deployment(wanted: Wanted, **where: Any) -> RunnerDeployment:
    flow = flow_of(wanted.flow)
    _refuse_parameters(wanted, flow)
    schedule = Cron(wanted.cron, timezone=wanted.timezone or "UTC") if wanted.cron is not None else None
    made = flow.to_deployment(
        wanted.name, schedule=schedule, parameters=wanted.parameters, entrypoint_type=EntrypointType.MODULE_PATH,
        concurrency_limit=ConcurrencyLimitConfig(limit=1, collision_strategy=ConcurrencyLimitStrategy.CANCEL_NEW),
        triggers=[_when_stale(wanted)] if wanted.on_stale else None, tags=["concord"], **where,
    )
    assert isinstance(made, RunnerDeployment)  # a coroutine only where there is a loop
    # Runs begin where the command was given, as what is relative in settings is meant. Without storage Prefect would copy all
    # that lies there, documents and knowledge base too, into a temporary folder for each run.
    made.storage = LocalStorage(str(Path.cwd()))
    return made


def _refuse_parameters(wanted: Wanted, flow: Flow[..., Any]) -> None:
    """Prefect would find out when the run is due, at night."""
    known, needed = flow.parameters.properties, set(flow.parameters.required)
    if unknown := sorted(wanted.parameters.keys() - known):
        raise UsageError(f"--flow {wanted.flow} has no parameter {unknown[0]!r}; --param takes {', '.join(known)}")
    if lacking := sorted(needed - wanted.parameters.keys()):
        raise UsageError(f"--flow {wanted.flow} needs --param {lacking[0]}=...")


def _when_stale(wanted: Wanted) -> DeploymentEventTrigger:
    return DeploymentEventTrigger(
        name=f"{wanted.name}: run when a check finds the knowledge base stale", expect={STALE},
        match={"prefect.resource.id": resource_id(wanted.parameters["kb"])}, threshold=1, within=_WITHIN,
    )


@contextmanager
def _server() -> Iterator[None]:
    """Refuse to work without a server of the user's: Prefect would start one that ends with this command."""
    url = get_current_settings().api.url
    if not url:
        raise UsageError(
            "no Prefect server is configured; start one with: prefect server start   and name it with: "
            "export PREFECT_API_URL=http://127.0.0.1:4200/api"
        )
    import httpx

    try:
        yield
    except (httpx.TransportError, RuntimeError) as error:
        raise UsageError(f"the Prefect server {url} cannot be reached ({error}); start it, or correct PREFECT_API_URL") from error
    except (PrefectException, httpx.HTTPStatusError, ValueError) as error:
        raise UsageError(f"the Prefect server {url} does not take the deployment: {error}") from error
