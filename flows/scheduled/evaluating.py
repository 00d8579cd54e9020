"""`ingest eval` as a flow: are questions still answered as they were?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from flows.evaluating import Evaluation, evaluate, keep_figures
from flows.evaluation import told
from flows.evaluation.question import read
from flows.reporting.evaluation import write
from flows.scheduled import artifacts
from flows.scheduled.logs import Logged, observed
from flows.scheduled.opened import settings_of
from flows.scheduled.sdk import Failed, State, flow
from flows.scheduled.stage import PAUSE_SECONDS, RETRIES, staged


@flow(name="concord-eval", persist_result=False)
def eval_flow(
    questions: str, config: str | None = None, kb: str | None = None, thresholds: list[str] | None = None,
    report: str | None = None, retries: int = RETRIES, pause_seconds: float = PAUSE_SECONDS,
) -> dict[str, Any] | State[Any]:
    """Ask every question of a file and return the figures over all of them. The flow fails where a threshold was missed or where
    something leaked. `report`: a folder for eval.html and eval.json."""
    settings = settings_of(config, kb)
    file = Path(questions)
    with observed(settings) as log:
        progress, asked = Logged(log), read(file)
        bounds = (*settings.eval.thresholds, *(thresholds or ()))
        made = staged(
            "eval", lambda: evaluate(settings, asked, progress, thresholds=bounds), retries=retries, pause=pause_seconds
        )
        keep_figures(settings, made, file, progress)
        if report is not None:
            write(made, Path(report))
            artifacts.link("concord-eval-html", str(Path(report) / "eval.html"), "every question and what came")
        artifacts.markdown("concord-eval-report", _lines(made), f"generation {made.generation}, {made.questions} questions")
        whole = made.groups[0]
        if not made.passed or whole.leaks:
            missed = [told.verdict(verdict) for verdict in made.verdicts if not verdict.ok]
            return Failed(message="; ".join([*missed, *([f"{whole.leaks} leaks"] if whole.leaks else [])]))
        figures = {name: figure.value for name, figure in whole.figures.items()}
    return {"generation": made.generation, "questions": made.questions, "leaks": whole.leaks, **figures}


def _lines(made: Evaluation) -> Iterator[str]:
    yield f"# Generation {made.generation}: {made.questions} questions\n"
    yield from told.markdown(told.headings(made.groups), told.rows(made.groups))
    yield ""
    yield from (f"- {told.verdict(verdict)}" for verdict in made.verdicts)
