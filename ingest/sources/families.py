"""When each document holds: the versions of a family close one another's windows.

In: every document with what it declares. Out: a window [from, until) for each, and what in the declarations does not fit
together. There is no clock and no order in it: the same documents give the same windows. The decision worth knowing: a version
is closed only by one that *everybody who sees it* can see, of the same tenant; otherwise a reader would lose the old text
without being shown the new.
"""

from __future__ import annotations

import bisect
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ingest.model.access import Access
from ingest.model.instant import next_day
from ingest.model.source import Declared

FindingKind = Literal["overlap", "gap", "two_active", "superseded_unknown", "superseded_undated", "superseded_later"]
Window: TypeAlias = "tuple[str | None, str | None]"


@dataclass(frozen=True, slots=True)
class Member:
    """A document that is present as a source. `uri` is root name + relative path."""

    source_id: str
    uri: str
    declared: Declared


@dataclass(frozen=True, slots=True)
class Finding:
    """Something for people to settle; nothing is resolved silently. Whoever shows it must show only sources that the reader may
    see. `family` is empty where a `supersedes` reaches beyond one. `sources` are ids, sorted."""

    kind: FindingKind
    family: str
    sources: tuple[str, ...]
    message: str


@dataclass(frozen=True, slots=True)
class Derived:
    """`window`: source id -> (valid_from, valid_until), normalised instants, None for an open side; the end is exclusive."""

    window: dict[str, Window]
    findings: list[Finding]


def windows(members: Iterable[Member]) -> Derived:
    """Derive the windows of all members. Pass every document of the knowledge base: `supersedes` reaches across families.

    A member ends at its declared `valid_until`, else at the earliest declared `valid_from` after its own among active members of
    its family, or active documents that say they supersede it, of the same tenant and at least as open. A last day (`until_day`)
    is covered to its end, unless such a successor starts on that day.
    """
    ordered = sorted(members, key=lambda member: member.source_id)
    superseding = _Superseding(ordered)
    groups: dict[tuple[str, str | None], list[Member]] = defaultdict(list)
    for member in ordered:
        groups[member.declared.family or "", member.declared.access.tenant].append(member)
    window: dict[str, Window] = {}
    findings = superseding.findings
    for (family, _), group in groups.items():
        successors = _Successors(group if family else [])
        for member in group:
            window[member.source_id] = (member.declared.valid_from, _end(member, successors, superseding))
        if family:
            findings.extend(_findings(family, [one for one in group if one.declared.status == "active"], successors, window))
    return Derived(window, sorted(findings, key=lambda finding: (finding.family, finding.kind, finding.sources, finding.message)))


class _Successors:
    """Who of one family and tenant may close whom: active members with a declared start, by who can see them."""

    def __init__(self, group: Iterable[Member]) -> None:
        starts: dict[Access, set[str]] = defaultdict(set)
        for member in group:
            if member.declared.status == "active" and member.declared.valid_from is not None:
                starts[member.declared.access].add(member.declared.valid_from)
        self._starts = {access: sorted(values) for access, values in starts.items()}
        self._all = sorted(set().union(*starts.values())) if starts else []
        self._seen_by: dict[Access, list[list[str]]] = {}

    def after(self, member: Member, since: str | None = None) -> str | None:
        """The earliest start after the member's own, not before `since`, among those that everybody who sees it can see."""
        access = member.declared.access
        if access not in self._seen_by:
            self._seen_by[access] = [values for other, values in self._starts.items() if other.at_least_as_open_as(access)]
        return _earliest(_next(values, member.declared.valid_from, since) for values in self._seen_by[access])

    def after_for_some(self, member: Member) -> str | None:
        """The earliest start after the member's own, whoever sees it."""
        return _next(self._all, member.declared.valid_from)


