"""A token lets in whom its entry names, for as long as it is there; everything that is wrong with the file closes it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from indexes.serve.callers import Caller
from indexes.serve.tokens import Token, Tokens, add, expiry, hashed, minted, read, redacted, remove
from ingest.errors import NotFound, SettingsInvalid, Unauthenticated, UsageError
from ingest.model.access import Principal

ALICE = Principal("王芳", ("sales",), "acme", 2)
NOW = "2026-01-01T00:00:00Z"


def entry(name: str = "ci", secret: str = "", **fields: Any) -> Token:
    values = {"principal": ALICE, "kb_ids": ("hand", "law"), "write": False, "created": NOW, "expires": None, **fields}
    return Token(name=name, sha256=hashed(secret or minted()), **values)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "serve" / "tokens.json"


@pytest.fixture
def tokens(file: Path) -> Tokens:
    return Tokens(file, instant=lambda: NOW)


@pytest.fixture
def refused(tokens: Tokens) -> Callable[[str | None], str]:
    """Return what is said to whoever presents this."""

    def said(presented: str | None) -> str:
        with pytest.raises(Unauthenticated) as raised:
            tokens.caller(presented)
        return str(raised.value)

    return said


def test_token_stands_for_its_caller(file: Path, tokens: Tokens) -> None:
    secret = minted()
    add(file, entry("other"))
    add(file, entry("ci", secret, write=True))
    assert tokens.caller(secret) == Caller("ci", ALICE, ("hand", "law"), True)


def test_file_holds_no_token_and_only_its_owner_reads_it(file: Path) -> None:
    secret = minted()
    add(file, entry("ci", secret))
    assert secret not in file.read_text() and secret.removeprefix("concord_") not in file.read_text()
    assert {path.name: path.stat().st_mode & 0o777 for path in file.parent.iterdir()} == {
        "tokens.json": 0o600, "tokens.json.lock": 0o600
    }
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_minted_tokens_are_all_different_and_long() -> None:
    made = {minted() for _ in range(100)}
    assert len(made) == 100
    assert {len(token) for token in made} == {51}


def test_everything_wrong_is_refused_in_the_same_words(file: Path, refused: Callable[[str | None], str]) -> None:
    expired = minted()
    add(file, entry("ci"))
    add(file, entry("late", expired, expires="2025-12-31T23:59:59Z"))
    presented = [
        None, "", "concord_", minted(), expired, "Bearer x", "ci", hashed(expired), "concord_" + "é" * 43, "x" * 10**6, "\x00"
    ]
    assert len({refused(token) for token in presented}) == 1


def test_token_expires_at_its_instant(file: Path, tokens: Tokens, refused: Callable[[str | None], str]) -> None:
    secret, gone = minted(), minted()
    add(file, entry("ci", secret, expires="2026-01-01T00:00:01Z"))
    add(file, entry("gone", gone, expires=NOW))
    assert tokens.caller(secret).name == "ci"
    refused(gone)


def test_removed_and_added_entries_are_noticed_with_the_next_request(
    file: Path, tokens: Tokens, refused: Callable[[str | None], str]
) -> None:
    one, two = minted(), minted()
    refused(one)
    add(file, entry("one", one))
    assert tokens.caller(one).name == "one"
    add(file, entry("two", two))
    assert tokens.caller(two).name == "two"
    remove(file, "one")
    refused(one)
    assert tokens.caller(two).name == "two"
    file.unlink()
    refused(two)


def test_edit_in_place_of_the_same_length_is_noticed(file: Path, tokens: Tokens) -> None:
    """Within one tick of the file system's clock nothing about a file need change but its content."""
    secret = minted()
    add(file, entry("ci", secret))
    status = file.stat()
    assert not tokens.caller(secret).write
    changed = file.read_text().replace('"write": false', '"write":  true')
    file.write_text(changed)
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert tokens.caller(secret).write


