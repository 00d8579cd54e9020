"""Where front matter ends, and that a rule about readers is never missed in silence."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ingest.model.frontmatter import normal_key, split

BREAKS = ["\n", "\r\n", "\r", "\x85", "\u2028", "\u2029"]


@pytest.mark.parametrize("end", BREAKS)
@pytest.mark.parametrize("closer", ["---", "...", "---  ", "---\t"])
def test_front_matter_is_split_at_every_line_ending(end: str, closer: str) -> None:
    text = end.join(["---", "title: 手册", "users: [li.na]", closer, "", "# 第一章", "body"])
    found = split(text)
    assert found.raw == "title: 手册\nusers: [li.na]"
    assert found.lines == 4
    assert found.body == end.join(["", "# 第一章", "body"])
    assert found.problem is None


def test_mixed_line_endings_count_one_line_each() -> None:
    found = split("---\r\ntitle: x\rstatus: draft\n---\r\nbody\nmore")
    assert (found.raw, found.lines, found.body) == ("title: x\nstatus: draft", 4, "body\nmore")


@pytest.mark.parametrize("marks", ["\ufeff", "\ufeff\ufeff"])
def test_byte_order_marks_are_tolerated(marks: str) -> None:
    assert split(f"{marks}---\ntitle: x\n---\nbody").raw == "title: x"


def test_text_without_front_matter_is_all_body() -> None:
    for text in ["", "\n", "# Title\n\nBody", "正文。\n", "a\r\nb"]:
        assert split(text) == split(text)
        assert (split(text).raw, split(text).body, split(text).lines, split(text).problem) == (None, text, 0, None)


@pytest.mark.parametrize(
    "text",
    [
        "---\n\nA thematic break opens this text.\n\n---\n\nAnd another one.\n",
        "---\n注意：请先阅读全文。\n---\n正文\n",
        "---\nIn this chapter, we show three things: one, two, three.\n---\nbody",
        "---\nAt 12:30 we met.\n---\nbody",
        "---\n# A heading\nNote: this is prose.\n",
        "---\n{{ template }}\n---\n",
        "- - -\nText\n",
        "+++\nA fence that is no TOML.\n+++\n",
        "User: how do I log in?\nAssistant: with your badge.\n",
        "# 等级说明\n\nLevel: 3\nOwner: Bob\n",
        "Users: see chapter 4 for how they are created.\n\nMore.\n",
        "# Doc\n\n```yaml\n---\nusers: [alice]\n---\n```\n",
        "# Doc\n\n~~~\n---\nallowed_users: [alice]\n---\n~~~\n",
        "| users | level |\n|---|---|\n| a | 1 |\n",
        "Intro.\n\n---\n\nThe users: all of them.\n",
    ],
)
def test_prose_between_rules_is_content(text: str) -> None:
    found = split(text)
    assert (found.raw, found.body, found.lines, found.problem) == (None, text, 0, None)


@pytest.mark.parametrize("raw", ["", "# nothing yet", "\n", "{title: x}", "? title\n: x", '"title": x', "title:", "标题: 手册"])
def test_mappings_in_any_dress_are_front_matter(raw: str) -> None:
    found = split(f"---\n{raw}\n---\nbody")
    assert (found.raw, found.body, found.problem) == (raw, "body", None)


@pytest.mark.parametrize("rest", ["title: x\nbody", "\n\nusers: [a]\n", "'title': x", "  status: draft\n",
    "title: x\n ---\nbody"])
def test_front_matter_that_never_closes_is_a_problem(rest: str) -> None:
    found = split("---\n" + rest)
    assert found.raw is None
    assert found.problem is not None


MISTAKES = {
    "blank line above": "\n---\nusers: [alice]\n---\nbody",
    "space above": " ---\nusers: [alice]\n---\nbody",
    "no-break space above": "\u00a0---\nusers: [alice]\n---\nbody",
    "ideographic space above": "\u3000---\nusers: [alice]\n---\nbody",
    "zero-width space above": "\u200b---\nusers: [alice]\n---\nbody",
    "comment above": "<!-- internal -->\n---\nusers: [alice]\n---\nbody",
    "long comment above": "<!--\nCopyright\n-->\n\n---\nusers: [alice]\n---\nbody",
    "hash comment above": "# yaml\n---\nusers: [alice]\n---\nbody",
    "title above": "# 手册\n\n---\nallowed_users: [alice]\n---\nbody",
    "prose above": "Draft of 3 May.\n\n---\nlevel: 2\n---\nbody",
    "declaration above": "%YAML 1.2\n---\nusers: [alice]\n---\nbody",
    "declaration inside": "---\n%YAML 1.2\n---\nusers: [alice]\n---\nbody",
    "two hyphens": "--\nusers: [alice]\n--\nbody",
    "four hyphens": "----\nusers: [alice]\n----\nbody",
    "em dashes": "——\nusers: [alice]\n——\nbody",
    "one em dash": "—\nusers: [alice]\n—\nbody",
    "autocorrected": "—-\nusers: [alice]\n—-\nbody",
    "en dashes": "–––\nusers: [alice]\n–––\nbody",
    "full-width hyphens": "－－－\nusers: [alice]\n－－－\nbody",
    "box lines": "───\nusers: [alice]\n───\nbody",
    "minus signs": "−−−\nusers: [alice]\n−−−\nbody",
    "spaced hyphens": "- - -\nusers: [alice]\n- - -\nbody",
    "equals signs": "===\nusers: [alice]\n===\nbody",
    "tildes": "~~~\nusers: [alice]\n~~~\nbody",
    "code fence": "```yaml\n---\nusers: [alice]\n---\n```\nbody",
    "text on the fence": "--- yaml\nusers: [alice]\n---\nbody",
    "key on the fence": "--- users: [alice]\n---\nbody",
    "key glued to the fence": "---users: [alice]\n---\nbody",
    "form feed": "---\fusers: [alice]\f---\nbody",
    "vertical tab": "---\vusers: [alice]\v---\nbody",
    "full-width colon": "---\nusers：alice\n---\nbody",
    "full-width key": "---\nｕｓｅｒｓ：alice\n---\nbody",
    "no space after the colon": "---\nusers:[alice]\n---\nbody",
    "equals sign": "---\nusers = alice\n---\nbody",
    "ratio sign": "---\nlevel∶ 2\n---\nbody",
    "list": "---\n- users: alice\n---\nbody",
    "quoted": "---\n> users: alice\n---\nbody",
    "bold": "——\n**users**: alice\n——\nbody",
    "misspelt behind a glued fence": "---a\nllowed_users: [alice]\n---\nbody",
    "no colon": "---\nusers alice\n---\nbody",
    "no colon in brackets": "---\n[users] alice\n---\nbody",
    "broken flow": "-x-\n{title: x, users: [alice]}\n---\nbody",
    "capitals": "——\nALLOWED-USERS: alice\n——\nbody",
    "spaces in the key": "——\nAllowed users: alice\n——\nbody",
    "soft hyphen in the key": "——\nus\u00aders: alice\n——\nbody",
    "indented": "\n---\n  users: [alice]\n---\nbody",
    "blank lines inside": "\n---\n\ntitle: x\n\nusers: [alice]\n---\nbody",
    "flow": "\n---\n{title: x, users: [alice]}\n---\nbody",
    "no opening fence": "users: [alice]\n---\nbody",
    "no fences, but company": "Title: x\nUsers: alice\n\nbody",
    "no fences, clear name": "allowed_users: alice\n\nbody",
    "fence doubled": "---\n---\nusers: [alice]\n---\nbody",
    "fence too early": "---\ntitle: x\n---\nusers: [alice]\n---\nbody",
    "second block": "---\ntitle: x\n---\n\n---\nusers: [alice]\n---\nbody",
    "closed wrongly": "---\n# c\nusers: [alice]\n———\nbody",
    "toml broken": "+++\nusers = [alice\n+++\nbody",
    "toml open": "+++\nusers = ['alice']\nbody",
    "toml below a blank line": "\n+++\nusers = ['alice']\n+++\nbody",
}


@pytest.mark.parametrize("text", MISTAKES.values(), ids=MISTAKES.keys())
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
def test_a_misplaced_rule_about_readers_is_a_problem(text: str, end: str) -> None:
    found = split(text.replace("\n", end))
    assert found.problem is not None


def test_toml_is_split_and_named() -> None:
    found = split("+++\ntitle = '手册'\nversion = 1.10\n+++\nbody")
    assert (found.raw, found.body, found.lines, found.syntax) == ("title = '手册'\nversion = 1.10", "body", 4, "toml")


def test_broken_toml_is_a_problem_without_access_keys_too() -> None:
    assert split("+++\ntitle = \n+++\nbody").problem is not None


@pytest.mark.parametrize("key", ["allowed-users", "Allowed Users", "ＡＬＬＯＷＥＤ_users", "allowed_us\u200bers",
    "\u00adallowed_users"])
def test_keys_compare_by_their_normal_form(key: str) -> None:
    assert normal_key(key) == "allowed_users"


@given(st.text(st.sampled_from(list("-—=:：u users\n\r\t\u0085\u2028ab#>{}[]`\ufeff")), max_size=80))
@settings(deadline=None)
def test_nothing_is_lost_and_lines_are_counted(text: str) -> None:
    found = split(text)
    bare = text.lstrip("\ufeff")
    assert bare.endswith(found.body)
    if found.raw is None:
        assert (found.body, found.lines) == (bare, 0)
    else:
        head = bare[: len(bare) - len(found.body)] if found.body else bare
        breaks = head.replace("\r\n", "\n")
        for other in "\r\x85\u2028\u2029":
            breaks = breaks.replace(other, "\n")
        assert breaks.startswith(("---\n", "--- ", "---\t"))
        assert found.lines == breaks.count("\n") + (not breaks.endswith("\n"))


@given(
    lead=st.sampled_from(["", "\n", " ", "\t", "\u200b", "\u3000", "<!-- x -->\n", "# 标题\n\n", "\r\n\r\n"]),
    fence=st.sampled_from(["---", "--", "—", "——", "—-", "----", "－－－", "===", "***", "+++", "~~~", "```", "- - -"]),
    key=st.sampled_from(["users", "Users", "allowed_users", "allow-users", "allowed roles", "tenant", "level", "ｕｓｅｒｓ"]),
    colon=st.sampled_from([": ", ":", "：", " :", " = ", "=", ":\t"]),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
)
@settings(deadline=None)
def test_an_access_key_at_the_top_is_read_or_a_problem(lead: str, fence: str, key: str, colon: str, end: str) -> None:
    assume(not (lead.startswith("#") and fence in ("~~~", "```")))  # code below a heading is an example
    text = f"{lead}{fence}\ntitle{colon}x\n{key}{colon}alice\n{fence}\n\nbody\n".replace("\n", end)
    found = split(text)
    assert found.raw is not None or found.problem is not None
