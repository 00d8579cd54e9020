"""Code is told from prose in a typewriter font."""

from __future__ import annotations

import pytest

from ingest.parse.codelike import looks_like_code


@pytest.mark.parametrize(
    "text",
    [
        "for name in names:",
        "x = 1",
        "SELECT id FROM users",
        "ingest run --json",
        '{"a": 1}',
        "curl https://example.org",
        "echo $HOME",
        "/etc/hosts.d/",
    ],
)
def test_code_is_code(text: str) -> None:
    assert looks_like_code(text)


@pytest.mark.parametrize(
    "text", ["This memo is set in a typewriter face for a vintage look.", "深圳市南山区科技园", "Listing 3.2", "well-known names"]
)
def test_prose_is_not(text: str) -> None:
    assert not looks_like_code(text)
