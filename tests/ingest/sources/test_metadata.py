"""What documents declare, and that nothing unreadable ever opens one."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.errors import MetadataInvalid
from ingest.model.access import Access, Principal
from ingest.model.canonical import digest_of
from ingest.model.source import Declared
from ingest.settings import SourcesPart
from ingest.sources.fingerprint import fingerprint
from ingest.sources.metadata import read

PART = SourcesPart()
NOBODY = Principal()
MALLORY = Principal(user="mallory", roles=("visitor",), tenant="other", level=0)


def declared(front: str | None = None, sidecar: str | None = None, **more: Any) -> Declared:
    data = "body" if front is None else f"---\n{front}\n---\n\nbody\n"
    return read(data.encode(), None if sidecar is None else sidecar.encode(), name="docs/a.md", settings=PART, **more)


def refused(front: str | None = None, sidecar: str | None = None) -> str:
    with pytest.raises(MetadataInvalid) as caught:
        declared(front, sidecar)
    assert "docs/a.md" in str(caught.value)
    assert caught.value.exit_code == 4
    return str(caught.value)


# --- what is read


def test_everything_that_can_be_declared_is_read() -> None:
    found = declared(
        "title: 云脉网关手册\ndocument: gateway-manual\nversion: 1.10\nvalid_from: 2025-07-01\nvalid_until: 2025-12-31\n"
        "supersedes: ['1.9', 1.8]\nstatus: Deprecated\nlanguage: zh_Hans\nscope: product\n"
        "allowed_users: [li.na, Chen, 'Smith, J']\nallowed_roles: sre, 运维、board\n"
        "tenant: larkfield\nlevel: confidential\nowner: 王芳\n"
    )
    assert found == Declared(
        title="云脉网关手册", family="gateway-manual", version="1.10", valid_from="2025-07-01T00:00:00Z",
        valid_until="2025-12-31T00:00:00Z", until_day=True, supersedes=("1.9", "1.8"), status="deprecated", language="zh-Hans",
        scope="product", extra={"owner": "王芳"},
        access=Access(tenant="larkfield", users=("Chen", "Smith, J", "li.na"), roles=("board", "sre", "运维"), level=2),
    )


def test_no_metadata_is_the_default() -> None:
    assert declared() == Declared()
    assert declared("") == Declared()
    assert declared("# nothing yet") == Declared()


@pytest.mark.parametrize("version", ["1.10", "2.0", "007", "1e3", "2025-07-01", "0x10", "no", "1_000", "v2", "1:30", ".5"])
def test_versions_are_kept_as_written(version: str) -> None:
    assert declared(f"version: {version}").version == version
    assert declared(f"version: '{version}'").version == version
    assert declared(None, f"version: {version}").version == version


def test_toml_versions_and_dates_are_kept_as_written() -> None:
    dates = "valid_from = 2025-07-01\nvalid_until = 2025-08-01T08:00:00+08:00"
    text = f'+++\nversion = 1.10\n{dates}\nusers = ["li.na"]\nlevel = 2\n+++\nx'
    found = read(text.encode(), None, name="a.md", settings=PART)
    assert (found.version, found.valid_from, found.valid_until, found.until_day) == (
        "1.10", "2025-07-01T00:00:00Z", "2025-08-01T00:00:00Z", False,
    )
    assert found.access == Access(users=("li.na",), level=2)


@pytest.mark.parametrize(
    ("written", "instant", "day"),
    [
        ("2025-07-01", "2025-07-01T00:00:00Z", True), ("2025/7/1", "2025-07-01T00:00:00Z", True),
        ("20250701", "2025-07-01T00:00:00Z", True), ("'2025-07-01'", "2025-07-01T00:00:00Z", True),
        ("２０２５-07-01", "2025-07-01T00:00:00Z", True), ("2025-07-01T08:30", "2025-07-01T08:30:00Z", False),
        ("2025-07-01 08:30:00 +08:00", "2025-07-01T00:30:00Z", False), ("2025-07-01T00:00:00Z", "2025-07-01T00:00:00Z", False),
        ("9999-12-31", "9999-12-31T00:00:00Z", True),
    ],
)
def test_days_are_told_from_moments(written: str, instant: str, day: bool) -> None:
    found = declared(f"valid_until: {written}")
    assert (found.valid_until, found.until_day) == (instant, day)
    assert declared(f"valid_from: {written}").valid_from == instant


@pytest.mark.parametrize(
    ("level", "number"),
    [("0", 0), ("3", 3), ("'2'", 2), ("２", 2), ("public", 0), ("Internal", 1), ("ＲＥＳＴＲＩＣＴＥＤ", 3), ("99", 99)],
)
def test_levels_are_numbers_or_names(level: str, number: int) -> None:
    assert declared(f"level: {level}").access.level == number


def test_names_of_levels_come_from_settings() -> None:
    part = SourcesPart(levels=("公开", "内部"))
    assert read("---\nlevel: 内部\n---\n".encode(), None, name="a", settings=part).access.level == 1
    with pytest.raises(MetadataInvalid, match="公开, 内部"):
        read(b"---\nlevel: internal\n---\n", None, name="a", settings=part)
    assert fingerprint(part) != fingerprint(PART) == fingerprint(SourcesPart())


def test_an_empty_list_admits_nobody() -> None:
    found = declared("users: []")
    assert found.access == Access(users=())
    assert not found.access.admits(MALLORY)


@pytest.mark.parametrize("front", ["users: '*'", "users: ['*']", 'allowed_roles: "*"', "users:\n- '*'\n- li.na"])
def test_a_star_is_everybody(front: str) -> None:
    assert declared(front).access.admits(NOBODY)


def test_keys_compare_by_their_normal_form() -> None:
    assert declared("Allowed-Users: li.na").access.users == ("li.na",)
    assert declared('"Allowed Users": li.na').access.users == ("li.na",)
    assert declared("ＵＳＥＲＳ: li.na\nValid From: 2025-07-01").valid_from is not None


def test_names_are_compared_in_nfc() -> None:
    assert declared("users: [Jose\u0301]").access.users == ("Jos\u00e9",)


def test_other_keys_are_kept_as_json() -> None:
    found = declared(
        "a: 1\nb: 1.10\nc: 1.5\nd: true\ne: ~\nf: [x, {g: 007}]\n"
        "h: 2025-07-01\ni: .nan\nj: 99999999999999999999\nk: 'true'"
    )
    assert found.extra == {
        "a": 1, "b": "1.10", "c": 1.5, "d": True, "e": None, "f": ["x", {"g": "007"}], "h": "2025-07-01", "i": ".nan",
        "j": "99999999999999999999", "k": "true",
    }
    digest_of(found)  # can be hashed: no NaN, no sets


def test_empty_values_of_other_keys_say_nothing() -> None:
    assert declared("title:\nversion: ~\nvalid_from:\nvalid_until: null\nlanguage: ''\nsupersedes: []") == Declared()


# --- precedence


def test_each_key_comes_from_the_sidecar_then_front_matter_then_embedded() -> None:
    embedded = {"title": "Embedded", "language": "en-US", "validFrom": "2024-01-01", "jsonld": [{"@type": "FAQPage"}],
        "Author": "x"}
    found = declared("title: Front\nversion: '2'\nusers: [a1]\nnote: f\nmine: 1", "title: Side\nlevel: 2\nNote: s",
        embedded=embedded)
    assert (found.title, found.version, found.language, found.valid_from) == ("Side", "2", "en-US", "2024-01-01T00:00:00Z")
    assert found.access == Access(users=("a1",), level=2)
    assert found.extra == {"jsonld": [{"@type": "FAQPage"}], "mine": 1, "Note": "s"}


def test_a_sidecar_replaces_an_access_key_under_any_of_its_names() -> None:
    assert declared("users: [a1]", "allowed_users: [b2]").access.users == ("b2",)


def test_embedded_metadata_never_sets_access_or_status() -> None:
    found = declared(embedded={"users": "li.na", "tenant": "t", "level": "3", "status": "archived", "version": "9",
        "document": "f"})
    assert found == Declared()


def test_embedded_values_that_cannot_be_read_are_left_out() -> None:
    assert declared(embedded={"title": " ", "language": "english (uk)", "valid_until": "soon", "title2": 5}) == Declared()
    assert declared(embedded={"created": "2020-01-01", "modified": "2021-01-01", "date": "2021-01-01"}) == Declared()


def test_an_access_list_in_embedded_metadata_is_refused() -> None:
    with pytest.raises(MetadataInvalid, match="sidecar"):
        declared(embedded={"Allowed-Users": "li.na"})


# --- what is refused


@pytest.mark.parametrize("key", ["allowed_users", "allow_users", "users", "allowed_roles", "tenant"])
@pytest.mark.parametrize(
    "value",
    ["", "~", "null", "5", "1.5", "true", "yes", "off", "0x1F", "''", "' '", "{a: b}", "[[a]]", "[a, {b: c}]", "[1001]",
    "[a, ~]", "[a, '']",
     "!!python/name:os.system x", "!x a", "*", "[*]", "*x", "|\n  a\n  b", '"a\\nb"', "2025_01"],
)
def test_values_that_are_not_names_are_refused(key: str, value: str) -> None:
    refused(f"title: x\n{key}: {value}")
    refused(None, f"{key}: {value}")


@pytest.mark.parametrize("value", ["a,,b", "a,", ",", "，"])
def test_a_missing_name_between_commas_is_refused(value: str) -> None:
    refused(f"users: '{value}'")


def test_a_tenant_is_one_name() -> None:
    refused("tenant: [a]")
    refused("tenant: '*'")


@pytest.mark.parametrize("level", ["-1", "1.0", "secret", "true", "~", "", "[1]", "{a: 1}", "+1", "0x1", "1e1", "99999999",
    "9" * 5000, "''"])
def test_levels_that_are_neither_number_nor_name_are_refused(level: str) -> None:
    message = refused(f"level: {level}")
    assert "level" in message


@pytest.mark.parametrize(
    "key",
    ["user", "user_list", "allowed", "allow", "allowed_user", "allowed_groups", "role", "roles", "tenants", "tenant_id",
    "levels", "deny_users",
     "denied", "acl", "ACL", "alowed_users", "allowd_users", "alowed_user", "allowed_rolse", "usres", "suers", "_users",
     "tennant", "lvel", "usеrs", "uses", "xusers"],
)
def test_a_key_that_looks_like_an_access_key_is_refused(key: str) -> None:
    message = refused(f"title: x\n{key}: [li.na]")
    assert key in message
    for accepted in ("allowed_users", "allow_users", "users", "allowed_roles", "tenant", "level"):
        assert accepted in message


@pytest.mark.parametrize("key", ["label", "labels", "owner", "author", "audience", "name", "term", "tags", "rules", "summary"])
def test_ordinary_keys_are_not_taken_for_access_keys(key: str) -> None:
    assert declared(f"{key}: x").extra == {key: "x"}


@pytest.mark.parametrize(
    "front",
    [
        "access:\n  users: [li.na]", "access: {users: [li.na]}", "x:\n- users: li.na", "title: x\n  users：li.na",
        "tags:\n- a\n  users：li.na",
        "summary: |\n  text\n  users: [li.na]", "summary: >\n  text\n  level: 2", "summary: 'x\n  tenant: y'",
        "meta: {deep: [{allowed-roles: x}]}",
    ],
)
def test_an_access_key_inside_another_value_is_refused(front: str) -> None:
    refused(front)
    refused(None, front)


def test_a_commented_access_key_is_no_key() -> None:
    assert declared("title: x\n# users: [li.na]").access == Access()


@pytest.mark.parametrize(
    "front",
    [
        "users: [li.na]\nusers: [b]", "users: [li.na]\nallowed_users: [b]", "title: a\nTitle: b", "users: [li.na",
        "users: 'li.na", "title: a: b",
        "\tusers: [li.na]", "title: x\nusers li.na", "<<: {users: [a]}", "a: &a {b: *a}", "? [a, b]\n: c", "title: x\n- y",
        "a: \x07",
        "title: x\nfoo\nusers: [li.na]", "'users: [li.na]", "title: !!binary x",
        "&users: [li.na]", "**users**: li.na", "{title: ,x users: [li.na]}", "!!map {x: y}\nusers: [li.na]", ": x",
        "us\ners: li.na",
    ],
)
def test_yaml_that_cannot_be_trusted_is_refused(front: str) -> None:
    refused(front)
    refused(None, front)


def test_alias_bombs_and_deep_nesting_are_refused() -> None:
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True):
        bomb += f"{name}: &{name} [{', '.join(['*' + before] * 9)}]\n"
    assert "aliases" in refused(bomb)
    assert "deep" in refused("a: " + "[" * 30 + "]" * 30)
    assert "depth" in refused("a: " + "[" * 10_000 + "]" * 10_000)
    assert "longer" in refused("a: " + "x" * 300_000)
    text = "+++\na = " + "[" * 5000 + "]" * 5000 + "\nlevel = 2\n+++\n"
    with pytest.raises(MetadataInvalid):
        read(text.encode(), None, name="a.md", settings=PART)


def test_small_aliases_are_read() -> None:
    assert declared("a: &p [x, y]\nb: *p").extra == {"a": ["x", "y"], "b": ["x", "y"]}


@pytest.mark.parametrize(
    "front",
    ["status: activ", "status:", "status: [draft]", "valid_from: soon", "valid_from: 2025-13-01", "valid_until: 2025-07",
    "valid_from: [2025-07-01]",
     "valid_from: 0001-01-01T00:00:00+08:00", "language: english please", "title: [a]", "document: {a: b}", "version: [1]",
     "supersedes: {a: b}",
     "valid_from: 2025-07-02\nvalid_until: 2025-07-01", "valid_from: 2025-07-01\nvalid_until: 2025-07-01T00:00:00Z"],
)
def test_values_that_mean_nothing_are_refused(front: str) -> None:
    refused(front)


def test_a_document_of_one_day_is_valid() -> None:
    assert declared("valid_from: 2025-07-01\nvalid_until: 2025-07-01").until_day


# --- bytes


@pytest.mark.parametrize("sidecar", [b"", b"\n", b"# users: [a]\n", b"~", b"---\n", b"\x00\x01\x02" * 50,
    b"users: [\xff\xfe]", b"- a", b"x" * 2_000_000])
def test_a_sidecar_that_says_nothing_readable_is_refused(sidecar: bytes) -> None:
    with pytest.raises(MetadataInvalid, match="sidecar"):
        read(b"body", sidecar, name="a.md", settings=PART)


@pytest.mark.parametrize("sidecar", ["---\nusers: [li.na]\n---\n", "users: [li.na]\n...\n", "\ufeffusers: [li.na]",
    "users:\r\n- li.na\r\n"])
def test_sidecars_may_have_fences_marks_and_any_line_ending(sidecar: str) -> None:
    assert read(b"%PDF-1.7", sidecar.encode(), name="a.pdf", settings=PART).access.users == ("li.na",)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "big5"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_front_matter_restricts_in_every_encoding(encoding: str, end: str) -> None:
    text = end.join(["---", "title: 內部網關手冊", "users: [li.na]", "---", "", "這是一份內部文件，請不要外傳。" * 3, ""])
    found = read(text.encode(encoding), None, name="a.md", settings=PART)
    assert found.access == Access(users=("li.na",))


@pytest.mark.parametrize(
    "data",
    [
        b"---\nusers: [li.na]\n---\n" + bytes(range(32)) * 200,
        b"\0\0\n---\nusers: [li.na]\n---\n" + bytes(range(32)) * 200,
        b"---\nusers: [li.na]\n---\n%PDF-1.7\n" + bytes(range(32)) * 200,
        b"---\ntitle: x\xff\nus\xffers: [li.na]\n---\n" + "正文内容在这里，足够长的一段文字。".encode() * 10,
    ],
)
def test_front_matter_in_bytes_that_cannot_be_decoded_is_refused(data: bytes) -> None:
    with pytest.raises(MetadataInvalid):
        read(data, None, name="a.md", settings=PART)


@pytest.mark.parametrize(
    "data", [b"", b"%PDF-1.7\n---\nusers: [a]\n---\n", b"PK\x03\x04users: a", bytes(range(256)) * 100,
    b"\x89PNG\r\n\x1a\n" + bytes(range(32)) * 50]
)
def test_binary_documents_have_no_front_matter(data: bytes) -> None:
    assert read(data, None, name="a.bin", settings=PART) == Declared()


def test_html_may_have_front_matter() -> None:
    found = read(b"---\nlevel: 2\n---\n<!doctype html><p>x", None, name="a.html", settings=PART)
    assert found.access.level == 2


# --- properties: what is restricted stays restricted, whatever happens to its text

FRONTS = [
    "title: 手册\nusers: [alice]\nversion: 1.2",
    "allowed_users:\n  - alice\n  - li.na\nstatus: active",
    "title: Gateway\nallowed-roles: board, sre\ntags: [a, b]",
    "users: alice",
    "Tenant: larkfield\ntitle: 'x'",
    "title: x\nlevel: confidential\ndocument: f",
    "{title: x, users: [alice]}",
    '"users": ["alice"]\nsummary: |\n  two\n  lines',
]


def restricts(data: bytes, sidecar: bytes | None = None) -> bool:
    """Whether outsiders are kept out: by a rule that was read, or by the document being withdrawn."""
    try:
        access = read(data, sidecar, name="a.md", settings=PART).access
    except MetadataInvalid:
        return True
    return not access.admits(NOBODY) and not access.admits(MALLORY)


@pytest.mark.parametrize("front", FRONTS)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_examples_restrict(front: str, end: str) -> None:
    data = f"---\n{front}\n---\nbody\n".replace("\n", end).encode()
    assert restricts(data)
    read(data, None, name="a.md", settings=PART)


@pytest.mark.parametrize("front", FRONTS)
def test_no_single_slip_opens_a_document(front: str) -> None:
    """Every character of the block and its fences deleted, doubled, or swapped with the next."""
    text = f"---\n{front}\n---\n\n# 标题\n\nbody\n"
    length = len(f"---\n{front}\n---\n")
    for at in range(length):
        for slip in (
            text[:at] + text[at + 1 :],
            text[:at] + text[at] + text[at:],
            text[:at] + text[at + 1 : at + 2] + text[at] + text[at + 2 :],
        ):
            assert restricts(slip.encode()), slip


@pytest.mark.parametrize("front", FRONTS)
@pytest.mark.parametrize("intruder", list("\n \tx：:-—\u00a0\u200b\ufeff\x0c\x85'\"[}|&!*@%用\0"))
def test_no_single_character_typed_into_it_opens_a_document(front: str, intruder: str) -> None:
    """Every character of the block and its fences with another one before it, or in its place."""
    text = f"---\n{front}\n---\n\n# 标题\n\nbody\n"
    for at in range(len(f"---\n{front}\n---\n")):
        for slip in (text[:at] + intruder + text[at:], text[:at] + intruder + text[at + 1 :]):
            # `users用 alice` between two rules: without one colon, and with another word, there is nothing to tell it by.
            if intruder in "x用" and ":" not in slip:
                continue
            assert restricts(slip.encode()), slip


@given(
    front=st.sampled_from(FRONTS),
    move=st.sampled_from(["none", "double", "indent", "swap", "blank above", "blank below", "unindent"]),
    line=st.integers(0, 9),
    edit=st.sampled_from(["none", "delete", "insert"]),
    at=st.integers(0, 400),
    char=st.sampled_from("\n\r ：:-—\t\u3000\u200b'[=用"),
)
@settings(max_examples=500, deadline=None)
def test_a_line_that_moves_and_a_slip_elsewhere_do_not_open_a_document(
    front: str, move: str, line: int, edit: str, at: int, char: str
) -> None:
    """The line that restricts may not lose its force by what happens around it."""
    lines = f"---\n{front}\n---".split("\n")
    line %= len(lines) - 1
    moved = {
        "double": [lines[line]] * 2, "indent": ["  " + lines[line]], "blank above": ["", lines[line]],
        "blank below": [lines[line], ""],
        "unindent": [lines[line].lstrip()],
    }
    if move == "swap":
        lines[line], lines[line + 1] = lines[line + 1], lines[line]
    elif move in moved:
        lines[line : line + 1] = moved[move]
    key = next(i for i, text in enumerate(lines) if any(k in text.lower() for k in ("users", "roles", "tenant", "level")))
    others = [i for i in range(len(lines)) if i != key]
    if edit != "none":
        index = others[at % len(others)]
        text = lines[index]
        place = at // len(others) % (len(text) + (edit == "insert")) if text or edit == "insert" else 0
        lines[index] = text[:place] + (char if edit == "insert" else "") + text[place + (edit == "delete") :]
    text = "\n".join([*lines, "", "# 标题", "", "body"])
    assert restricts(text.encode()), text


@given(front=st.sampled_from(FRONTS), cut=st.integers(0, 60))
@settings(deadline=None)
def test_a_file_cut_in_its_front_matter_is_refused_or_restricts(front: str, cut: int) -> None:
    text = f"---\n{front}\n---\nbody\n"
    key = max(text.lower().find(k) for k in ("users", "roles", "tenant", "level"))
    end = text.index("\n", key)
    assert restricts(text[: min(len(text), end + cut)].encode())


@given(st.binary(max_size=200), st.one_of(st.none(), st.binary(max_size=100)))
@settings(max_examples=200, deadline=None)
def test_any_bytes_give_a_declaration_or_one_error(data: bytes, sidecar: bytes | None) -> None:
    try:
        digest_of(read(data, sidecar, name="a", settings=PART))
    except MetadataInvalid:
        pass


@given(
    st.dictionaries(
        st.text(max_size=12),
        st.recursive(st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.dates()),
                     lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=5), below, max_size=3),
                         max_leaves=6),
        min_size=1, max_size=4,
    )
)
@settings(max_examples=200, deadline=None)
def test_any_yaml_gives_a_declaration_or_one_error(mapping: dict[str, Any]) -> None:
    import yaml

    sidecar = yaml.safe_dump(mapping, allow_unicode=True).encode("utf-8", "surrogatepass")
    try:
        digest_of(read(b"x", sidecar, name="a", settings=PART))
    except MetadataInvalid:
        pass
