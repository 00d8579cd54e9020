"""How this product speaks to a PostgreSQL server: addresses, connections, and what the driver's errors mean.

A password comes with `INGEST_CATALOG`, with `PGPASSWORD` or from `~/.pgpass`, and is in no message. Connections notice within
about a minute that the other end is gone, on both ends: a lease must not outlive its writer, nor a writer wait forever.
"""

from __future__ import annotations

import os
import re
import socket
from typing import TYPE_CHECKING, Any, NoReturn

import sqlalchemy as sa

from ingest.errors import CatalogUnreachable, ExtraMissing, SettingsInvalid, StorageFailed
from ingest.store.layout import Server

if TYPE_CHECKING:
    import psycopg

_CLIENT = {
    "connect_timeout": 10, "keepalives": 1, "keepalives_idle": 20, "keepalives_interval": 10, "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
_SERVER = "-c tcp_keepalives_idle=20 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3 -c synchronous_commit=on"
_LOST = ("08", "57P01", "57P02", "57P03", "57P05", "53300", "28", "3D000")
"""SQLSTATEs, or how they begin: connection lost, server stopping or starting, too many clients, not let in, no such database."""
_DAMAGED = ("XX001", "XX002")
"""A damaged page, a damaged index."""


def psycopg_of() -> Any:
    """Return the driver. Raises ExtraMissing."""
    try:
        import psycopg
    except ImportError as error:
        raise ExtraMissing("a catalog in PostgreSQL", "postgres") from error
    return psycopg


def address(server: Server) -> sa.URL:
    """Return the server's URL, as SQLAlchemy knows it. Raises SettingsInvalid, naming no password."""
    try:
        found = sa.make_url(server.url)
    except sa.exc.ArgumentError:
        raise SettingsInvalid("catalog is no URL; write it as postgresql://ROLE@HOST:5432/DATABASE") from None
    return found.set(drivername="postgresql+psycopg")


def shown(server: Server) -> str:
    """Return what messages call it: where it is, without password and options."""
    url = address(server)
    host = url.host or url.query.get("host") or "localhost"
    port = f":{url.port}" if url.port else ""
    role = f"{url.username}@" if url.username else ""
    return f"postgresql://{role}{host}{port}/{url.database or ''} (schema {server.schema})"


def arguments(server: Server, *, label: str = "concord") -> dict[str, Any]:
    """Return what psycopg connects with; what the URL says of an option wins."""
    url = address(server)
    said: dict[str, Any] = {key: value if isinstance(value, str) else value[-1] for key, value in url.query.items()}
    own = {
        "host": url.host, "port": url.port, "user": url.username, "password": url.password, "dbname": url.database,
        "application_name": label,
    }
    options = f"{_SERVER} -c search_path={server.schema} {said.pop('options', '')}".strip()
    return {**_CLIENT, **{key: value for key, value in own.items() if value is not None}, **said, "options": options}


def session(server: Server, label: str) -> psycopg.Connection[Any]:
    """Open a connection that holds locks: it is in no transaction, and no server ends it for resting. Raises
    CatalogUnreachable."""
    driver = psycopg_of()
    try:
        opened: psycopg.Connection[Any] = driver.connect(**arguments(server, label=label), autocommit=True)
        if opened.info.server_version >= 140000:
            opened.execute("set idle_session_timeout = 0")
        return opened
    except driver.Error as error:
        failed(server, error)


def owner() -> str:
    """Return who this process is, as a server shows its sessions (63 bytes at most)."""
    return f"pid {os.getpid()} on {socket.gethostname()}"


def failed(server: Server, error: Exception) -> NoReturn:
    """Raise what an error of the driver means: CatalogUnreachable where the server is not there for us, else StorageFailed."""
    cause = getattr(error, "orig", None) or error
    state = getattr(cause, "sqlstate", None)
    said = _without_password(" ".join(str(cause).split()), address(server).password)
    if _is_lost(error, cause, state):
        raise CatalogUnreachable(
            f"the catalog {shown(server)} cannot be reached: {said}; see that the server runs and lets this role in, then run "
            "again (what was published is untouched)"
        ) from error
    raise StorageFailed(
        f"the catalog {shown(server)} cannot be used: {said}; run again, or ask who runs the server (what was published is "
        "untouched)", of_catalog=state in _DAMAGED,
    ) from error


def _is_lost(error: Exception, cause: BaseException, state: str | None) -> bool:
    if getattr(error, "connection_invalidated", False):
        return True
    if state is not None:
        return state.startswith(_LOST)
    driver = psycopg_of()
    return isinstance(cause, (driver.OperationalError, driver.InterfaceError))


def _without_password(text: str, password: object) -> str:
    text = re.sub(r"(?i)(password\s*=\s*)\S+", r"\1***", text)
    return text.replace(str(password), "***") if password else text
