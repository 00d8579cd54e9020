"""What a look at a root takes up and passes over, told in the same words wherever the root lies."""

from __future__ import annotations

from ingest.sources.folder import E, Folder
from ingest.sources.found import Scan, Scanned, Skipped
from ingest.sources.names import is_odd


class Taking:
    """A Scan that is being made. `odd`: what is said of a name that cannot be taken as it is written."""

    def __init__(self, odd: str) -> None:
        self._odd = odd
        self._found: list[Scanned] = []
        self._skipped: list[Skipped] = []
        self._unreadable: list[str] = []

    def scan(self) -> Scan:
        self._found.sort(key=lambda scanned: scanned.source.path)
        self._skipped.sort(key=lambda skipped: (skipped.path, skipped.reason))
        return Scan(self._found, self._skipped, sorted(self._unreadable))

    def take(self, scanned: Scanned) -> None:
        self._found.append(scanned)

    def skip(self, path: str, reason: str) -> None:
        self._skipped.append(Skipped(path, reason))

    def keep(self, path: str, why: str) -> None:
        """Tell of something that cannot be looked at."""
        self._unreadable.append(path)
        self.skip(path, f"it cannot be looked at ({why}); what is known of it is kept")

    def report(self, prefix: str, listed: Folder[E]) -> None:
        """Tell of names in a folder that are not taken, or not as they are written."""
        for name, reason in listed.doubles:
            self.skip(prefix + name, reason)
        for name in listed.orphans:
            self.skip(prefix + name, "this sidecar belongs to no file beside it; rename it after its file, or delete it")
        for name, entry in listed.entries.items():
            if "%" in name and is_odd(entry.name):
                self.skip(prefix + name, f"its name {self._odd}; it is taken as spelled here")
