"""The other places that fsspec reaches, each through its own package: Google, Azure, SFTP; and memory, for trying things out."""

from __future__ import annotations

from urllib.parse import urlsplit

from ingest.errors import ExtraMissing
from ingest.protocols import Connector
from ingest.settings import RootPart
from ingest.sources.remote.patience import Patience
from ingest.sources.remote.store import Store


def google(url: str, part: RootPart) -> Connector:
    """A connector of `gs://bucket/prefix`; credentials as gcsfs finds them. Raises ExtraMissing.

    The plain file system of gcsfs: what it makes of itself by default first asks another service what kind of bucket it is."""
    try:
        from gcsfs.core import GCSFileSystem  # type: ignore[import-untyped]
    except ImportError as error:
        raise ExtraMissing(f"reading {url}", "gcs") from error
    filesystem = GCSFileSystem(
        token="anon" if part.anonymous else None,
        endpoint_url=part.endpoint_url or None, skip_instance_cache=True, use_listings_cache=False,
    )
    return Store(filesystem, url.partition("://")[2], Patience(part), google_error)


def google_error(error: Exception) -> Exception:
    from aiohttp import ClientError
    from gcsfs.retry import HttpError  # type: ignore[import-untyped]

    code = getattr(error, "code", None)
    if isinstance(error, HttpError) and code is not None:
        if int(code) >= 500 or int(code) == 429:
            return ConnectionError(f"Google storage answers {code}")
        return PermissionError("Google storage refuses; check the credentials") if int(code) in (401, 403) else error
    return ConnectionError(f"the connection failed ({type(error).__name__})") if isinstance(error, ClientError) else error


def azure(url: str, part: RootPart) -> Connector:
    """A connector of `az://container/prefix` or `abfs://container@account.dfs.core.windows.net/prefix`; credentials as adlfs
    finds them (AZURE_STORAGE_*). Raises ExtraMissing."""
    try:
        from adlfs import AzureBlobFileSystem  # type: ignore[import-untyped]
    except ImportError as error:
        raise ExtraMissing(f"reading {url}", "azure") from error
    authority, _, prefix = url.partition("://")[2].partition("/")
    container, _, host = authority.partition("@")
    account = part.account or host.partition(".")[0] or None
    filesystem = AzureBlobFileSystem(
        account_name=account, anon=part.anonymous or None, skip_instance_cache=True, use_listings_cache=False
    )
    return Store(filesystem, f"{container}/{prefix}", Patience(part), azure_error)


def azure_error(error: Exception) -> Exception:
    """Return the error of Python for one of Azure's libraries, which are told by their names: all of them share one package."""
    names = {kind.__name__ for kind in type(error).__mro__}
    status = int(getattr(error, "status_code", None) or 0)
    if "ClientAuthenticationError" in names or status in (401, 403):
        return PermissionError("Azure refuses; check the credentials (AZURE_STORAGE_*)")
    if names & {"ServiceRequestError", "ServiceResponseError"} or status >= 500 or status == 429:
        return ConnectionError(f"Azure answers {status}" if status else f"the connection failed ({type(error).__name__})")
    return error


def sftp(url: str, part: RootPart) -> Connector:
    """A connector of `sftp://user@host:port/path`; keys from the SSH agent and ~/.ssh, hosts from known_hosts: others are
    refused. Raises ExtraMissing; OSError, because it connects."""
    try:
        import paramiko  # type: ignore[import-untyped]
        from fsspec.implementations.sftp import SFTPFileSystem  # type: ignore[import-untyped]
    except ImportError as error:
        raise ExtraMissing(f"reading {url}", "sftp") from error

    class Known(SFTPFileSystem):  # type: ignore[misc]
        """Connects to hosts only that ~/.ssh/known_hosts knows; fsspec by itself takes the word of any."""

        def _connect(self) -> None:
            self.client = paramiko.SSHClient()
            self.client.load_system_host_keys()
            self.client.set_missing_host_key_policy(paramiko.RejectPolicy())
            try:
                self.client.connect(self.host, timeout=part.timeout_seconds, **self.ssh_kwargs)
                self.ftp = self.client.open_sftp()
            except Exception as error:
                self.client.close()
                raise sftp_error(error) from error
            self.ftp.get_channel().settimeout(part.timeout_seconds)

        def close(self) -> None:
            self.client.close()

    place = urlsplit(url)
    named = {name: value for name, value in (("username", place.username), ("port", place.port)) if value}
    patience = Patience(part)
    filesystem = patience.ask(lambda: Known(place.hostname, skip_instance_cache=True, **named))
    return Store(filesystem, place.path, patience, sftp_error, one_at_a_time=True)


def sftp_error(error: Exception) -> Exception:
    from paramiko.ssh_exception import AuthenticationException, BadHostKeyException, SSHException  # type: ignore[import-untyped]

    if isinstance(error, AuthenticationException):
        return PermissionError("the SSH server refuses; check the user and the key in the SSH agent or ~/.ssh")
    if isinstance(error, BadHostKeyException) or (isinstance(error, SSHException) and "known_hosts" in str(error)):
        return PermissionError("the SSH server's key is not the one in ~/.ssh/known_hosts; add it there once it is checked")
    return ConnectionError(f"the SSH connection failed ({error})") if isinstance(error, SSHException | EOFError) else error


def memory(url: str, part: RootPart) -> Connector:
    """A connector of `memory://place`: what this process put there through fsspec. Raises ExtraMissing."""
    try:
        from fsspec.implementations.memory import MemoryFileSystem  # type: ignore[import-untyped]
    except ImportError as error:
        raise ExtraMissing(f"reading {url}", "remote") from error
    return Store(MemoryFileSystem(), "/" + url.partition("://")[2], Patience(part))