def test_settled_file_is_not_read_again(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = minted()
    add(file, entry("ci", secret))
    tokens = Tokens(file, clock=lambda: file.stat().st_mtime + 10)
    tokens.caller(secret)
    monkeypatch.setattr("indexes.serve.tokens.read", None)
    assert tokens.caller(secret).name == "ci"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o602])
def test_file_that_others_may_read_or_write_lets_nobody_in(file: Path, tokens: Tokens, mode: int) -> None:
    secret = minted()
    add(file, entry("ci", secret))
    file.chmod(mode)
    with pytest.raises(SettingsInvalid, match="chmod 600"):
        tokens.caller(secret)
    with pytest.raises(SettingsInvalid, match="chmod 600"):
        add(file, entry("another"))
    file.chmod(0o600)
    assert tokens.caller(secret).name == "ci"


@pytest.mark.parametrize(
    "wrong",
    [
        "", "[]", "{", '{"format": 2, "tokens": []}', '{"tokens": []}', '{"format": 1, "tokens": [{}]}', b"\xff",
        {"expires": "tomorrow"}, {"expires": "2026-01-01"}, {"kb_ids": "hand"}, {"write": "no"}, {"write": 0},
        {"sha256": "A" * 64},
        {"name": "a b"}, {"name": "a\nb"}, {"also": 1}, {"principal": {"user": "x"}}, {"principal": {
            "user": "x", "roles": [], "tenant": None, "level": "3"}}, {"principal": {
                "user": "x", "roles": [], "tenant": None, "level": -1}},
    ],
    ids=repr,
)
def test_file_that_is_not_as_described_lets_nobody_in(file: Path, tokens: Tokens, wrong: str | bytes | dict[str, Any]) -> None:
    secret = minted()
    add(file, entry("ci", secret))
    if isinstance(wrong, dict):
        content = json.loads(file.read_text())
        content["tokens"][0].update(wrong)
        file.write_text(json.dumps(content))
    else:
        file.write_bytes(wrong if isinstance(wrong, bytes) else wrong.encode())
    with pytest.raises(SettingsInvalid, match=r"docs/formats\.md"):
        tokens.caller(secret)


def test_two_entries_of_one_hash_or_name_let_nobody_in(file: Path) -> None:
    secret = minted()
    add(file, entry("one", secret))
    add(file, entry("two", secret.swapcase().replace("CONCORD_", "concord_")))
    content = json.loads(file.read_text())
    content["tokens"][1]["sha256"] = content["tokens"][0]["sha256"]
    file.write_text(json.dumps(content))
    with pytest.raises(SettingsInvalid, match="two entries have one sha256"):
        read(file)


def test_names_are_taken_once_and_removed_once(file: Path) -> None:
    add(file, entry("ci"))
    with pytest.raises(UsageError, match="--revoke"):
        add(file, entry("ci"))
    remove(file, "ci")
    with pytest.raises(NotFound):
        remove(file, "ci")
    assert read(file) == ()


def test_entries_come_back_as_they_were_written(file: Path) -> None:
    written = [entry("一"[:0] + "a", expires="2030-01-01T00:00:00Z"), entry("b@c.d", principal=Principal(), write=True)]
    for each in written:
        add(file, each)
    assert list(read(file)) == written


def test_message_about_a_file_quotes_nothing_of_it(file: Path) -> None:
    add(file, entry("ci"))
    content = json.loads(file.read_text())
    content["tokens"][0]["sha256"] = secret = minted()
    file.write_text(json.dumps(content))
    with pytest.raises(SettingsInvalid) as raised:
        read(file)
    assert secret not in str(raised.value)


def test_text_is_rid_of_tokens() -> None:
    secret = minted()
    assert redacted(f"my token is {secret}, 令牌") == "my token is concord_***, 令牌"
    assert redacted("concord_kb") == "concord_kb"


def test_expiry_counts_days() -> None:
    assert expiry(NOW, 0) is None
    assert expiry(NOW, 31) == "2026-02-01T00:00:00Z"
