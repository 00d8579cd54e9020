"""Which sources are not as a generation has them, each with what is different about it.

In: a survey (plans by name and signature) and what differs in settings, code and seeds. Out: changes, and what could not be
looked at. Files that their signature does not vouch for are read and hashed; no document is parsed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from flows.differences import Differences
from flows.known import Surveyed
from ingest.errors import DocumentError, SourceError
from ingest.model.canonical import digest_of
from ingest.model.report import Change, Remark
from ingest.model.row import ChunkRow
from ingest.progress import Progress
from ingest.sources.plan import Known, Suspect
from ingest.sources.remote.ahead import ahead
from ingest.sources.scan import read
from ingest.store.catalog import Catalog


@dataclass(slots=True)
class Compared:
    """`changes` are sorted by uri; `same` counts the sources that are as published."""

    changes: list[Change] = field(default_factory=list)
    same: int = 0
    problems: list[Remark] = field(default_factory=list)


def compare(
    surveyed: Surveyed, differing: Differences, catalog: Catalog | None, generation: int, progress: Progress, *,
    retry: bool = False,
) -> Compared:
    """Compare the sources of a survey with `generation`. `retry`: documents that failed are tried again whatever the reason."""
    comparison = _Comparison(surveyed, differing, retry)
    if catalog is not None and differing.recogniser is not None:
        comparison.naming = _naming_otherwise(catalog, generation, differing, progress)
    comparison.suspects(progress)
    for made in surveyed.plans:
        for group in (made.unchanged, made.stale, made.retry):
            for item in group:
                comparison.standing(item.known)
        for known in made.gone:
            comparison.add(f"{known.root}/{known.path}", "gone")
    comparison.unseen()
    comparison.renamed()
    comparison.found.changes.sort(key=lambda change: (change.uri, change.what))
    return comparison.found


class _Comparison:
    def __init__(self, surveyed: Surveyed, differing: Differences, retry: bool) -> None:
        self.found = Compared()
        self.naming: set[str] = set()
        self._surveyed = surveyed
        self._differing = differing
        self._retry = retry
        self._new: dict[str, str] = {}
        self._gone_tools: dict[str, list[str]] = {}

    def add(self, uri: str, what: str, reason: str = "") -> None:
        self.found.changes.append(Change(uri, what, reason))

    def suspects(self, progress: Progress) -> None:
        """Read what names and signatures cannot vouch for."""
        suspects = [item for made in self._surveyed.plans for item in made.suspects]
        progress.start("hash", len(suspects), "files")
        # In order, each while the next ones of a root that is a URL are on their way.
        for item, _ in zip(suspects, ahead((one.scanned for one in suspects), self._surveyed.settings.sources), strict=True):
            self._suspect(item)
            progress.advance("hash")
        progress.finish("hash")

    def _suspect(self, item: Suspect) -> None:
        source, known = item.scanned.source, item.known
        try:
            revision = read(item.scanned, self._surveyed.settings.sources.max_bytes).revision
        except DocumentError as error:
            self._unread(source.uri, known, error)
            return
        except SourceError as error:
            self.found.problems.append(Remark("root", str(error)))  # of all its documents: told once
            return
        if known is None:
            self._new[source.id] = revision.content
            self.add(source.uri, "added")
        elif known.revision != revision:
            self.add(source.uri, "changed")
        else:
            self.standing(known)

    def _unread(self, uri: str, known: Known | None, error: DocumentError) -> None:
        if error.retryable:
            self.found.problems.append(Remark("file", str(error), (uri,)))
        if known is None:
            self.add(uri, "added", str(error))
        elif not error.retryable and known.status == str(error):
            self.standing(known)  # it failed like this when it was last run, and would again
        elif not error.retryable:
            self.add(uri, "changed", str(error))

    def standing(self, known: Known) -> None:
        """A source whose bytes are as published: would a run do it again all the same?"""
        uri, stated = f"{known.root}/{known.path}", self._surveyed.records.said(known.source_id)
        why = self._differing.staleness.why(known.media_type or None, known.path, stated["stages"])
        if why is not None and why.missing:
            self._gone_tools.setdefault(why.reason, []).append(uri)
            return
        reasons = [why.reason] if why is not None else []
        if stated["served"] is not None:
            reasons.extend(self._differing.everywhere)
            if known.source_id in self.naming:
                reasons.append("what it names changed with the registry")
        if reasons:
            self.add(uri, "stale", "; ".join(reasons))
        elif known.retryable or (self._retry and stated["failure"] is not None):
            self.add(uri, "retry", known.status)
        else:
            self.found.same += 1

    def unseen(self) -> None:
        """What could not be looked at, and documents that nothing here could read again."""
        problems, surveyed = self.found.problems, self._surveyed
        problems.extend(
            Remark("file", f"{uri}: {reason}", (uri,)) for uri, reason in surveyed.skipped if uri in surveyed.unreadable
        )
        kept = [f"{known.root}/{known.path}" for made in surveyed.plans for known in made.kept]
        problems.extend(
            Remark("file", f"{uri} could not be looked at", (uri,)) for uri in kept if uri not in surveyed.unreadable
        )
        problems.extend(
            Remark("engine", f"{uris[0]}{f' and {len(uris) - 1} more' if uris[1:] else ''}: {reason}", tuple(uris))
            for reason, uris in self._gone_tools.items()
        )

    def renamed(self) -> None:
        """Say `renamed` instead of `added` and `gone`."""
        surveyed = self._surveyed
        names = {item.scanned.source.id: item.scanned.source.uri for made in surveyed.plans for item in made.suspects}
        pairs = {names[new]: surveyed.records[old].uri for new, old in surveyed.moved(self._new).items()}
        before = set(pairs.values())
        self.found.changes = [change for change in self.found.changes if not (
            (change.what == "added" and change.uri in pairs) or (change.what == "gone" and change.uri in before)
        )]
        self.found.changes.extend(Change(new, "renamed", f"was {old}") for new, old in pairs.items())


def _naming_otherwise(catalog: Catalog, generation: int, differing: Differences, progress: Progress) -> set[str]:
    """Ids of the sources whose text names something else to today's recogniser than what the generation holds."""
    recogniser = differing.recogniser
    assert recogniser is not None
    held = dict(catalog.pairs("mentions", generation))
    found: set[str] = set()
    progress.start("recognise", catalog.count("chunks", generation), "chunks")
    for chunk, source, text in _texts(catalog, generation):
        if source not in found:
            mentions = recogniser.mentions(chunk, text)
            if (digest_of(mentions) if mentions else None) != held.get(chunk):
                found.add(source)
        progress.advance("recognise")
    progress.finish("recognise")
    return found


def _texts(catalog: Catalog, generation: int) -> Iterator[tuple[str, str, str]]:
    for fact in catalog.facts("chunks", generation):
        yield fact.id, fact.source_id, fact.stated(ChunkRow)["text"]
