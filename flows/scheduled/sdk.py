"""What is used of Prefect: an optional package, named where it is missing. Only here is it imported: that costs a second."""

from __future__ import annotations

from ingest.errors import ExtraMissing

try:
    from prefect import Flow, State, flow, get_client, get_run_logger, serve, task
    from prefect.artifacts import (
        create_link_artifact,
        create_markdown_artifact,
        create_progress_artifact,
        create_table_artifact,
        update_progress_artifact,
    )
    from prefect.cache_policies import NO_CACHE
    from prefect.client.schemas.actions import WorkPoolCreate
    from prefect.client.schemas.objects import ConcurrencyLimitConfig, ConcurrencyLimitStrategy
    from prefect.deployments.runner import RunnerDeployment
    from prefect.events import DeploymentEventTrigger, emit_event
    from prefect.exceptions import ObjectAlreadyExists, PrefectException
    from prefect.runner.storage import LocalStorage
    from prefect.schedules import Cron
    from prefect.settings import get_current_settings
    from prefect.states import Failed
    from prefect.tasks import exponential_backoff
    from prefect.types.entrypoint import EntrypointType
except ModuleNotFoundError as error:
    raise ExtraMissing("running on a schedule", "flows") from error

__all__ = [
    "NO_CACHE", "ConcurrencyLimitConfig", "ConcurrencyLimitStrategy", "Cron", "DeploymentEventTrigger", "EntrypointType",
    "Failed", "Flow", "LocalStorage", "ObjectAlreadyExists", "PrefectException", "RunnerDeployment", "State", "WorkPoolCreate",
    "create_link_artifact", "create_markdown_artifact", "create_progress_artifact", "create_table_artifact", "emit_event",
    "exponential_backoff", "flow", "get_client", "get_current_settings", "get_run_logger", "serve", "task",
    "update_progress_artifact",
]
