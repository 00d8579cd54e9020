"""Connectors that other distributions bring: the example of docs/connectors.md, installed and used."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ingest.errors import ExtraMissing, SettingsInvalid, UsageError
from ingest.model.source import Root
from ingest.settings import RootPart, Settings
from ingest.sources.remote.connectors import connect, schemes

PAGE = Path(__file__).parents[4] / "docs/connectors.md"


def block(language: str, first: str) -> str:
    (found,) = (text for text in re.findall(rf"```{language}\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL) if first in text)
    return str(found)


def install(folder: Path, module: str, text: str, points: dict[str, str]) -> None:
    """Put a distribution of one module into a folder, as an installer leaves it."""
    (folder / f"{module}.py").write_text(text, "utf-8")
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    lines = "".join(f"{name} = {value}\n" for name, value in points.items())
    (info / "entry_points.txt").write_text(f"[concord.sources]\n{lines}")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    yield folder
    for name in [name for name, module in sys.modules.items() if str(folder) in str(getattr(module, "__file__", ""))]:
        del sys.modules[name]


@pytest.fixture
def articles(installed: Path) -> Path:
    """The example, installed, and a database for it."""
    project = tomllib.loads(block("toml", "[project]"))["project"]
    install(installed, "concord_articles", block("python", "class Articles"), project["entry-points"]["concord.sources"])
    file = installed.parent / "articles.db"
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("create table articles (slug text primary key, revision integer, body text)")
        database.executemany("insert into articles values (?, ?, ?)", [
            ("guides/gate", 1, "# 云脉网关手册\n\n云脉网关是部署在企业边界的接入设备。\n"),
            ("limits", 7, "# Limits\n\nA node accepts 20000 connections.\n"),
        ])
    return file


def change(file: Path, statement: str) -> None:
    with closing(sqlite3.connect(file)) as database, database:
        database.execute(statement)


def test_the_example_of_the_page_is_a_root_like_any_other(articles: Path, base: Any) -> None:
    base.set("sources", roots={"handbook": {"options": {"file": str(articles)}}})
    url = Path("articles://handbook")
    assert base.run(url).sources["added"] == 2
    assert base.found("云脉网关") == ["guides/gate.md"] and base.check().status == "fresh"
    assert not base.run(url).published
    change(articles, "update articles set body = replace(body, '20000', '40000'), revision = 8 where slug = 'limits'")
    assert base.check().status == "stale"
    assert base.run(url).sources["changed"] == 1
    change(articles, "update articles set slug = 'guides/gateway' where slug = 'guides/gate'")
    assert base.run(url).sources["renamed"] == 1
    articles.rename(articles.with_suffix(".away"))
    assert base.check().exit_code == 6 and base.found("40000") == ["limits.md"]


def test_the_settings_of_the_page_are_settings() -> None:
    told = Settings.model_validate(tomllib.loads(block("toml", "[sources.roots")))
    assert told.sources.roots["handbook"].options == {"file": "/srv/wiki/articles.db"}


def test_the_command_finds_an_installed_connector(articles: Path, tmp_path: Path) -> None:
    config = tmp_path / "ingest.toml"
    config.write_text(f'[embed]\nengine = "hash"\n[sources.roots.handbook.options]\nfile = "{articles}"\n')
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([str(articles.parent / "site"), *sys.path])}
    arguments = ["run", "articles://handbook", "--kb", str(tmp_path / "kb"), "--config", str(config)]
    command = [sys.executable, "-c", "from ingest.cli.main import main; main()", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environ, check=False)
    assert done.returncode == 0, done.stderr
    assert "2 added" in done.stdout


def test_the_command_says_that_a_place_is_away(tmp_path: Path) -> None:
    arguments = ["run", "memory://nowhere", "--kb", str(tmp_path / "kb")]
    command = [sys.executable, "-c", "from ingest.cli.main import main; main()", *arguments]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "INGEST_EMBED__ENGINE": "hash"}
    done = subprocess.run(command, capture_output=True, text=True, env=environ, check=False, cwd=tmp_path)
    assert done.returncode == 6
    assert "RootUnavailable: the root 'nowhere' (memory://nowhere) cannot be listed" in done.stderr


@pytest.mark.parametrize(("url", "module", "extra"), [
    ("s3://bucket/docs", "s3fs", "remote"), ("https://x.org/docs", "aiohttp", "remote"),
    ("gs://bucket/docs", "gcsfs.core", "gcs"), ("az://box/docs", "adlfs", "azure"),
    ("abfs://box@account.dfs.core.windows.net/docs", "adlfs", "azure"),
    ("sftp://host/docs", "paramiko", "sftp"), ("memory://docs", "fsspec.implementations.memory", "remote"),
])
def test_what_is_not_installed_is_named(url: str, module: str, extra: str, monkeypatch: pytest.MonkeyPatch, base: Any) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ExtraMissing, match=rf"concord-kb\[{extra}\]"):
        base.run(Path(url))


@pytest.mark.parametrize("url", ["gs://bucket/docs", "az://box/docs", "abfs://box@account.dfs.core.windows.net/docs"])
def test_google_and_azure_are_connected_to_without_asking_anything_yet(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", "account")
    part = RootPart(anonymous=True, endpoint_url="http://127.0.0.1:9")
    assert type(connect(url, part)).__module__ == "ingest.sources.remote.store"


def test_a_scheme_that_nobody_knows_is_told_with_those_that_are() -> None:
    with pytest.raises(UsageError, match="nothing here knows gopher://; there are abfs, "):
        connect("gopher://hole/docs", RootPart())


def test_a_scheme_of_the_product_cannot_be_taken_over(installed: Path) -> None:
    install(installed, "taker", "def connect(url, part): raise AssertionError('taken over')", {"memory": "taker:connect"})
    assert type(connect("memory://docs", RootPart())).__module__ == "ingest.sources.remote.store"


def test_a_scheme_that_two_distributions_offer_is_an_error(installed: Path) -> None:
    for name in ("one", "other"):
        install(installed, name, "", {"wiki": f"{name}:connect"})
    assert schemes().count("wiki") == 1
    with pytest.raises(UsageError, match="several distributions"):
        connect("wiki://docs", RootPart())


def test_a_connector_that_cannot_be_loaded_is_named(installed: Path) -> None:
    install(installed, "broken", "import nothing_of_this_name", {"wiki": "broken:connect"})
    with pytest.raises(UsageError, match=r"wiki:// \(broken:connect\) cannot be loaded: No module"):
        connect("wiki://docs", RootPart())


@pytest.mark.parametrize("name", ["secret", "api_key", "password", "AccessToken", "key"])
def test_options_hold_no_credentials(name: str) -> None:
    with pytest.raises(ValueError, match="looks like a credential"):
        RootPart(options={name: "x"})


def test_an_option_that_lacks_is_told(articles: Path, base: Any) -> None:
    with pytest.raises(SettingsInvalid, match="needs the option `file`"):
        base.run(Path("articles://handbook"))
    assert Root("handbook", "articles://handbook").name not in base.catalog().roots()
