"""What a page says of errors, of documents that failed, and of warnings: what happened, and what to do."""

from __future__ import annotations

from collections.abc import Sequence

from flows.reporting.markup import Markup, element
from flows.reporting.parts import SHOWN, section, the_rest
from flows.reporting.stop import Stop
from ingest.errors import DocumentPartial
from ingest.model.report import ReportedFailure


def stopped(error: Stop, served: int) -> Markup:
    """The error that ended a run, and that generation `served` is none the worse for it."""
    return section(
        "What happened",
        element("p", error.message, class_="bad box message"),
        element("p", f"Generation {served} is served, as before." if served else "Nothing has been published yet."),
        element("p", "It may pass by itself: a later run tries again.") if error.retryable else None,
        element("p", f"The last stage that was finished: {error.after}.") if error.after else None,
    )


def failures(failed: Sequence[ReportedFailure]) -> Markup:
    """Documents that could not be taken: why, what to do, and what is served of them."""
    items = (
        element(
            "li", element("p", element("bdi", failure.uri, class_="name"), " ", element(
                "span", _served(failure)[1], class_=f"state {_served(failure)[0]}"
            )),
            element("p", element("span", failure.message, class_="message"), " ", element("code", failure.error)),
            element("p", _again(failure), class_="more"),
        )
        for failure in failed[:SHOWN]
    )
    return section("Documents that failed", element("ul", items, class_="failures"), the_rest(len(failed)))


def _again(failure: ReportedFailure) -> str:
    if failure.retryable:
        return "The next run tries again by itself."
    return "It is tried again when its file changes, or with: ingest run --rehash"


def _served(failure: ReportedFailure) -> tuple[str, str]:
    if failure.error == DocumentPartial.__name__:
        return "warn", "served in part"
    if failure.serving:
        return "warn", "served stale: its last good text"
    if failure.stage == "metadata":
        return "bad", "withdrawn: its metadata cannot be trusted"
    return "bad", "nothing of it is served"


def warnings(said: Sequence[str]) -> Markup:
    """What a run found odd and took all the same."""
    return section(
        "Warnings", element("ul", (element("li", element("bdi", warning)) for warning in said[:SHOWN]), class_="lines"),
        the_rest(len(said)),
    )
