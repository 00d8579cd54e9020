"""What every way in which a knowledge base is written, or not, leaves in its report.

After a wanted change: CONCORD_REWRITE_GOLDEN=1 pytest tests/flows/reporting/test_reports.py, then read the diff.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flows.checking import planned
from flows.history import go_back, let_go
from flows.pipeline import Options, run
from flows.repair import mend
from flows.reporting.others import plan_told
from flows.shipping import receive, send
from ingest.errors import LeaseHeld, OnHold, RootEmptied, RootUnavailable, StorageFailed
from ingest.progress import Silent
from ingest.store.layout import Layout
from ingest.store.lease import lease

GOLDEN = Path(__file__).parent / "golden" / "report.json"
REWRITE = os.environ.get("CONCORD_REWRITE_GOLDEN") == "1"

VERSION = (
    "---\ntitle: 手册\ndocument: manual\nversion: '{0}'\nvalid_from: {1}\n---\n"
    "# 手册 {0}\n\n云脉网关第 {0} 版承载两万个连接。\n"
)
GOOD = "# Paper\n\nThe QUOKKA stands here.\n\n## Limits\n\nAt most 20 of them.\n"


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def whats(report: Any) -> dict[str, str]:
    return {one["uri"]: one["what"] for one in report["documents"]}


def masked(report: Any) -> Any:
    """What is the same on every machine, in every year, and with the next version of a library."""
    seconds = dict.fromkeys(report["seconds"], 0)
    builds = {kind: {**build, "seconds": 0} for kind, build in report["builds"].items()}
    points = [{**point, "at": "CLOCK", "snapshot": "ID"} for point in report["history"]]
    parsers = [{**row, "parser": row["parser"].partition(" ")[0]} for row in report["parsers"]]
    made = {part: sorted(report["made_with"][part]) for part in ("settings", "fingerprints", "engines", "values", "altered")}
    return {
        **report, "at": "CLOCK", "snapshot": "ID", "seconds": seconds, "builds": builds, "history": points, "parsers": parsers,
        "made_with": made,
    }


@pytest.fixture(scope="module")
def edited(make_base: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory, corpus: Path) -> Any:
    """A base of two generations: documents were added, changed, renamed, taken away, broken and withdrawn between them."""
    base = make_base(tmp_path_factory.mktemp("edited"))
    base.seed('entities:\n  - {id: "urn:kb:entity:gate", type: product, names: [{text: 云脉网关, kind: preferred}]}\n')
    base.write("手册.md")
    base.write("v1.md", VERSION.format("1.0", "2025-01-01"))
    base.write("paper.md", GOOD)
    base.write("moved.txt", "Plain text of a document that moves.")
    base.write("gone.md", "# Gone\n\nIt will go.\n")
    base.write("open.md", "---\ntitle: Open\n---\n# Open\n\nThe MAGPIE is for all.\n")
    base.write("empty.md", "")
    base.write("page.html", (corpus / "support" / "faq.html").read_bytes())
    base.run()
    base.write("v2.md", VERSION.format("2.0", "2026-01-01"))
    base.write("手册.md", "# 云脉网关手册\n\n全新的内容。\n")
    base.write("paper.md", "")
    (base.docs / "moved.txt").rename(base.docs / "到 here.txt")
    base.delete("gone.md")
    base.write("open.md", "---\ntitle: Open\nallowed_rolez: [x]\n---\n# Open\n\nThe MAGPIE is for all.\n")
    base.run()
    return base


def test_report_of_a_run_is_the_one_that_was_approved(edited: Any, told: Callable[..., Any]) -> None:
    made = json.dumps(masked(told(of=edited)), ensure_ascii=False, indent=1) + "\n"
    if REWRITE:
        GOLDEN.write_text(made, encoding="utf-8")
    assert made == GOLDEN.read_text(encoding="utf-8")


def test_golden_file_is_never_rewritten_where_it_judges() -> None:
    assert not (REWRITE and os.environ.get("CI")), "CONCORD_REWRITE_GOLDEN must not be set in CI: it would approve anything"


def test_every_document_that_is_not_as_it_was_is_named_with_what_became_of_it(edited: Any, told: Callable[..., Any]) -> None:
    report = told(of=edited)
    assert whats(report) == {
        "docs/v2.md": "added", "docs/v1.md": "rewritten", "docs/手册.md": "changed", "docs/paper.md": "changed",
        "docs/到 here.txt": "renamed", "docs/gone.md": "gone", "docs/open.md": "changed",
    }
    by_uri = {one["uri"]: one for one in report["documents"]}
    assert by_uri["docs/到 here.txt"]["was"] == "docs/moved.txt"
    assert (by_uri["docs/paper.md"]["state"], by_uri["docs/open.md"]["state"]) == ("quarantined", "withdrawn")
    assert by_uri["docs/open.md"]["removed"] > 0 == by_uri["docs/open.md"]["added"]
    assert by_uri["docs/v1.md"]["rewritten"] > 0 == by_uri["docs/v1.md"]["added"], "its window was closed by the second version"


def test_chunks_of_documents_add_up_to_those_of_the_run(edited: Any, told: Callable[..., Any]) -> None:
    for generation in (1, 2):
        report = told(generation, of=edited)
        for name in ("added", "removed", "rewritten"):
            assert sum(one[name] for one in report["documents"]) == report["chunks"][name]
        assert report["history"][-1]["chunks"] == sum(report["chunks"][name] for name in ("added", "kept", "rewritten"))
        assert report["history"][-1]["chunks"] == len(edited.chunks(generation=generation))


def test_failures_say_what_is_served(edited: Any, told: Callable[..., Any]) -> None:
    served = {failure["uri"]: (failure["error"], failure["serving"]) for failure in told(of=edited)["failures"]}
    assert served == {
        "docs/empty.md": ("DocumentEmpty", False), "docs/open.md": ("MetadataInvalid", False),
        "docs/paper.md": ("DocumentEmpty", True),
    }


def test_reports_hold_no_text_of_any_document(edited: Any, told: Callable[..., Any]) -> None:
    for file in (*edited.kb.glob("report.*"), *edited.kb.glob("generations/*/report.*")):
        text = file.read_text(encoding="utf-8")
        assert not [word for word in ("QUOKKA", "MAGPIE", "承载两万", "全新的内容", "hot tier") if word in text], file


def test_report_says_what_the_run_printed(base: Any, told: Callable[..., Any]) -> None:
    base.write("手册.md")
    ran, report = base.run(), told()
    assert Path(ran.report) == base.kb / "report.html"
    for name in ("generation", "snapshot", "sources", "chunks", "embedded", "seconds", "builds"):
        assert report[name] == getattr(ran, name)
    assert (report["kind"], report["outcome"], report["before"], report["format"]) == ("run", "published", 0, 1)


def test_report_of_a_generation_stays_while_that_of_the_last_run_goes_on(base: Any, told: Callable[..., Any]) -> None:
    base.write("手册.md")
    base.run()
    assert told() == told(1)
    first = files_of(base.kb / "generations")
    base.run()
    assert files_of(base.kb / "generations") == first
    again = told()
    assert (again["outcome"], again["generation"], again["documents"], again["builds"]) == ("unchanged", 1, [], {})
    assert (again["history"], again["parsers"], again["made_with"]["settings"]) == (
        told(1)["history"], told(1)["parsers"], told(1)["made_with"]["settings"]
    )


def test_report_of_an_error_says_which_and_what_is_served(base: Any, told: Callable[..., Any]) -> None:
    base.write("手册.md")
    base.run()
    base.delete("手册.md")
    with pytest.raises(RootEmptied) as raised:
        base.run()
    report = told()
    assert (report["outcome"], report["generation"], report["before"]) == ("failed", 1, 1)
    assert report["error"] == {
        "error": "RootEmptied", "message": str(raised.value), "exit_code": 1, "retryable": False, "after": "",
    }
    assert report["history"] == told(1)["history"] and told(1)["outcome"] == "published"


def test_run_that_is_interrupted_while_it_embeds_says_how_far_it_came(
    base: Any, told: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    base.write("手册.md")
    with monkeypatch.context() as patched:
        patched.setattr("flows.commit.embed_missing", interrupted)
        with pytest.raises(KeyboardInterrupt):
            base.run()
    report = told()
    assert (report["outcome"], report["generation"], report["history"]) == ("failed", 0, [])
    assert (report["error"]["error"], report["error"]["after"]) == ("KeyboardInterrupt", "chunk")
    assert list(report["seconds"]) == ["plan", "parse", "chunk"] or "entities" in report["seconds"]
    assert base.run().generation == 1 and told()["outcome"] == "published"


def test_root_that_is_away_is_reported_as_what_may_pass(base: Any, told: Callable[..., Any]) -> None:
    base.write("手册.md")
    base.run()
    base.docs.rename(base.folder / "elsewhere")
    with pytest.raises(RootUnavailable):
        run(base.settings, Options(), Silent())
    assert (told()["error"]["error"], told()["error"]["retryable"]) == ("RootUnavailable", True)


def test_run_that_does_not_get_the_lease_leaves_the_report_alone(base: Any, told: Callable[..., Any]) -> None:
    base.write("手册.md")
    base.run()
    before = files_of(base.kb)
    with lease(Layout(base.kb)), pytest.raises(LeaseHeld):
        base.run()
    assert {name: data for name, data in files_of(base.kb).items() if "report" in name} == {
        name: data for name, data in before.items() if "report" in name
    }


def test_rollback_leaves_a_report_of_what_it_brought_back(base: Any, told: Callable[..., Any]) -> None:
    base.write("手册.md")
    base.write("old.md", "# Old\n\nThe old one.\n")
    base.run()
    base.write("new.md", "# New\n\nThe new one.\n")
    base.delete("old.md")
    base.write("手册.md", "# Manual\n\nAnother.\n")
    base.run()
    go_back(base.settings, 1)
    report = told()
    assert report == told(3)
    assert (report["kind"], report["outcome"], report["generation"], report["before"]) == ("rollback", "published", 3, 2)
    assert whats(report) == {"docs/old.md": "added", "docs/new.md": "gone", "docs/手册.md": "changed"}
    assert report["note"].startswith("with the content of generation 1") and report["snapshot"] == told(1)["snapshot"]
    assert [point["origin"] for point in report["history"]] == ["run", "run", "rollback to 1"]
    assert report["parsers"] == told(1)["parsers"]
    with pytest.raises(OnHold):
        base.run()
    assert (told()["error"]["error"], told()["generation"], told(3)) == ("OnHold", 3, report)
    let_go(base.settings)
    base.run()
    assert whats(told()) == {"docs/old.md": "gone", "docs/new.md": "added", "docs/手册.md": "changed"}


def test_rollback_that_keeps_one_generation_still_names_what_is_gone(base: Any, told: Callable[..., Any]) -> None:
    base.write("手册.md")
    base.run()
    base.write("new.md", "# New\n\nThe new one.\n")
    base.run()
    base.set("generations", keep=1)
    go_back(base.settings, 1)
    assert whats(told()) == {"docs/new.md": "gone"}


def test_repair_leaves_a_report(base: Any, told: Callable[..., Any]) -> None:
    base.write("手册.md")
    base.run()
    for file in base.kb.glob("builds/bm25/*/*.segment"):
        file.write_bytes(b"torn")
    assert mend(base.settings, Silent())
    report = told()
    assert report == told(2)
    assert (report["kind"], report["outcome"], report["documents"], report["snapshot"]) == (
        "repair", "published", [], told(1)["snapshot"]
    )
    assert report["note"] == "of what verifying generation 1 found"
    assert report["builds"]["bm25"]["rows"] == report["history"][-1]["chunks"]


def test_repair_names_what_it_could_not_give_back(base: Any, told: Callable[..., Any]) -> None:
    base.write("手册.md")
    base.write("other.md", "# Other\n\nThe other one.\n")
    base.run()
    base.delete("other.md")
    with sqlite3.connect(base.kb / "catalog.db") as db:
        of_other = "(select source_id from sources where cast(payload as text) like '%other.md%')"
        db.execute(f"update chunks set payload = replace(payload, 'other', 'OTHER') where source_id = {of_other}")
    db.close()
    mend(base.settings, Silent())
    report = told()
    assert report["kind"] == "repair" and any("other.md" in warning for warning in report["warnings"])


def test_import_leaves_a_report_and_an_archive_has_none(
    base: Any, new_base: Callable[..., Any], told: Callable[..., Any], tmp_path: Path
) -> None:
    base.write("手册.md")
    base.run()
    send(base.settings, tmp_path / "base.concord", None, Silent())
    other = new_base("other")
    receive(other.settings, tmp_path / "base.concord", Silent())
    report = told(of=other)
    assert (report["kind"], report["outcome"], report["generation"], report["before"]) == ("import", "published", 1, 0)
    assert report["note"] == "from base.concord" and whats(report) == {"docs/手册.md": "added"}
    assert report["history"][0]["snapshot"] == told(of=base)["snapshot"]


@pytest.mark.parametrize("name", ["plan.html", "plan.json"])
def test_plan_of_a_dry_run_is_written_where_the_user_says_and_nowhere_else(base: Any, name: str) -> None:
    base.write("手册.md")
    base.run()
    base.write("new.md", "# New\n\nNew.\n")
    before = files_of(base.kb)
    plan = planned(base.settings, base.options(), Silent())
    plan_told(base.settings, plan, base.folder / name)
    assert files_of(base.kb) == before
    text = (base.folder / name).read_text(encoding="utf-8")
    assert "docs/new.md" in text
    if name.endswith("json"):
        report = json.loads(text)
        assert (report["kind"], report["outcome"], report["generation"]) == ("plan", "planned", 1)
        assert report["plan"] == [{"uri": "docs/new.md", "what": "added", "reason": ""}]


def test_plan_of_a_first_run_is_one_of_additions(base: Any) -> None:
    base.write("手册.md")
    plan_told(base.settings, planned(base.settings, base.options(), Silent()), base.folder / "plan.json")
    report = json.loads((base.folder / "plan.json").read_bytes())
    assert ([change["what"] for change in report["plan"]], report["generation"], report["history"]) == (["added"], 0, [])
    assert not base.kb.exists()


def test_plan_that_cannot_be_written_is_an_error(base: Any) -> None:
    base.write("手册.md")
    with pytest.raises(StorageFailed, match="--report"):
        plan_told(base.settings, planned(base.settings, base.options(), Silent()), base.folder / "none" / "plan.html")


def test_settings_that_changed_are_named_as_the_reason(base: Any, told: Callable[..., Any]) -> None:
    base.write("手册.md")
    base.run()
    base.set("chunk", child_max=120)
    base.run()
    report = told()
    assert set(report["made_with"]["altered"]) == {"settings.chunk"}
    assert "child_max was" in report["made_with"]["altered"]["settings.chunk"]
    assert [(one["what"], one["reason"]) for one in report["documents"]] == [("changed", "settings or parsers changed")]
    base.run()
    assert told()["made_with"]["altered"] == {}


def test_names_that_the_registry_learns_rewrite_documents_that_were_not_read(base: Any, told: Callable[..., Any]) -> None:
    base.write("手册.md")
    base.write("other.md", "# Other\n\nNothing of the kind.\n")
    base.run()
    base.seed('entities:\n  - {id: "urn:kb:entity:gate", type: product, names: [{text: 云脉网关, kind: preferred}]}\n')
    base.run()
    report = told()
    assert whats(report) == {"docs/手册.md": "rewritten"}
    assert "registry" in report["made_with"]["altered"]
    assert [point["entities"] for point in report["history"]] == [0, 1]


def test_what_ended_is_counted_even_where_only_one_generation_is_kept(base: Any, told: Callable[..., Any]) -> None:
    base.set("generations", keep=1)
    base.write("手册.md")
    base.write("gone.md", "# Gone\n\nIt goes.\n")
    base.run()
    base.delete("gone.md")
    ran = base.run()
    assert ran.chunks["removed"] == 1
    assert whats(told()) == {"docs/gone.md": "gone"}


def test_pages_and_parsers_are_told_of_the_whole_base(base: Any, told: Callable[..., Any], corpus: Path) -> None:
    base.write("paper.pdf", (corpus / "whitepapers" / "yungate-data-plane.en.pdf").read_bytes())
    base.write("slides.pptx", (corpus / "partners" / "partner-programme-2026.pptx").read_bytes())
    base.write("手册.md")
    base.write("empty.md", "")
    base.run()

    def pages() -> dict[str, tuple[int, int, int | None]]:
        return {
            row["media_type"].rpartition(".")[2]: (row["documents"], row["failed"], row["pages"]) for row in told()["parsers"]
        }

    expected = {"application/pdf": (1, 0, 3), "presentation": (1, 0, 6), "text/markdown": (1, 0, None), "unknown": (0, 1, None)}
    assert pages() == expected
    assert {one["uri"]: one["pages"] for one in told()["documents"]}["docs/paper.pdf"] == 3
    base.write("手册.md", "# Manual\n\nAnother.\n")
    base.run()
    assert pages() == expected, "pages of documents that were not read now are remembered"
    (base.kb / "report.json").unlink()
    (base.kb / "generations" / "2" / "report.json").unlink()
    base.run()
    assert pages() == expected, "and can be counted anew"
