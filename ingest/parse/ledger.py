"""What a reader left out, by kind and place, for the parse report."""

from __future__ import annotations

from dataclasses import dataclass, field

from ingest.model.document import Omission

MOST_PLACES = 200
"""Of one kind; a contract with thousands of tracked deletions is told by its first two hundred and the number of the others."""
SAMPLE = 200
"""Characters kept of what was left out."""


@dataclass(slots=True)
class Ledger:
    """Counts what is left out. Places are the locators of the blocks beside it."""

    _entries: dict[tuple[str, str], tuple[int, str]] = field(default_factory=dict)

    def note(self, kind: str, where: str, sample: str = "", *, count: int = 1, glue: str = " / ") -> None:
        """Count something left out. Samples of one kind at one place are joined by `glue` ("" for pieces of one text)."""
        if count <= 0:
            return
        before, said = self._entries.get((kind, where), (0, ""))
        if len(said) < SAMPLE and not sample.isspace():
            said = f"{said}{glue}{sample}" if said and sample else said or sample
        self._entries[kind, where] = before + count, said

    def omissions(self) -> tuple[Omission, ...]:
        """By kind, then in the order in which they were met."""
        kinds: dict[str, list[Omission]] = {}
        for (kind, where), (count, said) in self._entries.items():
            sample = " ".join(said.split())[:SAMPLE]
            kinds.setdefault(kind, []).append(Omission(kind, count, where or None, sample or None))
        return tuple(entry for kind in sorted(kinds) for entry in _bounded(kinds[kind]))


def _bounded(entries: list[Omission]) -> list[Omission]:
    if len(entries) <= MOST_PLACES:
        return entries
    rest = entries[MOST_PLACES:]
    return [*entries[:MOST_PLACES], Omission(rest[0].kind, sum(e.count for e in rest), f"{len(rest)} further places")]
