"""What a deployment is told of the places that it reads."""

from pathlib import Path

import pytest

from ingest.cli.deploy import _parameters
from ingest.settings import Settings


def test_folders_are_told_as_found_from_here_and_urls_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    told = _parameters("ingest", Settings(), [Path("docs"), Path("s3://bucket/docs/")], None, None)
    assert told["paths"] == [str(tmp_path.resolve() / "docs"), "s3://bucket/docs"]