class _Superseding:
    """Who says that it supersedes whom: by version within its family, or by uri or path."""

    def __init__(self, members: list[Member]) -> None:
        self.findings: list[Finding] = []
        self._starts: dict[str, list[str]] = defaultdict(list)
        by_version: dict[tuple[str, str], list[Member]] = defaultdict(list)
        by_uri: dict[str, Member] = {}
        for member in members:
            by_uri[member.uri] = member
            if member.declared.family and member.declared.version:
                by_version[member.declared.family, member.declared.version].append(member)
        for member in members:
            for named in member.declared.supersedes:
                root = member.uri.partition("/")[0]
                found = by_version.get((member.declared.family or "", named), [])
                found = found or [one for uri in (named, f"{root}/{named}") if (one := by_uri.get(uri)) is not None]
                self._supersede(member, named, [one for one in found if one is not member])

    def after(self, member: Member, since: str | None = None) -> str | None:
        """The earliest start, not before `since`, of whoever supersedes the member. All of them start after it."""
        return _earliest(start for start in self._starts.get(member.source_id, ()) if since is None or start >= since)

    def _supersede(self, member: Member, named: str, found: list[Member]) -> None:
        declared = member.declared
        if not found:
            self._report("superseded_unknown", member, [], f"{member.uri} supersedes {named!r}, which is not here")
            return
        if declared.status != "active":
            return
        for other in found:
            if declared.valid_from is None:
                if declared.family is None or declared.family != other.declared.family:
                    self._report(
                        "superseded_undated", member, [other],
                        f"{member.uri} supersedes {other.uri} without saying from when; declare valid_from",
                    )
            elif other.declared.valid_from is not None and other.declared.valid_from >= declared.valid_from:
                self._report(
                    "superseded_later", member, [other], f"{member.uri} supersedes {other.uri}, which does not start before it"
                )
            elif declared.access.tenant == other.declared.access.tenant and declared.access.at_least_as_open_as(
                other.declared.access
            ):
                self._starts[other.source_id].append(declared.valid_from)

    def _report(self, kind: FindingKind, member: Member, others: list[Member], message: str) -> None:
        family = member.declared.family or ""
        self.findings.append(Finding(kind, family, _ids([member, *others]), message))


def _end(member: Member, successors: _Successors, superseding: _Superseding) -> str | None:
    declared = member.declared
    if declared.valid_until is None:
        return _earliest((successors.after(member), superseding.after(member)))
    if not declared.until_day:
        return declared.valid_until
    try:
        after = next_day(declared.valid_until)
    except OverflowError:  # 9999-12-31 is how people write "for ever"
        return None
    day = declared.valid_until
    start = _earliest((successors.after(member, day), superseding.after(member, day)))
    return start if start is not None and start < after else after


def _findings(
    family: str, active: list[Member], successors: _Successors, window: Mapping[str, Window]
) -> Iterable[Finding]:
    yield from _two_active(family, active)
    starting: dict[str, list[Member]] = defaultdict(list)
    for member in active:
        if member.declared.valid_from is not None:
            starting[member.declared.valid_from].append(member)
    yield from _gaps(family, active, starting, window)
    for member in active:
        end = window[member.source_id][1]
        following = successors.after_for_some(member)
        if following is not None and (end is None or following < end):
            named, until = " and ".join(one.uri for one in starting[following]), end or "further notice"
            yield Finding(
                "overlap", family, _ids([member, *starting[following]]),
                f"{member.uri} holds until {until}, {named} already from {following}",
            )


def _two_active(family: str, active: list[Member]) -> Iterable[Finding]:
    """Active members that start together. Declared translations of one version are not in each other's way."""
    together: dict[str | None, list[Member]] = defaultdict(list)
    for member in active:
        together[member.declared.valid_from].append(member)
    for start, group in together.items():
        kinds = {(one.declared.version, one.declared.language) for one in group}
        translations = (
            len(kinds) == len(group) and len({version for version, _ in kinds}) == 1
            and all(language is not None for _, language in kinds)
        )
        if len(group) > 1 and not translations:
            when = f"at {start}" if start else "without saying when"
            yield Finding(
                "two_active", family, _ids(group),
                f"{', '.join(one.uri for one in group)} are active in one family and start {when}; deprecate all but one",
            )


def _gaps(
    family: str, active: list[Member], starting: Mapping[str, list[Member]], window: Mapping[str, Window]
) -> Iterable[Finding]:
    """Stretches between two versions in which none holds."""
    ending: list[Member] = []
    until = ""
    # Open sides sort before and after every instant.
    for member in sorted(active, key=lambda member: (member.declared.valid_from or "", member.source_id)):
        start, end = member.declared.valid_from or "", window[member.source_id][1] or "~"
        if ending and start > until:
            before, after = " and ".join(one.uri for one in ending), " and ".join(one.uri for one in starting[start])
            yield Finding(
                "gap", family, _ids([*ending, *starting[start]]), f"{before} holds until {until}, {after} only from {start}"
            )
        if end > until:
            ending, until = [], end
        if end == until:
            ending.append(member)


def _ids(members: Iterable[Member]) -> tuple[str, ...]:
    return tuple(sorted({member.source_id for member in members}))


def _next(values: list[str], after: str | None, since: str | None = None) -> str | None:
    """The first of sorted `values` that is later than `after` and not earlier than `since`."""
    at = 0 if after is None else bisect.bisect_right(values, after)
    at = max(at, 0 if since is None else bisect.bisect_left(values, since))
    return values[at] if at < len(values) else None


def _earliest(instants: Iterable[str | None]) -> str | None:
    return min((instant for instant in instants if instant is not None), default=None)
