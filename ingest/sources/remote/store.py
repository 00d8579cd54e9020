"""Places that fsspec knows: Google and Azure storage, SFTP, memory. S3 is read in its own words (`s3`), listed page by page.

The decision worth knowing: folders are listed one by one, so that one that may not be listed is told apart from the others, and
what it holds is kept. A file is asked for once it was read; when it is not as it was listed, it is read again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar

from ingest.errors import DocumentTooLarge
from ingest.protocols import Fetched, Listed, Unlisted
from ingest.sources.names import spelled
from ingest.sources.remote.patience import Patience
from ingest.sources.remote.tokens import of_info

T = TypeVar("T")

_TRIES = 3


class Store:
    """A Connector over one fsspec file system. `translated` turns what its library raises into errors of Python."""

    def __init__(
        self, filesystem: Any, base: str, patience: Patience, translated: Callable[[Exception], Exception] = lambda error: error,
        *, one_at_a_time: bool = False,
    ) -> None:
        self._fs = filesystem
        self._base = base.rstrip("/")
        self._patience = patience
        self._translated = translated
        self._turn: AbstractContextManager[Any] = threading.Lock() if one_at_a_time else nullcontext()

    def listing(self, known: Mapping[str, str], within: str | None = None) -> Iterator[Listed | Unlisted]:
        waiting = [""]
        while waiting:
            folder = waiting.pop()
            try:
                entries = self._patience.ask(lambda folder=folder: self._call(self._fs.ls, self._at(folder), detail=True))  # type: ignore[misc]
            except PermissionError as error:
                if not folder:
                    raise
                yield Unlisted(folder, f"the folder cannot be listed ({error})", kept=True)
                continue
            except FileNotFoundError:
                if not folder:
                    raise
                continue  # deleted since the folder above was listed
            for info in entries:
                path = self._below(str(info["name"]))
                if path == folder:
                    continue  # the marker by which object stores keep an empty folder
                if info["type"] == "directory":
                    if within is None or _leads_to(within, "/".join(map(spelled, path.split("/")))):
                        waiting.append(path)
                elif info["type"] == "file":
                    yield self._listed(path, info)
                else:
                    yield Unlisted(path, "it is a link or a device, which is not followed here")

    def read(self, listed: Listed, most: int) -> Fetched:
        def once(size: int) -> tuple[bytes, Listed]:
            if size > most:
                raise DocumentTooLarge(f"it has {size} bytes")
            return self._call(self._fs.cat_file, listed.key, start=0, end=size + 1), self._info(listed.path)

        before = listed
        for _ in range(_TRIES):
            data, after = self._patience.ask(partial(once, before.size or 0))
            if (before.token, before.size, len(data)) == (after.token, after.size, after.size):
                return Fetched(data, after.token)
            before = after
        raise OSError("it is being written")

    def find(self, path: str) -> Listed | None:
        try:
            return self._patience.ask(lambda: self._info(path))
        except FileNotFoundError:
            return None

    def close(self) -> None:
        close = getattr(self._fs, "close", None)
        if close is not None:
            close()

    def _info(self, path: str) -> Listed:
        info = self._call(self._fs.info, self._at(path))
        if info["type"] != "file":
            raise FileNotFoundError(path)
        return self._listed(path, info)

    def _listed(self, path: str, info: Mapping[str, Any]) -> Listed:
        size = info.get("size")
        return Listed(path, self._at(path), of_info(info, datetime.now(UTC)), None if size is None else int(size))

    def _call(self, function: Callable[..., T], *arguments: Any, **named: Any) -> T:
        try:
            with self._turn:
                self._fs.invalidate_cache()
                return function(*arguments, **named)
        except Exception as error:
            other = self._translated(error)
            if other is error:
                raise
            raise other from error

    def _at(self, path: str) -> str:
        return f"{self._base}/{path}" if path else self._base or "/"

    def _below(self, name: str) -> str:
        base = self._base.lstrip("/")
        return name.strip("/")[len(base) :].lstrip("/") if name.strip("/").startswith(base) else name


def _leads_to(within: str, folder: str) -> bool:
    """Whether a folder is on the way to what is looked at, or in it."""
    return within == folder or within.startswith(folder + "/") or folder.startswith(within + "/")
