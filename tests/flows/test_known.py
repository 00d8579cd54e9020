"""Roots that are URLs go through the whole pipeline like folders: found again, compared, guarded, and away without a loss."""

from __future__ import annotations

import itertools
import threading
from pathlib import Path
from typing import Any

import pytest

from ingest.errors import MassDeletion, RootEmptied, RootUnavailable
from ingest.model.access import Principal

GATE = "# 云脉网关手册\n\n云脉网关是部署在企业边界的接入设备。\n\n## 安装\n\n安装前确认机柜有两路电源。\n"
CEDAR = "# Trees\n\nBeside the road stands a cedar. It is older than the village.\n"
LIMITS = "# Limits\n\nA node accepts 20000 connections and answers ERR_1042 beyond them.\n"
FILES = {
    "手册.md": GATE, "trees/cedar.md": CEDAR, "limits.md": LIMITS, "trees/secret.md": "# Vault\n\nThe passphrase is QUOKKA.\n",
    "trees/secret.md.meta.yaml": "allowed_roles: [sre]\n", ".ingestignore": "*.log\n", "noise.log": "x", "trees/.hidden.md": "no",
}
_names = itertools.count()


class Remote:
    """A base whose root `docs` is a bucket."""

    def __init__(self, base: Any, buckets: Any, files: dict[str, str]) -> None:
        self.base, self.buckets, self.bucket = base, buckets, f"bucket-{next(_names)}"
        buckets.fault = lambda method, path: None
        buckets.make(self.bucket, {f"docs/{path}": text for path, text in files.items()})
        base.set("sources", roots={"docs": {"endpoint_url": buckets.url, "backoff_seconds": 0.001, "tries": 2}})
        buckets.requests.clear()

    def run(self, *below: str, **options: Any) -> Any:
        return self.base.run(*(Path(f"s3://{self.bucket}/docs{path}") for path in below or ("",)), **options)

    def put(self, path: str, text: str) -> None:
        self.buckets.put(self.bucket, f"docs/{path}", text)

    def delete(self, path: str) -> None:
        self.buckets.delete(self.bucket, f"docs/{path}")

    def got(self) -> list[str]:
        return sorted(path.removeprefix(f"/{self.bucket}/docs/") for path in self.buckets.got())


@pytest.fixture
def remote(base: Any, buckets: Any, reader: None) -> Remote:
    return Remote(base, buckets, FILES)


def test_a_bucket_and_a_folder_of_the_same_name_and_files_are_the_same_snapshot(
    remote: Remote, new_base: Any
) -> None:
    here = new_base("here")
    for path, text in FILES.items():
        here.write(path, text)
    assert remote.run().snapshot == here.run().snapshot
    assert remote.base.chunks() == here.chunks()


def test_a_second_run_and_a_check_download_nothing(remote: Remote) -> None:
    assert remote.run().sources["added"] == 4
    assert remote.got() == sorted(path for path in FILES if path not in ("noise.log", "trees/.hidden.md"))
    again = remote.run()
    assert (again.published, again.sources["same"]) == (False, 4)
    assert remote.base.check().status == "fresh"
    assert remote.got() == [".ingestignore", ".ingestignore"]
    assert remote.run(rehash=True).sources["same"] == 4
    assert "limits.md" in remote.got()


def test_edits_deletions_and_renames_are_told_apart(remote: Remote) -> None:
    remote.run()
    remote.got()
    remote.put("limits.md", LIMITS.replace("20000", "40000"))
    remote.delete("trees/cedar.md")
    remote.put("guide.md", GATE)
    remote.delete("手册.md")
    stale = remote.base.check()
    assert stale.status == "stale"
    assert sorted((change.uri, change.what) for change in stale.changes) == [
        ("docs/guide.md", "renamed"), ("docs/limits.md", "changed"), ("docs/trees/cedar.md", "gone"),
    ]
    report = remote.run()
    assert {what: report.sources[what] for what in ("changed", "gone", "renamed")} == {"changed": 1, "gone": 1, "renamed": 1}
    assert report.embedded == 1
    assert remote.base.found("40000") == ["limits.md"] and not remote.base.found("cedar")


def test_a_sidecar_decides_who_may_read(remote: Remote) -> None:
    remote.run()
    assert not remote.base.found("QUOKKA")
    remote.delete("trees/secret.md.meta.yaml")
    remote.run()
    assert remote.base.found("QUOKKA") == ["trees/secret.md"]
    remote.put("trees/secret.meta.yaml", "allowed_roles: [sre]\n")  # misnamed
    assert [failure.error for failure in remote.run().failures] == ["MetadataInvalid"]
    assert not remote.base.found("QUOKKA")


def test_only_what_a_path_names_is_looked_at(remote: Remote) -> None:
    remote.run()
    remote.put("limits.md", LIMITS.replace("20000", "40000"))
    remote.delete("trees/cedar.md")
    report = remote.run("/trees")
    assert (report.sources["gone"], report.sources["changed"]) == (1, 0)
    assert remote.run("/limits.md").sources["changed"] == 1


def test_an_outage_is_told_and_what_was_published_stays_served(remote: Remote) -> None:
    remote.run()
    remote.buckets.fault = lambda method, path: 503
    with pytest.raises(RootUnavailable, match="SlowDown") as away:
        remote.run()
    assert away.value.exit_code == 6
    checked = remote.base.check()
    assert (checked.status, checked.exit_code) == ("unknown", 6)
    assert remote.base.head() == 1 and remote.base.found("cedar") == ["trees/cedar.md"]


