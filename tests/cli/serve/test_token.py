"""`ingest serve token`: printed once, kept as a hash, revoked by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from indexes.serve.tokens import Tokens
from ingest.model.access import Principal

Ingest = Callable[..., Any]


def entries(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / ".serve" / "tokens.json").read_text())["tokens"]
    return found


def test_token_is_printed_once_and_lets_in_whom_the_options_describe(ingest: Ingest, tmp_path: Path) -> None:
    who = ("--user", "王芳", "--role", "sales", "--role", "ops", "--tenant", "acme", "--level", "internal")
    done = ingest("serve", "token", "ci", *who)
    assert done.code == 0
    secret = done.out.strip()
    caller = Tokens(tmp_path / ".serve" / "tokens.json").caller(secret)
    assert (caller.name, caller.kb_ids, caller.write) == ("ci", ("default",), False)
    assert caller.principal == Principal("王芳", ("ops", "sales"), "acme", 1)
    assert secret not in done.err and secret not in (tmp_path / ".serve" / "tokens.json").read_text()
    assert secret not in ingest("serve", "token").out + ingest("serve", "token", "--json").out


def test_token_expires_in_90_days_unless_said_otherwise(ingest: Ingest, tmp_path: Path) -> None:
    ingest("serve", "token", "a")
    ingest("serve", "token", "b", "--days", "0")
    a, b = entries(tmp_path)
    assert a["expires"] > a["created"] and b["expires"] is None


def test_list_tells_everything_but_hashes(ingest: Ingest, tmp_path: Path) -> None:
    ingest("serve", "token", "ci", "--user", "alice", "--write")
    listed = ingest("serve", "token", "--json").json
    assert [(each["name"], each["principal"]["user"], each["write"]) for each in listed] == [("ci", "alice", True)]
    assert entries(tmp_path)[0]["sha256"] not in ingest("serve", "token").out + json.dumps(listed)


def test_revoked_token_is_gone(ingest: Ingest, tmp_path: Path) -> None:
    ingest("serve", "token", "ci")
    assert ingest("serve", "token", "ci", "--revoke", "--json").json == {"revoked": "ci"}
    assert entries(tmp_path) == []
    assert ingest("serve", "token", "ci", "--revoke").code == 1


def test_several_bases_have_to_be_named(ingest: Ingest, tmp_path: Path) -> None:
    (tmp_path / "ingest.toml").write_text('[serve.bases.hand]\nkb = "h"\n[serve.bases.law]\nkb = "l"\n')
    assert ingest("serve", "token", "ci").code == 2
    assert ingest("serve", "token", "ci", "--kb-id", "hand", "--kb-id", "other").code == 2
    done = ingest("serve", "token", "ci", "--kb-id", "law", "--json")
    assert done.json["kb_ids"] == ["law"] and done.json["token"].startswith("concord_") and "sha256" not in done.json
    assert len(entries(tmp_path)) == 1


@pytest.mark.parametrize(
    "arguments", [("a b",), ("",), ("x" * 65,), ("令牌",), ("--revoke",), ("ci", "--level", "secretest"), ("ci", "--days", "-1")]
)
def test_what_cannot_be_is_refused_and_leaves_no_token(ingest: Ingest, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = ingest("serve", "token", *arguments)
    assert (done.code, done.out) == (2, "")
    assert not (tmp_path / ".serve" / "tokens.json").exists()


def test_taken_name_and_open_file_are_refused(ingest: Ingest, tmp_path: Path) -> None:
    ingest("serve", "token", "ci")
    assert ingest("serve", "token", "ci").code == 2
    (tmp_path / ".serve" / "tokens.json").chmod(0o644)
    done = ingest("serve", "token", "other")
    assert done.code == 2 and "chmod 600" in done.err and done.out == ""


def test_list_without_a_file_says_how_to_begin(ingest: Ingest) -> None:
    done = ingest("serve", "token")
    assert done.code == 1 and "ingest serve token NAME" in done.err


def test_a_token_for_metrics_is_given_no_base(ingest: Callable[..., Any]) -> None:
    told = ingest("serve", "token", "prometheus", "--metrics", "--json").json
    assert (told["kb_ids"], told["metrics"]) == ([], True)
    (listed,) = ingest("serve", "token", "--json").json
    assert listed["metrics"] is True
    assert "metrics" in ingest("serve", "token").out
