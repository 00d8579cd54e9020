"""The connection to Ray, one for the life of this process: to a cluster that is there, or to one started on this machine.

Starting one takes ten to twenty seconds and half a gigabyte, so it is kept until the process ends; it listens on loopback only,
and what it leaves in its folder goes with it. Whoever may reach a cluster may run anything on it: that is what it is for.
"""

from __future__ import annotations

import atexit
import os
import secrets
import shutil
import signal
import socket
import tempfile
import threading
from typing import Any

from ingest.errors import ClusterUnavailable, ExtraMissing

_OBJECTS_BYTES = 200 * 2**20
"""Of memory for documents on their way; a larger one goes by Ray's folder. Each worker has one on its way at a time."""

_ANY = {"RAY_USAGE_STATS_ENABLED": "0"}
"""Read by Ray when it is imported. It would report to its makers what it is used for."""
_OWN = {**_ANY, "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
"""Only who is told the token gets in; left to itself, Ray would write one into the user's home."""

_QUIET: dict[str, Any] = {"log_to_driver": False, "configure_logging": False}
_START_ATTEMPTS = 3
"""Ray gives its own processes thirty seconds to come up, which a machine that is busy enough does not keep."""

_KNOCK_SECONDS = 10.0

_connecting = threading.Lock()


def connected(address: str, cores: int) -> Any:
    """Return the module `ray`, connected to the cluster at `address`, else to one of this process with at least `cores` places.

    Raises ExtraMissing, ClusterUnavailable. A connection that this process has already is used as it is.
    """
    for name, value in (_OWN if not address else _ANY).items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError as error:
        raise ExtraMissing("spreading work over Ray", "ray") from error
    with _connecting:
        if not ray.is_initialized():
            handler = signal.getsignal(signal.SIGTERM)
            try:
                _connect(ray, address, cores)
            finally:
                if threading.current_thread() is threading.main_thread():
                    signal.signal(signal.SIGTERM, handler)  # Ray puts its own in place
    return ray


def places(ray: Any) -> int:
    """Return how many workers of one core the cluster has room for when nobody else works there."""
    return int(ray.cluster_resources().get("CPU", 0))


def _connect(ray: Any, address: str, cores: int) -> None:
    try:
        if address:
            _knock(address)
            ray.init(address=address, **_QUIET)
        else:
            _start(ray, cores)
    except Exception as error:
        where = f"the Ray cluster at {address} cannot be reached" if address else "Ray cannot be started on this machine"
        raise ClusterUnavailable(
            f"{where} ({type(error).__name__}: {str(error).partition(chr(10))[0][:200]}); "
            + ("check execute.ray_address and its token" if address else "use execute.executor = processes")
        ) from error


def _knock(address: str) -> None:
    """Raise OSError where nothing listens at an address: Ray asks again for minutes. A name such as `auto` is Ray's to find."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), timeout=_KNOCK_SECONDS).close()


def _start(ray: Any, cores: int) -> None:
    folder = tempfile.mkdtemp(prefix="ray-")
    atexit.register(_end, ray, folder)
    for attempt in range(1, _START_ATTEMPTS + 1):
        try:
            ray.init(
                num_cpus=cores, include_dashboard=False, object_store_memory=_OBJECTS_BYTES, _node_ip_address="127.0.0.1",
                _temp_dir=folder, **_QUIET,
            )
            return
        except Exception:
            if attempt == _START_ATTEMPTS:
                raise
            ray.shutdown()


def _end(ray: Any, folder: str) -> None:
    ray.shutdown()
    shutil.rmtree(folder, ignore_errors=True)