def test_a_listing_that_stops_half_way_deletes_nothing(remote: Remote, monkeypatch: pytest.MonkeyPatch) -> None:
    remote.run()
    monkeypatch.setattr("ingest.sources.remote.s3._PAGE", 3)
    assert remote.run().sources["same"] == 4
    remote.buckets.fault = lambda method, path: 500 if "continuation-token" in path else None
    with pytest.raises(RootUnavailable):
        remote.run()
    assert len(remote.base.chunks()) and remote.base.head() == 1


@pytest.mark.parametrize("status", [404, pytest.param(403, marks=pytest.mark.slow)])
def test_an_object_that_is_listed_and_cannot_be_read_stays_served_and_is_reported(remote: Remote, status: int) -> None:
    remote.run()
    remote.put("limits.md", LIMITS.replace("20000", "40000"))
    remote.buckets.fault = lambda method, path: status if path.endswith("/limits.md") else None
    report = remote.run()
    assert [(failure.uri, failure.error, failure.serving) for failure in report.failures] == [
        ("docs/limits.md", "DocumentUnreadable", True)
    ]
    assert remote.base.found("20000") == ["limits.md"]
    remote.buckets.fault = lambda method, path: None
    assert not remote.run().failures and remote.base.found("40000") == ["limits.md"]


def test_a_sidecar_that_cannot_be_read_closes_its_document_unless_it_is_the_one_that_is_known(remote: Remote) -> None:
    remote.run()
    remote.put("trees/secret.md", "# Vault\n\nThe passphrase is WOMBAT.\n")
    remote.buckets.fault = lambda method, path: 503 if method == "GET" and path.endswith(".meta.yaml") else None
    (failure,) = remote.run().failures
    assert (failure.error, failure.serving) == ("DocumentUnreadable", True)
    sre = Principal(roles=("sre",))
    assert remote.base.found("QUOKKA", who=sre) == ["trees/secret.md"] and not remote.base.found("QUOKKA")
    remote.put("trees/secret.md.meta.yaml", "allowed_roles: [admin]\n")
    (failure,) = remote.run().failures
    assert (failure.error, failure.serving) == ("MetadataInvalid", False)
    assert not remote.base.found("QUOKKA", who=sre)


def test_a_bucket_that_looks_empty_or_lost_much_is_not_believed(base: Any, buckets: Any, reader: None) -> None:
    remote = Remote(base, buckets, {f"{number}.md": f"# Node {number}\n\nRuns on port {number}.\n" for number in range(14)})
    remote.run()
    for number in range(12):
        remote.delete(f"{number}.md")
    with pytest.raises(MassDeletion):
        remote.run()
    for number in range(12, 14):
        remote.delete(f"{number}.md")
    with pytest.raises(RootEmptied):
        remote.run()
    assert base.head() == 1 and base.found("port")


def test_a_url_where_nothing_is_makes_no_root(base: Any, buckets: Any, reader: None) -> None:
    remote = Remote(base, buckets, {})
    with pytest.raises(RootUnavailable, match="check the URL"):
        remote.run()
    with base.catalog() as catalog:
        assert not catalog.roots()


def test_a_cut_in_the_middle_of_a_run_is_made_up_for_and_what_was_done_is_not_done_again(
    base: Any, buckets: Any, reader: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from flows import work

    parsed: list[str] = []
    parse = work._parse
    monkeypatch.setattr(work, "_parse", lambda settings, job, name: parsed.append(job.path) or parse(settings, job, name))
    remote = Remote(base, buckets, {"00.md": "# Node 0\n\nRuns on port 0.\n"})
    remote.run()
    for number in range(1, 60):
        remote.put(f"{number:02}.md", f"# Node {number}\n\nRuns on port {number} beside the cedar.\n")
    sent = itertools.count()
    buckets.fault = lambda method, path: 503 if method == "GET" and path.endswith(".md") and next(sent) >= 25 else None
    with pytest.raises(RootUnavailable, match="stopped answering"):
        remote.run()
    assert base.head() == 1 and base.found("port") == ["00.md"]
    done = len(parsed)
    assert 16 < done < 30
    buckets.fault = lambda method, path: None
    report = remote.run()
    assert (report.sources["added"], report.failures) == (59, ())
    assert len(parsed) - done <= 59 - 16  # documents are kept by sixteens


def test_a_server_that_stops_in_the_middle_of_a_run_is_found_again_and_the_outcome_is_the_same(
    base: Any, servers: Any, reader: None, new_base: Any
) -> None:
    first = servers.Buckets()
    texts = {f"{number:02}.md": f"# Node {number}\n\nRuns on port {number} beside the cedar.\n" for number in range(40)}
    remote, sent = Remote(base, first, texts), itertools.count()
    stopping = threading.Thread(target=first.stop)

    def stop(method: str, path: str) -> None:
        if path.endswith(".md") and next(sent) == 12:
            stopping.start()
            stopping.join(10)

    first.fault = stop
    with pytest.raises(RootUnavailable) as away:
        remote.run()
    assert away.value.exit_code == 6 and base.head() == 0
    second = first.again()
    here = new_base("here")
    for path, text in texts.items():
        here.write(path, text)
    assert remote.run().snapshot == here.run().snapshot
    second.stop()


def test_no_credential_is_stored_or_shown(remote: Remote, capfd: pytest.CaptureFixture[str]) -> None:
    remote.run()
    remote.buckets.fault = lambda method, path: 403
    with pytest.raises(RootUnavailable) as refused:
        remote.run()
    out, err = capfd.readouterr()
    assert "AKIDSECRET" not in str(refused.value)
    for file in remote.base.kb.rglob("*"):
        assert not file.is_file() or b"SECRETOFREADER" not in file.read_bytes()
    assert "SECRETOFREADER" not in out + err + str(refused.value)
