"""The registry as its user meets it: imported, exported, validated, merged, split, and the same bytes again."""

from __future__ import annotations

import csv
import json
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingest.cli.entities.review import ask, side_by_side

GATE, EDGE, MAKER = "urn:kb:entity:gate", "urn:kb:entity:edge", "urn:kb:entity:maker"
PARTNERS = f"""编号,类型,名称,法定名称,别名,统一社会信用代码,语言
{MAKER},organization,云脉,云脉科技（深圳）有限公司,Yunmai,91440300MAYM7K2A69,zh
{GATE},product,云脉网关,,YunGate,,zh
{EDGE},product,云脉边缘网关,,YunGate Edge,,zh
"""
SAID = f"""subject,relation,object,value,valid_from,evidence
{GATE},开发商,{MAKER},,,手册.md
{GATE},版本号,,1.8,2024-01-01,手册.md
{GATE},版本号,,2.0,2025-07-01,手册.md
"""
MANUAL = "# 手册\n\n云脉网关 2.0 由云脉科技（深圳）有限公司研发，又叫 YunGate。\n"
EDGES = "# Edge\n\nYunGate Edge complies with nothing. 云脉边缘网关由 Yunmai 研发。\n"
SECRET = "---\nallowed_roles: [sre]\n---\n# Secret\n\nOnly here is it called 云脉科技（深圳）有限公司 as the maker of QUOKKA.\n"


@pytest.fixture
def kb(tmp_path: Path, ingest: Callable[..., Any]) -> Callable[..., Any]:
    """A folder of documents and a registry imported from tables, published."""
    for name, text in {"docs/手册.md": MANUAL, "docs/edge.md": EDGES, "partners.csv": PARTNERS, "said.csv": SAID}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    taken = ingest("entities", "import", "partners.csv", "said.csv", "--json", "--actor", "lin")
    assert (taken.code, taken.json["entities"]["new"], taken.json["assertions"], taken.json["written"]) == (0, 3, 3, True), taken
    assert ingest("run", "docs").code == 0
    return ingest


def graph(ended: Any) -> dict[str, Any]:
    return {node["@id"]: node for node in ended.json["@graph"]}


def test_import_run_export_and_validate(tmp_path: Path, kb: Callable[..., Any]) -> None:
    nodes = graph(kb("entities", "export"))
    assert nodes[GATE]["developer"] == {"@id": MAKER, "@type": "Organization", "name": "云脉"}
    assert nodes[GATE]["softwareVersion"] == "2.0"
    for format, name in (("jsonld", "all.jsonld"), ("turtle", "all.ttl"), ("nquads", "all.nq")):
        assert kb("registry", "export", "--format", format, "--out", name).code == 0
        valid = kb("entities", "validate", name, "--json")
        assert (valid.code, valid.json["valid"]) == (0, True)
    one = kb("entities", "export", GATE).json
    assert one["@id"] == GATE and "@context" in one


def test_what_was_exported_is_already_there(tmp_path: Path, kb: Callable[..., Any]) -> None:
    kb("entities", "export", "--whole", "--out", "all.jsonld")
    again = kb("entities", "import", "all.jsonld", "--json")
    assert (again.json["written"], again.json["entities"]["same"], again.json["problems"]) == (False, 3, [])
    (tmp_path / "imported.json").unlink()
    before = kb("entities", "export", "--whole").out
    assert kb("entities", "import", "all.jsonld").code == 0
    assert kb("run", "docs").code == 0
    assert kb("entities", "export", "--whole").out == before


def test_as_of_exports_what_held_then(kb: Callable[..., Any]) -> None:
    assert graph(kb("entities", "export", "--as-of", "2024-06-01"))[GATE]["softwareVersion"] == "1.8"
    then = graph(kb("entities", "export", "--as-of", "2020-01-01"))[GATE]
    assert "softwareVersion" not in then
    assert [each["predicate"] for each in then["statement"]] == ["developer"]
    assert kb("entities", "export", "--as-of", "soon").code == 2


def test_merge_shows_in_the_next_generation_and_split_restores_every_byte(kb: Callable[..., Any]) -> None:
    before, snapshot = kb("entities", "export").out, kb("snapshots", "show", "--json").json["snapshot"]
    merged = kb("entities", "merge", GATE, EDGE, "--reason", "一个产品", "--actor", "lin", "--json").json
    assert merged["redirects"] == {GATE: EDGE}
    assert kb("entities", "export").out == before  # nothing shows before a run
    assert kb("run", "docs", "--json").json["chunks"]["rewritten"] == 0
    nodes = graph(kb("entities", "export"))
    assert nodes[EDGE]["sameAs"] == [GATE]
    assert (nodes[GATE]["redirectsTo"], "Redirect" in nodes[GATE]["@type"]) == (EDGE, True)
    assert nodes[EDGE]["softwareVersion"] == "2.0"
    assert kb("entities", "show", GATE, "--json").json["entity_id"] == EDGE
    assert [row["merged"] for row in kb("entities", "list", "--json").json if row["entity_id"] == EDGE] == [[GATE]]
    assert kb("verify", "--deep").code == 0
    assert kb("entities", "split", EDGE, GATE, "--reason", "doch zwei", "--actor", "lin").code == 0
    assert kb("run", "docs").code == 0
    assert kb("entities", "export").out == before
    assert kb("snapshots", "show", "--json").json["snapshot"] == snapshot
    assert [each["kind"] for each in kb("entities", "log", "--json").json] == ["merge", "split"]


