"""What the libraries of Google, Azure and SSH raise, in words that a run understands."""

from __future__ import annotations

import pytest

from ingest.sources.remote.clouds import azure_error, google_error, sftp_error


@pytest.mark.parametrize(("status", "kind"), [
    (403, PermissionError), (401, PermissionError), (429, ConnectionError), (503, ConnectionError),
])
def test_refusals_are_told_from_what_passes(status: int, kind: type[Exception]) -> None:
    from azure.core.exceptions import HttpResponseError
    from gcsfs.retry import HttpError

    refused = HttpResponseError("account key=HUNTER")
    refused.status_code = status
    assert type(azure_error(refused)) is kind and "HUNTER" not in str(azure_error(refused))
    google = google_error(HttpError({"code": status, "message": "token=HUNTER"}))
    assert type(google) is kind and "HUNTER" not in str(google)


def test_a_connection_that_fails_may_pass() -> None:
    from aiohttp import ServerDisconnectedError
    from azure.core.exceptions import ServiceRequestError
    from paramiko.ssh_exception import SSHException

    assert isinstance(azure_error(ServiceRequestError("no route")), ConnectionError)
    assert isinstance(google_error(ServerDisconnectedError()), ConnectionError)
    for error in (SSHException("no banner"), EOFError()):
        assert isinstance(sftp_error(error), ConnectionError)


def test_what_python_says_stays_as_it_is() -> None:
    for error in (FileNotFoundError("a"), PermissionError("b"), ValueError("c")):
        assert azure_error(error) is google_error(error) is sftp_error(error) is error
