import json

import pytest

from indexes.header import read_header, write_header
from ingest.errors import BuildCorrupt


@pytest.fixture
def build(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "数据.bin").write_bytes(b"12345")
    write_header(tmp_path, "graph", 1, {"relations": ["负责"]})
    return tmp_path


def test_fields_come_back_and_files_are_listed_with_their_sizes(build):
    header = read_header(build, "graph", 1)
    assert header["relations"] == ["负责"]
    assert header["files"] == {"deep/数据.bin": 5}


def test_files_that_were_added_later_do_not_matter(build):
    (build / "stamp.json").write_text("{}")
    assert read_header(build, "graph", 1)["kind"] == "graph"


@pytest.mark.parametrize(("kind", "format"), [("graph", 2), ("vector", 1)])
def test_another_kind_or_format_is_refused(build, kind, format):
    (build / "vector.json").write_bytes((build / "graph.json").read_bytes())
    with pytest.raises(BuildCorrupt, match=f"{kind}.json"):
        read_header(build, kind, format)


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b"\xff", json.dumps({"kind": "graph", "format": 1, "files": 3}).encode()])
def test_a_damaged_header_is_named(build, data):
    (build / "graph.json").write_bytes(data)
    with pytest.raises(BuildCorrupt, match=r"graph\.json"):
        read_header(build, "graph", 1)
