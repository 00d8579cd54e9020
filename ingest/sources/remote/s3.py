"""S3 and what speaks like it: listed page by page, read by one request an object.

s3fs finds credentials, endpoint and region as everybody expects; the two requests that matter are made with its client, because
a page is then all that a listing holds at a time, and the answer that brings the bytes brings their etag too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from ingest.errors import DocumentTooLarge, ExtraMissing
from ingest.protocols import Connector, Fetched, Listed, Unlisted
from ingest.settings import RootPart
from ingest.sources.remote.patience import Busy, Patience
from ingest.sources.remote.tokens import of_info

_PAGE = 1000
_ABSENT = ("NoSuchKey", "NoSuchBucket", "NoSuchVersion", "NotFound", "404")
_PASSING = ("SlowDown", "RequestTimeout", "RequestTimeoutException", "Throttling", "ThrottlingException", "InternalError",
            "ServiceUnavailable", "RequestTimeTooSkewed", "OperationAborted")


def connect(url: str, part: RootPart) -> Connector:
    """Return a connector of `s3://bucket/prefix`. Nothing is asked yet. Raises ExtraMissing."""
    try:
        from s3fs import S3FileSystem  # type: ignore[import-untyped]
    except ImportError as error:
        raise ExtraMissing(f"reading {url}", "remote") from error
    bucket, _, prefix = url.partition("://")[2].partition("/")
    config = {
        # One try a request: how often and how long to wait is decided in one place, by `Patience`.
        "retries": {"total_max_attempts": 1}, "connect_timeout": part.timeout_seconds, "read_timeout": part.timeout_seconds,
        "max_pool_connections": max(10, part.at_once),
    }
    filesystem = S3FileSystem(
        anon=part.anonymous, endpoint_url=part.endpoint_url or None, config_kwargs=config, skip_instance_cache=True,
        client_kwargs={"region_name": part.region} if part.region else None,
    )
    return Bucket(filesystem, bucket, prefix, Patience(part))


class Bucket:
    """A Connector over the objects of one bucket below one prefix."""

    def __init__(self, filesystem: Any, bucket: str, prefix: str, patience: Patience) -> None:
        self._fs = filesystem
        self._bucket = bucket
        self._prefix = prefix + "/" if prefix else ""
        self._patience = patience

    def listing(self, known: Mapping[str, str], within: str | None = None) -> Iterator[Listed | Unlisted]:
        if within is None or not _is_its_own_key(within):
            yield from self._below("")
            return
        parts = within.split("/")
        for depth in range(len(parts)):
            yield from self._below("".join(part + "/" for part in parts[:depth]), Delimiter="/")
        yield from self._below(within + "/")

    def _below(self, folder: str, **how: str) -> Iterator[Listed]:
        """What lies below a folder; with a delimiter, right in it."""
        after: dict[str, str] = {}
        while True:
            asked = {**how, **after, "Prefix": self._prefix + folder}
            page = self._patience.ask(lambda asked=asked: self._run(self._page, asked))  # type: ignore[misc]
            for one in page.get("Contents", ()):
                path = one["Key"][len(self._prefix) :]
                if path and not (path.endswith("/") and not one["Size"]):  # else the marker of an empty folder
                    yield self._listed(path, one)
            if not page.get("IsTruncated"):
                return
            after = {"ContinuationToken": page["NextContinuationToken"]}

    def read(self, listed: Listed, most: int) -> Fetched:
        answer, data = self._patience.ask(lambda: self._run(self._object, listed.key, most))
        return Fetched(data, _token(answer))

    def find(self, path: str) -> Listed | None:
        try:
            answer = self._patience.ask(lambda: self._run(self._head, self._prefix + path))
        except FileNotFoundError:
            return None
        return Listed(path, self._prefix + path, _token(answer), answer["ContentLength"])

    def close(self) -> None:
        """Nothing to do: s3fs closes its session when the file system is collected."""

    def _listed(self, path: str, said: Mapping[str, Any]) -> Listed:
        return Listed(path, said["Key"], _token(said), said["Size"])

    async def _page(self, asked: dict[str, str]) -> dict[str, Any]:
        client = await self._fs.set_session()
        page: dict[str, Any] = await client.list_objects_v2(Bucket=self._bucket, MaxKeys=_PAGE, **asked)
        return page

    async def _head(self, key: str) -> dict[str, Any]:
        client = await self._fs.set_session()
        answer: dict[str, Any] = await client.head_object(Bucket=self._bucket, Key=key)
        return answer

    async def _object(self, key: str, most: int) -> tuple[dict[str, Any], bytes]:
        client = await self._fs.set_session()
        answer = await client.get_object(Bucket=self._bucket, Key=key)
        async with answer["Body"] as body:
            if answer["ContentLength"] > most:
                raise DocumentTooLarge(f"it has {answer['ContentLength']} bytes")
            data = await body.read()
        if len(data) != answer["ContentLength"]:
            raise ConnectionError(f"{len(data)} of {answer['ContentLength']} bytes came")
        return answer, data

    def _run(self, request: Callable[..., Any], *arguments: Any) -> Any:
        from fsspec.asyn import sync  # type: ignore[import-untyped]

        try:
            return sync(self._fs.loop, request, *arguments)
        except Exception as error:
            other = translated(error)
            if other is error:
                raise
            raise other from error


def _is_its_own_key(path: str) -> bool:
    """Whether no other key can be spelled like this path: all of ASCII but what Unicode normalises to it (the Kelvin sign, a
    Greek question mark and a Greek grave), and nothing that may stand for an escaped character."""
    return path.isascii() and not any(char in "K;`%" for char in path)


def _token(said: Mapping[str, Any]) -> str:
    return of_info({name: said.get(name) for name in ("ETag", "LastModified")}, datetime.now(UTC))


def translated(error: Exception) -> Exception:
    """Return the error of Python for one of botocore or aiohttp. Messages of S3 may tell of accounts: only codes stay."""
    from aiohttp import ClientError as TransferError
    from botocore import exceptions as said  # type: ignore[import-untyped]

    if isinstance(error, said.ClientError):
        code = str(error.response.get("Error", {}).get("Code", ""))
        status = int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
        if code in _PASSING or status >= 500 or status == 429:
            return Busy(f"S3 answers {code or status}")
        if code in _ABSENT or status == 404:
            return FileNotFoundError(f"S3 answers {code}")
        if status in (401, 403) or code in ("AccessDenied", "403"):
            return PermissionError(f"S3 answers {code}; check the credentials (AWS_*, ~/.aws)")
        return OSError(f"S3 answers {code or status}")
    if isinstance(error, said.NoCredentialsError | said.PartialCredentialsError):
        return PermissionError("no credentials for S3 are found (AWS_*, ~/.aws); or set anonymous for this root")
    if isinstance(error, said.HTTPClientError | said.ConnectionError | TransferError):
        return ConnectionError(f"the connection to S3 failed ({type(error).__name__})")
    if isinstance(error, said.BotoCoreError):
        return OSError(f"S3 cannot be asked ({type(error).__name__}); check endpoint_url, region and the bucket's name")
    return error