def test_revoking_a_merge_takes_it_back_and_a_pin_forbids_it(kb: Callable[..., Any]) -> None:
    merged = kb("entities", "merge", GATE, EDGE, "--reason", "x", "--actor", "a", "--json").json
    assert kb("entities", "revoke", merged["judgement_id"], "--reason", "y", "--actor", "a", "--json").json["redirects"] == {}
    assert kb("entities", "pin", GATE, EDGE, "--reason", "rivals", "--actor", "a").code == 0
    refused = kb("entities", "merge", GATE, EDGE, "--reason", "z", "--actor", "a")
    assert refused.code == 2
    assert "ingest entities revoke urn:kb:judgement:" in refused.err
    assert kb("entities", "merge", GATE, MAKER, "--reason", "z", "--actor", "a").code == 2
    assert kb("entities", "merge", GATE, "urn:nobody", "--reason", "z", "--actor", "a").code == 1


def test_only_what_the_evidence_shows_is_exported(tmp_path: Path, kb: Callable[..., Any]) -> None:
    (tmp_path / "docs/手册.md").write_text("# 手册\n\n云脉网关 2.0 由云脉研发。\n", encoding="utf-8")
    (tmp_path / "docs/edge.md").write_text("# Edge\n\n由云脉研发。\n", encoding="utf-8")
    (tmp_path / "docs/secret.md").write_text(SECRET, encoding="utf-8")
    kb("run", "docs")
    anybody, sre = graph(kb("entities", "export")), graph(kb("entities", "export", "--role", "sre"))
    assert EDGE not in anybody and EDGE not in sre
    assert EDGE in graph(kb("entities", "export", "--whole"))
    assert "legalName" not in anybody[MAKER] and "云脉科技" not in json.dumps(anybody, ensure_ascii=False)
    assert sre[MAKER]["legalName"] == [{"@value": "云脉科技（深圳）有限公司", "@language": "zh"}]
    assert kb("entities", "export", EDGE).code == 1
    assert kb("entities", "export", "--whole", "--role", "sre").code == 2


def test_accepted_alias_and_rejected_alias_show_with_the_next_run(kb: Callable[..., Any]) -> None:
    assert kb("entities", "accept", "边缘网关", EDGE, "--reason", "r", "--actor", "a").code == 0
    assert kb("entities", "reject", "YunGate", GATE, "--reason", "r", "--actor", "a").code == 0
    kb("run", "docs")
    assert [each["value"] for each in graph(kb("entities", "export", "--whole"))[GATE]["nameRecord"]] == [
        {"@value": "云脉网关", "@language": "zh"}
    ]
    assert "边缘网关" in json.dumps(graph(kb("entities", "export", "--whole"))[EDGE], ensure_ascii=False)


def test_wrong_import_takes_nothing_and_tells_rows(tmp_path: Path, kb: Callable[..., Any]) -> None:
    kept = (tmp_path / "imported.json").read_bytes()
    (tmp_path / "bad.csv").write_text("id,type,name\nurn:kb:entity:new,product,new\n,product,\n", encoding="utf-8")
    refused = kb("entities", "import", "bad.csv")
    assert refused.code == 1
    assert "bad.csv row 3: an entity needs a name" in refused.out
    assert (tmp_path / "imported.json").read_bytes() == kept
    assert kb("entities", "import", "nowhere.csv").code == 2
    assert kb("entities", "import", "partners.csv", "--check", "--json").json["written"] is False


def test_centrality_and_mentions_order_the_list(kb: Callable[..., Any]) -> None:
    for by in ("mentions", "centrality"):
        scores = [row["score"] for row in kb("entities", "list", "--by", by, "--json").json]
        assert scores == sorted(scores, reverse=True) and len(scores) == 3
    found = kb("entities", "list", "--type", "organization", "--name", "yunmai", "--json").json
    assert [row["entity_id"] for row in found] == [MAKER]
    assert kb("entities", "list", "--type", "planet").code == 2


