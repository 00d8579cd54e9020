"""Which addresses a web page may be at, and how often a host is asked."""

from __future__ import annotations

from typing import Any

import pytest

from ingest.settings import RootPart
from ingest.sources.remote.http.client import Client, is_open
from ingest.sources.remote.patience import Patience


@pytest.mark.parametrize("address", [
    "127.0.0.1", "10.0.0.1", "172.16.3.4", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
    "255.255.255.255", "::1", "::", "fe80::1%eth0", "fc00::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1",
    "2002:7f00:1::", "ff02::1",
])
def test_private_addresses_are_not_open_in_any_notation(address: str) -> None:
    assert not is_open(address)


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "64:ff9b::5db8:d70e"])
def test_addresses_of_the_open_network_are(address: str) -> None:
    assert is_open(address)


@pytest.mark.parametrize(("url", "allowed"), [
    ("https://x.org/a", True), ("https://cdn.x.org/a", True), ("https://evil.org/a", False), ("http://x.org/a", False),
    ("https://user@x.org/a", False), ("ftp://x.org/a", False), ("file:///etc/passwd", False), ("https://x.org:8443/a", False),
])
def test_only_the_host_of_the_root_and_those_of_its_settings_are_asked(url: str, allowed: bool) -> None:
    part = RootPart(hosts=("cdn.x.org",))
    assert Client("https://x.org/docs", part, Patience(part)).is_allowed(url) is allowed


def test_a_host_is_asked_no_faster_than_settings_say(site: Any) -> None:
    site.put("/a", "a")
    part = RootPart(private=True, per_second=200)
    client = Client(site.url, part, Patience(part))
    client.get(f"{site.url}/a", 10)
    (first,) = client._turns.values()
    for _ in range(6):
        client.get(f"{site.url}/a", 10)
    (last,) = client._turns.values()
    assert last - first >= 6 / 200 - 1e-9  # the turns that were given out, not the time that passed
    client.close()
