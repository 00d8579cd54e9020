"""Rules are data: what a user may write, and what is said where it cannot be used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from indexes.query.plan.rules import SHIPPED, rules_of
from ingest.errors import SettingsInvalid
from ingest.settings import SearchPart


def plan(world: Any, tmp_path: Path, text: str, query: str) -> Any:
    file = tmp_path / "rules.toml"
    file.write_text(text, encoding="utf-8")
    return world.plan(query, settings=SearchPart(rules=(str(file),)))


def test_a_file_adds_words(world: Any, tmp_path: Path) -> None:
    text = '[our-invoices]\neffect = "add"\nwords = ["发票", "fapiao"]\nadd = ["invoice", "增值税专用发票"]\n'
    assert plan(world, tmp_path, text, "發票怎么开").keywords == "發票怎么开 invoice 增值税专用发票"
    assert [each.rule for each in plan(world, tmp_path, text, "FAPIAO 怎么开").fired] == ["our-invoices"]
    assert plan(world, tmp_path, text, "fapiaos").keywords == "fapiaos"


def test_a_file_teaches_a_spelling_of_codes(world: Any, tmp_path: Path) -> None:
    text = "[ticket]\neffect = \"spell\"\npattern = '故障单\\s*(?P<number>\\d+)'\nadd = [\"err{number}\"]\n"
    assert plan(world, tmp_path, text, "故障单 1042 是什么").codes == ("err1042",)


def test_a_rule_is_replaced_or_switched_off_by_its_id(world: Any, tmp_path: Path) -> None:
    assert world.plan("它支持什么版本").clarification is not None
    assert plan(world, tmp_path, "[pronoun-it-zh]\nenabled = false\n", "它支持什么版本").clarification is None
    other = "[phrase-title]\neffect = \"phrase\"\npattern = '<(?P<phrase>[^>]+)>'\n"
    assert plan(world, tmp_path, other, "《年假制度》 <限流>").phrases == ("限流",)
    weight = '[weight-codes]\neffect = "weight"\nwhen = ["codes"]\namount = 0.4\n'
    assert plan(world, tmp_path, weight, "ERR_1042").bm25_weight == 0.9
    relation = '[who-sells]\neffect = "relation"\nwords = ["谁卖"]\nvalue = "resells"\n'
    assert plan(world, tmp_path, relation, "谁卖海力网关").relations == ("resells",)


def test_a_file_that_changes_is_read_anew(world: Any, tmp_path: Path) -> None:
    for word in ("alpha", "beta!", "gamma?!"):
        text = f'[more]\neffect = "add"\nwords = ["x"]\nadd = ["{word}"]\n'
        assert plan(world, tmp_path, text, "x").keywords == f"x {word}"


def test_later_files_win(world: Any, tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / name).write_text(f'[more]\neffect = "add"\nwords = ["x"]\nadd = ["{name}"]\n', encoding="utf-8")
    files = tuple(str(tmp_path / name) for name in ("first", "second"))
    assert world.plan("x", settings=SearchPart(rules=files)).keywords == "x second"


ENDLESS = "(?:a|aa)+!"


@pytest.mark.parametrize("rule", [
    f'effect = "add"\npattern = "{ENDLESS}"\nadd = ["more"]', f'effect = "generic"\npattern = "{ENDLESS}"',
    f'effect = "add"\npattern = "leave|{ENDLESS}"\nadd = ["more"]',
    f'effect = "add"\npattern = "leave"\nunless = "{ENDLESS}"\nadd = ["more"]', f'effect = "event"\npattern = "{ENDLESS}"',
])
def test_a_rule_that_would_try_without_end_is_left_out_and_named(
    world: Any, at_noon: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, rule: str
) -> None:
    query = "leave policy in 2024, " + "a" * 60
    asked = query if "generic" not in rule else "it " + "a" * 60
    told = plan(world, tmp_path, f"[slow]\n{rule}\n", asked)
    assert [each.text for each in told.fired if each.rule == "rules:slow"] == ["slow"]
    assert "the rule slow took too long" in caplog.text
    assert told.keywords == asked
    assert "rules:slow" not in [each.rule for each in plan(world, tmp_path, f"[slow]\n{rule}\n", "leave policy").fired]


WRONG = {
    "not TOML": ("[rule\n", "single quotes"),
    "escapes": ('[r]\neffect = "add"\npattern = "\\d"\n', "single quotes"),
    "a brace that might be fuzzy": ("[r]\neffect = \"add\"\npattern = 'x{s:'\nadd = [\"x\"]\n", "that can be stopped"),
    "no table": ("rule = 3\n", "rule rule: write it as a table"),
    "unknown effect": ('[r]\neffect = "rewrite"\nwords = ["x"]\n', "rule r: effect"),
    "no effect": ('[r]\nwords = ["x"]\n', "rule r: effect: Field required"),
    "unknown key": ('[r]\neffect = "add"\nwords = ["x"]\nadds = ["y"]\n', "adds.*its keys are effect, language"),
    "bad expression": ('[r]\neffect = "add"\npattern = "(x"\nadd = ["y"]\n', "rule r: pattern: not a regular expression"),
    "no group": ('[r]\neffect = "phrase"\npattern = "x"\n', r"\(\?P<phrase>...\)"),
    "no such group": ('[r]\neffect = "spell"\npattern = "x(?P<n>.)"\nadd = ["inc{m}"]\n', r"\{m\}.*\(\?P<m>\.\.\.\)"),
    "fuzzy": ('[r]\neffect = "add"\npattern = "(?:err){e}"\nadd = ["y"]\n', "a brace that does not count"),
    "endless": (
        "[r]\neffect = \"add\"\npattern = '(?:a{60000}){60000}'\nadd = ['y']\n", "rule r: .*3600180000.*lower the numbers"
    ),
    "endless exception": (
        "[r]\neffect = \"add\"\npattern = 'a'\nunless = '(?:(?:ab|c){1000}){1000}'\nadd = ['y']\n", "rule r: .*may have 50000"
    ),
    "deep": (f"[r]\neffect = \"add\"\npattern = '{'(' * 5000}a{')' * 5000}'\nadd = ['y']\n", "rule r: pattern: not a regular"),
    "often": ("[r]\neffect = \"add\"\npattern = 'a{99999999999}'\nadd = ['y']\n", "rule r: pattern: not a regular expression"),
    "nothing to meet": ('[r]\neffect = "add"\nadd = ["y"]\n', "needs a pattern or words"),
    "both": ('[r]\neffect = "add"\npattern = "x"\nwords = ["x"]\nadd = ["y"]\n', "write two rules"),
    "meets nothing": ('[r]\neffect = "add"\npattern = "x*"\nadd = ["y"]\n', "match nothing at all"),
    "empty word": ('[r]\neffect = "add"\nwords = [" "]\nadd = ["y"]\n', "match nothing at all"),
    "adds nothing": ('[r]\neffect = "add"\nwords = ["x"]\n', "needs what it adds"),
    "unknown signal": ('[r]\neffect = "weight"\nwhen = ["code"]\namount = 0.1\n', "it is one of phrases, identifiers"),
    "weight by words": ('[r]\neffect = "weight"\nwords = ["x"]\namount = 0.1\n', "when = "),
    "edge without date": ('[r]\neffect = "edge"\npattern = "x"\nvalue = "before"\n', "DATE"),
    "edge of no kind": ('[r]\neffect = "edge"\npattern = "xDATE"\nvalue = "near"\n', "within, before"),
    "date of nothing": ('[r]\neffect = "date"\nwords = ["long ago"]\n', "year-1"),
    "relative nonsense": ('[r]\neffect = "date"\nwords = ["long ago"]\nvalue = "aeon-1"\n', "year-1"),
    "unknown type": ('[r]\neffect = "type"\nwords = ["x"]\nvalue = "thing"\n', "organization"),
    "relation of nothing": ('[r]\neffect = "relation"\nwords = ["x"]\n', "value = "),
    "off, unknown": ("[pronoun-it-en-us]\nenabled = false\n", "did you mean pronoun-it-en"),
    "amount": ('[r]\neffect = "weight"\nwhen = ["codes"]\namount = "much"\n', "rule r: amount"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_used_is_named_with_its_remedy(world: Any, tmp_path: Path, name: str) -> None:
    text, told = WRONG[name]
    with pytest.raises(SettingsInvalid, match=told) as error:
        plan(world, tmp_path, text, "x")
    assert str(tmp_path / "rules.toml") in str(error.value)


def test_a_file_that_is_not_there_is_named(world: Any, tmp_path: Path) -> None:
    with pytest.raises(SettingsInvalid, match=r"gone\.toml.*search\.rules"):
        world.plan("x", settings=SearchPart(rules=(str(tmp_path / "gone.toml"),)))
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsInvalid, match=r"bytes\.toml"):
        world.plan("x", settings=SearchPart(rules=(str(tmp_path / "bytes.toml"),)))


def test_the_shipped_rules_are_one_a_kind_and_documented() -> None:
    rules = rules_of(())
    page = (Path(__file__).parents[4] / "docs" / "planning.md").read_text(encoding="utf-8")
    assert SHIPPED.name in page
    for effect in rules.by_effect:
        assert f"`{effect}`" in page, effect
