"""docs/sources.md says what the code does."""

import re
import tomllib
from pathlib import Path

import pytest

from ingest.errors import MetadataInvalid
from ingest.model.access import Access
from ingest.model.frontmatter import ACCESS_KEYS, split
from ingest.model.instant import is_date_only, parse_instant
from ingest.model.source import STATUSES, Declared, Root
from ingest.settings import RootPart, Settings, SourcesPart
from ingest.sources.families import Member, windows
from ingest.sources.metadata import read
from ingest.sources.scan import scan
from ingest.sources.values import KEYS

PAGE = Path(__file__).parents[3] / "docs" / "sources.md"
TEXT = PAGE.read_text(encoding="utf-8")
PART = SourcesPart()


def example(kind: str) -> str:
    (found,) = re.findall(rf"^```{kind}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    return str(found)


def test_the_page_itself_has_no_metadata_and_is_open() -> None:
    assert split(TEXT).problem is None
    assert read(TEXT.encode(), None, name="sources.md", settings=PART) == Declared()


def test_the_front_matter_declares_every_key() -> None:
    found = read(example("markdown").encode(), None, name="a.md", settings=PART)
    assert found == Declared(
        title="Gateway manual", family="gateway-manual", version="1.10", valid_from="2025-07-01T00:00:00Z",
        valid_until="2025-12-31T00:00:00Z", until_day=True, supersedes=("1.9",), language="en", scope="product",
        access=Access(tenant="larkfield", users=("Smith, John", "li.na"), roles=("sre", "support"), level=2),
    )


def test_the_sidecar_is_read() -> None:
    found = read(b"PK\x03\x04", example("yaml").encode(), name="price-list.xlsx", settings=PART)
    assert (found.family, found.version, found.access) == ("price-list", "2026", Access(roles=("finance", "sales"), level=1))


def test_the_withdrawn_example_is_withdrawn() -> None:
    with pytest.raises(MetadataInvalid):
        read(example("markdown withdrawn").encode(), None, name="a.md", settings=PART)


def test_every_key_and_status_is_in_the_table() -> None:
    table = TEXT[TEXT.index("| key | means") : TEXT.index("Keys compare")]
    for name in (*KEYS, *ACCESS_KEYS, *STATUSES):
        assert f"`{name}`" in table
    assert set(re.findall(r"`([a-z_]+)`", table)) - {*KEYS, *STATUSES} == set()


@pytest.mark.parametrize("key", ["roles", "user", "acl", "deny_users", "alowed_users"])
def test_the_lookalikes_named_there_are_refused(key: str) -> None:
    assert f"`{key}`" in TEXT
    with pytest.raises(MetadataInvalid):
        read(f"---\n{key}: x\n---\n".encode(), None, name="a.md", settings=PART)


def test_the_ignore_example_does_what_its_comment_says(tmp_path: Path) -> None:
    for name in ("drafts/a.md", "drafts/glossary.md", "x.log", "b.md", "Thumbs.db", "~$plan.docx", "c.tmp", "d.md~", "e.swp"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / ".ingestignore").write_text(example("gitignore"))
    assert [one.source.path for one in scan(Root("r", str(tmp_path)), PART).found] == ["b.md", "drafts/glossary.md"]


def test_the_guards_are_those_of_the_settings() -> None:
    assert f"more than {PART.mass_delete_files} files and more than {PART.mass_delete_share:.0%}".replace("%", " %") in TEXT


def test_the_windows_are_derived() -> None:
    members, expected = [], {}
    for line in example("windows").splitlines():
        version, *_ = line.split()
        dates = dict(re.findall(r"(valid_\w+): (\S+)", line))
        shown = re.search(r"(\S+) \.\.(?: (\S+))?$", line)
        assert shown
        until = dates.get("valid_until")
        members.append(Member(version, f"docs/{version}", Declared(
            family="f", version=version, valid_from=parse_instant(dates["valid_from"]),
            valid_until=parse_instant(until) if until else None, until_day=bool(until and is_date_only(until)),
        )))
        expected[version] = (parse_instant(shown[1]), parse_instant(shown[2]) if shown[2] else None)
    made = windows(members)
    assert made.window == expected
    assert [finding.kind for finding in made.findings] == ["gap"]


def test_every_setting_of_a_root_is_in_the_table_and_the_example_is_valid() -> None:
    table = TEXT[TEXT.index("| setting | default |") : TEXT.index("For all of them")]
    first = "".join(re.findall(r"^\|([^|]*)\|", table, re.MULTILINE))
    assert set(re.findall(r"`([a-z_]+)`", first)) == set(RootPart.model_fields)
    told = Settings.model_validate(tomllib.loads(example("toml"))).sources
    assert set(told.roots) == {"handbook", "site"}


def test_every_scheme_is_in_the_table() -> None:
    from ingest.sources.remote.connectors import _OWN

    table = TEXT[TEXT.index("| URL | needs") : TEXT.index("How one is reached")]
    assert set(re.findall(r"`([a-z0-9]+)://", table)) == set(_OWN) - {"memory", "abfss"}
