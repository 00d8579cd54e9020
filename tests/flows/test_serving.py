"""What configuration says of a server: which bases, which of their settings, one model for all that share it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flows.serving import Embedders, OneAtATime, audit_of, bases_of, kb_ids_of, tokens_of
from indexes.serve.audit import NoAudit
from indexes.serve.audit_log import AuditLog
from indexes.serve.callers import Caller
from ingest.errors import AuditFailed, SettingsInvalid
from ingest.model.access import Principal
from ingest.settings import Settings, load


def test_settings_that_name_no_base_serve_their_own(base: Any) -> None:
    base.write("a.md")
    base.run()
    bases = bases_of(base.settings)
    assert bases.kb_ids == kb_ids_of(base.settings) == ("default",)
    caller = Caller("me", Principal(), ("default",))
    assert bases.each(caller, None, lambda opened: opened.generation) == ([("default", 1)], [])
    bases.close()


def test_paths_are_relative_to_the_file_that_says_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ingest.toml").write_text(
        '[search]\ntop_k = 3\n[serve.bases.own]\nconfig = "own/ingest.toml"\ntitle = "手册"\n'
        '[serve.bases.plain]\nkb = "elsewhere"\n[serve.bases.both]\nconfig = "own/ingest.toml"\nkb = "copy"\n'
    )
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "ingest.toml").write_text('kb = "inside"\n[search]\ntop_k = 7\n')
    monkeypatch.setenv("INGEST_KB", "/one/for/all")
    bases = bases_of(load(tmp_path / "ingest.toml"))
    served = {name: slot.served for name, slot in bases._slots.items()}
    assert {name: (Path(each.settings.kb), each.settings.search.top_k) for name, each in served.items()} == {
        "own": (tmp_path / "own" / "inside", 7), "plain": (tmp_path / "elsewhere", 3), "both": (tmp_path / "copy", 7)
    }
    assert bases.title("own") == "手册" and bases.title("plain") == "plain"
    bases.close()


def test_settings_of_a_base_that_cannot_be_read_are_told_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "ingest.toml").write_text('[serve.bases.own]\nconfig = "missing.toml"\n')
    with pytest.raises(SettingsInvalid, match=r"missing\.toml"):
        bases_of(load(tmp_path / "ingest.toml"))


@pytest.mark.parametrize("name", ["A", "a b", "", "-a", "../a", "a" * 65, "名"])
def test_ids_of_bases_are_plain(name: str) -> None:
    with pytest.raises(ValueError, match="no id of a knowledge base"):
        Settings.model_validate({"serve": {"bases": {name: {}}}})


def test_bases_of_one_model_share_it_and_it_is_loaded_once(
    new_base: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from flows import serving

    loaded = []
    query_embedder = serving.query_embedder
    monkeypatch.setattr(serving, "query_embedder", lambda *given: loaded.append(given) or query_embedder(*given))
    made = [new_base("one"), new_base("two"), new_base("three", embed={"engine": "hash", "dimensions": 64})]
    for each in made:
        each.write("a.md")
        each.run()
    settings = made[0].settings.model_copy(update={"base": "/"})
    (made[0].folder / "three.toml").write_text('[embed]\nengine = "hash"\ndimensions = 64\n')
    settings = Settings.model_validate({
        **settings.model_dump(), "serve": {"bases": {
            "one": {"kb": str(made[0].kb)}, "two": {"kb": str(made[1].kb)},
            "three": {"kb": str(made[2].kb), "config": str(made[0].folder / "three.toml")},
        }},
    })
    bases = bases_of(settings)
    caller = Caller("me", Principal(), bases.kb_ids)
    assert loaded == []
    for _ in range(3):
        results, failed = bases.each(caller, None, lambda opened: opened.embedder)
        assert failed == []
    one, two, three = (embedder for _, embedder in results)
    assert one is two and one is not three and isinstance(one, OneAtATime)
    assert len(loaded) == 2
    assert one.queries(["网关"]).shape == (1, 256) and three.queries(["网关"]).shape == (1, 64)
    bases.close()


def test_endpoints_are_not_shared_by_bases_that_name_others(monkeypatch: pytest.MonkeyPatch) -> None:
    from types import SimpleNamespace

    monkeypatch.setattr("flows.serving.query_embedder", lambda settings, snapshot: object())
    manifest = SimpleNamespace(fingerprints={"embed": "endpoint-x-3"}, engines={"embed": "endpoint"})
    snapshot: Any = SimpleNamespace(manifest=manifest)
    embedders = Embedders()
    here, there = (Settings.model_validate({"embed": {"endpoint_url": url}}) for url in ("http://a", "http://b"))
    assert embedders.of(here, snapshot) is embedders.of(here, snapshot)
    assert embedders.of(here, snapshot) is not embedders.of(there, snapshot)


def test_log_is_as_the_settings_want_it(tmp_path: Path) -> None:
    told: list[str] = []
    base = {"base": str(tmp_path)}
    assert isinstance(audit_of(Settings.model_validate({**base, "serve": {"audit": "off"}}), told.append), NoAudit)
    (tmp_path / ".serve").write_text("in the way")
    with pytest.raises(AuditFailed):
        audit_of(Settings.model_validate(base), told.append)
    log = audit_of(Settings.model_validate({**base, "serve": {"audit": "best effort"}}), told.append)
    assert isinstance(log, AuditLog) and len(told) == 2
    log.close()
    assert tokens_of(Settings.model_validate(base)) == tmp_path / ".serve" / "tokens.json"
