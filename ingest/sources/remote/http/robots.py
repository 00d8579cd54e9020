"""What `robots.txt` of a host asks for. Where there is none, everything is allowed; where the server fails, nothing is known, and
the root counts as unreachable until it answers (RFC 9309, 2.3.1)."""

from __future__ import annotations

from urllib.parse import urljoin
from urllib.robotparser import RobotFileParser

from ingest.errors import DocumentTooLarge
from ingest.sources.remote.http.client import Client

_MOST_BYTES = 512 * 1024
"""RFC 9309, 2.5: at least 500 KiB are to be read."""


def read_robots(client: Client, root: str) -> RobotFileParser:
    """Return the rules of the host of `root`. Raises OSError where they cannot be had; none where there are none."""
    rules = RobotFileParser()
    try:
        answer = client.get(urljoin(root + "/", "/robots.txt"), _MOST_BYTES)
        rules.parse(answer.data.decode("utf-8", "replace").splitlines())
    except (ConnectionError, TimeoutError):
        raise
    except DocumentTooLarge as error:
        raise OSError("its robots.txt is larger than 512 KiB; set robots = false for this root if you may") from error
    except OSError:
        rules.parse([])
    return rules
