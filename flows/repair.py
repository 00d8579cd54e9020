"""What drifted in the indexes of the head is built anew from the catalog and published: the same content, the same snapshot."""

from __future__ import annotations

from flows.commit import commit
from flows.opening import writing
from flows.pipeline import engine_of
from flows.shape import Shape
from indexes.generation.verify import Drift, verify
from ingest.model.generation import INDEX_KINDS
from ingest.progress import Progress
from ingest.settings import Settings


def mend(settings: Settings, progress: Progress) -> list[Drift]:
    """Repair the head and return what had drifted, empty when nothing had or when it cannot be helped: what the catalog itself
    no longer holds is found in no index.

    Raises as `flows.pipeline.run`; EngineUnavailable also where other vectors would be made than those of the head.
    """
    from flows.reporting.others import publish_told

    with writing(settings) as base:
        head = base.catalog.served()
        previous = base.catalog.published(head).manifest
        drift = verify(base.layout, base.catalog, settings, previous, progress)
        if not drift or any(item.where.startswith("catalog/") for item in drift):
            return []
        recorded = settings.model_copy(update={"embed": settings.embed.model_copy(update={"engine": "auto"})})
        choice = engine_of(recorded, previous, re_engine=False)
        shape = Shape(
            previous.registry, previous.settings, previous.fingerprints, previous.scoring, previous.engines,
            previous.values,
        )
        with base.catalog.staging(head + 1, "repair"):
            pass  # not a fact differs
        anew = frozenset(kind for kind in INDEX_KINDS if any(item.where.partition("/")[0] == kind for item in drift))
        committed = commit(base, head + 1, previous, choice, shape, progress, anew=anew)
        note = f"{', '.join(sorted(anew))} built anew from the catalog"
        publish_told(base, "repair", note, progress, committed=committed)
        return drift