def test_review_goes_through_a_spreadsheet_and_back(tmp_path: Path, kb: Callable[..., Any]) -> None:
    asked = kb("entities", "review", "--json").json
    assert {each["kind"] for each in asked} >= {"assertion"}
    developed = next(each for each in asked if each["kind"] == "assertion" and each["relation"] == "developer")
    assert (developed["left"]["id"], developed["right"]["id"]) == (EDGE, MAKER)
    assert "由 Yunmai 研发" in developed["evidence"][0]["text"]
    assert kb("entities", "review", "--csv", "questions.csv").code == 0
    file = tmp_path / "questions.csv"
    rows = list(csv.DictReader(file.read_text(encoding="utf-8-sig").splitlines()))
    for row in rows:
        if row["question"] == developed["id"]:
            row["decision"], row["reason"] = "是", "合同"
    with file.open("w", encoding="gb18030", errors="replace", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    taken = kb("entities", "review", "--answers", "questions.csv", "--actor", "lin", "--json").json
    assert (len(taken["decided"]), taken["blank"], taken["problems"]) == (1, len(rows) - 1, [])
    assert kb("run", "docs").code == 0
    assert graph(kb("entities", "export"))[EDGE]["developer"]["@id"] == MAKER
    assert developed["id"] not in [each["id"] for each in kb("entities", "review", "--json").json]
    again = kb("entities", "review", "--answers", "questions.csv", "--actor", "lin", "--json").json
    assert (again["decided"], again["gone"]) == ([], 1)


def test_wrong_answer_takes_none_and_tells_its_row(tmp_path: Path, kb: Callable[..., Any]) -> None:
    kb("entities", "review", "--csv", "questions.csv")
    rows = list(csv.DictReader((tmp_path / "questions.csv").read_text(encoding="utf-8-sig").splitlines()))
    rows[0]["decision"] = "vielleicht"
    with (tmp_path / "questions.csv").open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    refused = kb("entities", "review", "--answers", "questions.csv", "--actor", "lin")
    assert refused.code == 1
    assert "questions.csv row 2: 'vielleicht' is no decision" in refused.out


def test_keys_answer_question_by_question(tmp_path: Path, kb: Callable[..., Any], capfd: pytest.CaptureFixture[str]) -> None:
    from flows.reviewing import questions
    from ingest.settings import Settings

    settings = Settings.model_validate({"kb": str(tmp_path / ".kb"), "base": str(tmp_path)})
    waiting = questions(settings)
    keys = iter(["?", "s"] * 1 + ["n"] + ["q"])
    assert ask(settings, waiting, lambda: next(keys), "lin", "looked") == 1
    shown = capfd.readouterr().out
    assert "never merge them, whatever identifiers say" in shown and "kept as urn:kb:judgement:" in shown
    assert len(questions(settings)) == len(waiting) - 1
    assert all(line.isprintable() for line in side_by_side(waiting[0]))


def test_review_reads_single_keys_of_a_terminal(tmp_path: Path, kb: Callable[..., Any]) -> None:
    waiting = len(kb("entities", "review", "--json").json)
    parent, child = pty.openpty()
    command = [sys.executable, "-c", "from ingest.cli.main import main; main()", "entities", "review", "--actor", "lin"]
    settings = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    process = subprocess.Popen(command, stdin=child, stdout=child, stderr=child, cwd=tmp_path, env=settings)
    os.close(child)
    said, sent, end = b"", 0, time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        if select.select([parent], [], [], 0.2)[0]:
            try:
                said += os.read(parent, 65536)
            except OSError:
                break
        if said.count(b" > ") > sent:
            os.write(parent, b"nq"[sent : sent + 1])
            sent += 1
    process.wait(60)
    os.close(parent)
    assert b"1 answered" in said, said.decode()
    assert len(kb("entities", "review", "--json").json) == waiting - 1


def test_names_are_compared_and_resolved_with_reasons(tmp_path: Path, kb: Callable[..., Any]) -> None:
    same = kb("entities", "compare", "云脉科技（深圳）有限公司", "云脉科技(深圳)有限公司", "--json").json
    assert (same["verdict"], same["tier"], bool(same["reasons"])) == ("same", "normal form", True)
    pairs = "left,right,type\nGate 2.0,Gate 3.0,product\nYunGate,Yunmai,product|org\n"
    (tmp_path / "pairs.csv").write_text(pairs, encoding="utf-8")
    told = kb("entities", "compare", "--file", "pairs.csv", "--json").json
    assert [(each["verdict"], each["tier"]) for each in told] == [("different", "guard"), ("different", "type")]
    assert kb("entities", "resolve", "Yunmai", "--json").json["entity_id"] == MAKER
    assert kb("entities", "compare", "one").code == kb("entities", "compare", "a", "b", "--type", "planet").code == 2
