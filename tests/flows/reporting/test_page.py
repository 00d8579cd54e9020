"""The page: whole, by itself, readable by everybody, and made of nothing but what we put there."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.reporting.documents import Touched
from flows.reporting.markup import ATTRIBUTES, Element, legible
from flows.reporting.page import page
from flows.reporting.parts import SHOWN
from flows.reporting.record import MadeWith, Parsed, Point, Report
from flows.reporting.stop import Stop
from ingest.model.report import Change, ReportedFailure

ELEMENTS = set(Element.__args__)  # type: ignore[attr-defined]
WHATS = ("added", "changed", "renamed", "gone", "rewritten")
STATES = ("served", "quarantined", "failed", "withdrawn", "")


def point(number: int, chunks: int = 10) -> Point:
    return Point(number, "2026-01-01T00:00:00Z", "run", f"{number:032x}", 3, chunks, 2, 1, 0)


def a_report(**fields: Any) -> Report:
    filled: dict[str, Any] = {
        "sources": {"added": 1, "changed": 0, "same": 2, "gone": 0, "renamed": 0, "failed": 0},
        "chunks": {"added": 4, "removed": 0, "kept": 6, "rewritten": 0},
        "seconds": {"plan": 0.1, "parse": 61.0, "index": 4000.0, "publish": 0.0},
        "builds": {"vector": {"rows": 4, "reused": False, "seconds": 0.2}, "bm25": {"rows": 0, "reused": True, "seconds": 0.0}},
        "documents": (Touched("docs/手册.md", "added", state="served", media_type="text/markdown", added=4),),
        "made_with": MadeWith({"chunk": "0" * 32}, {"embed": "hash 1"}, {"embed": "hash"}, "0" * 32, {}, {}),
        "parsers": (Parsed("application/pdf", "pdf 1", 2, 1, 30), Parsed("text/markdown", "markdown 1", 1)),
        "history": (point(1), point(2, 12)), **fields,
    }
    return Report("run", "published", "2026-01-01T00:00:00Z", 2, "ab" * 16, 1, **filled)


text = st.one_of(st.text(max_size=20), st.text(alphabet="<>&\"'/ =onerrscriptimg\u202e\x00\ud800云\u0645", max_size=30))
count = st.integers(0, 10**6)
seconds = st.floats(0, 1e5)
documents = st.builds(
    Touched, text, st.sampled_from(WHATS), text, st.sampled_from(STATES), text, text, st.none() | count, count, count, count
)
reports = st.builds(
    Report, st.sampled_from(("run", "rollback", "repair", "import", "plan")),
    st.sampled_from(("published", "unchanged", "failed")), text, count, text, count, text,
    st.none() | st.builds(Stop, text, text, st.integers(1, 7), st.booleans(), text),
    st.fixed_dictionaries(dict.fromkeys(("added", "changed", "same", "gone", "renamed", "failed"), count)),
    st.fixed_dictionaries(dict.fromkeys(("added", "removed", "kept", "rewritten"), count)), count,
    st.lists(documents, max_size=4).map(tuple),
    st.lists(st.builds(ReportedFailure, text, text, text, text, st.booleans(), st.booleans()), max_size=3).map(tuple),
    st.lists(text, max_size=3).map(tuple), st.lists(st.builds(Change, text, text, text), max_size=3).map(tuple),
    st.lists(text, max_size=2).map(tuple), st.dictionaries(text, seconds, max_size=3),
    st.dictionaries(text, st.fixed_dictionaries({"rows": count, "reused": st.booleans(), "seconds": seconds}), max_size=2),
    st.none() | st.builds(
        MadeWith, *[st.dictionaries(text, text, max_size=2)] * 3, text,
        st.dictionaries(text, st.dictionaries(text, text, max_size=2), max_size=2), st.dictionaries(text, text, max_size=2),
    ),
    st.lists(st.builds(Parsed, text, text, count, count, st.none() | count), max_size=3).map(tuple),
    st.lists(st.builds(Point, count, text, text, text, count, count, count, count, count), max_size=4).map(
        lambda points: tuple(sorted(points, key=lambda point: point.generation))
    ),
)


@settings(max_examples=60, deadline=None)
@given(reports)
def test_page_has_no_element_and_no_attribute_that_is_not_ours(report: Report) -> None:
    from lxml import html

    written = page(report)
    root = html.document_fromstring(written.encode("utf-8"))
    lower = {name.lower(): name for name in ATTRIBUTES}
    for node in root.iter():
        assert isinstance(node.tag, str) and node.tag in ELEMENTS, node
        assert {name.lower() for name in node.attrib} <= set(lower), node.attrib
    assert written.count("<style>") == written.count("</style>") == 1
    for one in (*report.documents[:SHOWN], *report.failures):
        assert escaped_in(root, one.uri)


def escaped_in(root: Any, uri: str) -> bool:
    """Whether some element on the page has this name for its whole text (white space is the parser's)."""
    wanted = legible(uri).replace("\r", "")
    return any((node.text or "") == wanted for node in root.iter("bdi"))


def test_page_needs_nothing_but_itself(taken_apart: Callable[..., Any]) -> None:
    written = page(a_report())
    assert not re.search(r"https?://|url\(|@import|<script|<link|<img|<iframe|src=|href=", written)
    root = taken_apart(written)
    policy = root.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")[0]
    digest = base64.b64encode(hashlib.sha256(root.xpath("//style")[0].text.encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    head = [node.tag for node in root.find("head")]
    assert head.index("meta") == 0 and head.index("style") > 1, "the policy comes before what it is about"
    assert root.get("lang") == "en" and root.xpath("//meta[@name='viewport']") and written.startswith("<!doctype html>")


def test_page_can_be_heard(taken_apart: Callable[..., Any]) -> None:
    """Headings in order, a caption and column heads for every table, a text or silence for every drawing."""
    root = taken_apart(page(a_report(warnings=("odd",), error=Stop("StorageFailed", "disk full", 1, True, "chunk"))))
    assert next(node.tag for node in root.iter("h1", "h2", "h3")) == "h1" and len(root.xpath("//h1")) == 1
    assert all(section[0].tag == "h2" for section in root.iter("section"))
    for table in root.iter("table"):
        assert table[0].tag == "caption" and table[0].text_content()
        heads = table.xpath("./thead/tr/*")
        assert all(head.get("scope") == "col" and head.text for head in heads if head.tag == "th")
        assert all(row[0].tag == "th" and row[0].get("scope") == "row" for row in table.xpath("./tbody/tr"))
        assert {len(row) for row in table.xpath(".//tr")} == {len(heads)}
    drawings = root.xpath("//*[local-name()='svg']")
    assert len(drawings) > 8
    for svg in drawings:
        if svg.get("role") == "img":
            title, description = svg[0], svg[1]
            assert (title.tag, description.tag) == ("title", "desc")
            assert f"{title.get('id')} {description.get('id')}" == svg.get("aria-labelledby")
            assert title.text and re.search(r"from \d+ in generation 1 to \d+ in generation 2", description.text)
        else:
            assert svg.get("aria-hidden") == "true"
    ids = root.xpath("//@id")
    assert len(ids) == len(set(ids))


def test_page_of_a_real_base_names_everything(base: Any, taken_apart: Callable[..., Any], corpus: Path) -> None:
    for name in ("policies/数据分级与访问管理制度.docx", "whitepapers/yungate-data-plane.en.pdf", "reference/glossary.zh.md"):
        base.write(name, (corpus / name).read_bytes())
    base.write("api.md", (corpus / "reference" / "api-guide.en.md").read_bytes())
    base.write("<b>粗体</b>.md", "# Bold\n\nBold.\n")
    base.write("empty.md", "")
    base.write("private.md", "---\nallowed_rolez: [x]\n---\n# Private\n\nThe MAGPIE.\n")
    base.run()
    root = taken_apart(base.kb / "report.html")
    said = root.text_content()
    assert root.find(".//h1").text == "Published generation 1"
    for name in ("数据分级与访问管理制度.docx", "glossary.zh.md", "<b>粗体</b>.md", "api.md", "3 pages", "Word", "PDF"):
        assert name in said, name
    assert "remove it or fill it" in said and "withdrawn: its metadata cannot be trusted" in said and "MAGPIE" not in said
    assert not root.xpath("//b")
    headings = [node.text for node in root.iter("h2")]
    assert headings == [
        "Documents that failed", "What changed", "Where the time went", "Over the generations", "What it is made of", "Indexes",
        "Made with",
    ]
    base.run()
    again = taken_apart(base.kb / "report.html")
    assert again.find(".//h1").text == "Nothing to do: generation 1 still holds"
    assert "What changed" not in again.text_content() and "Documents that failed" in again.text_content()


def test_long_lists_are_cut_with_what_is_left_out_counted(taken_apart: Callable[..., Any]) -> None:
    many = SHOWN + 1234
    report = a_report(
        documents=tuple(Touched(f"docs/{number}.md", "added", state="served", added=1) for number in range(many)),
        failures=tuple(ReportedFailure(f"f/{number}", "parse", "X", "y", False, False) for number in range(many)),
        warnings=tuple(f"warning {number}" for number in range(many)),
        plan=tuple(Change(f"p/{number}", "added") for number in range(many)),
    )
    written = page(report)
    assert written.count("and 1,234 more, in the JSON") == 4
    assert len(written) < 250_000
    assert f"docs/{SHOWN - 1}.md" in written and f"docs/{SHOWN}.md" not in written
    names = [node.text for node in taken_apart(written).iter("span") if node.get("class") == "count"]
    assert names == ["1,334", "1,334"], "the headings count all"


@pytest.mark.parametrize(("changes", "title", "state"), [
    ({}, "Published generation 2", "Published"),
    ({"kind": "rollback"}, "Published generation 2 by a rollback", "Published"),
    ({"outcome": "unchanged"}, "Nothing to do: generation 2 still holds", "Unchanged"),
    ({"outcome": "planned"}, "What a run would do", "Nothing was written"),
    ({"outcome": "failed", "error": Stop("RootEmptied", "x", 1, False)}, "The run failed", "RootEmptied"),
    ({"outcome": "failed", "error": Stop("OnHold", "x", 7, False)}, "The run was refused", "OnHold"),
    ({"warnings": ("odd",)}, "Published generation 2", "1 warning"),
    ({"failures": (ReportedFailure("a", "parse", "X", "y", True, True),) * 2}, "Published generation 2", "2 documents failed"),
])
def test_heading_says_in_words_how_it_ended(
    taken_apart: Callable[..., Any], changes: dict[str, Any], title: str, state: str
) -> None:
    root = taken_apart(page(replace(a_report(), **changes)))
    assert root.find(".//h1").text == title
    assert root.find("head/title").text == f"{title} · Concord"
    assert root.find(".//strong").text == state


@pytest.mark.parametrize(("failure", "served", "again"), [
    (ReportedFailure("a", "parse", "X", "y", False, True), "served stale: its last good text", "ingest run --rehash"),
    (ReportedFailure("a", "read", "X", "y", True, False), "nothing of it is served", "The next run tries again"),
    (ReportedFailure("a", "metadata", "X", "y", False, False), "withdrawn: its metadata cannot be trusted", "its file changes"),
])
def test_failure_says_what_is_served_and_when_it_is_tried_again(failure: ReportedFailure, served: str, again: str) -> None:
    written = page(a_report(failures=(failure,)))
    assert served in written and again in written


def test_settings_that_are_others_than_before_stand_out(taken_apart: Callable[..., Any]) -> None:
    made = MadeWith(
        {"chunk": "0" * 32, "bm25": "1" * 32}, {"embed": "hash 2"}, {"embed": "hash"}, "0" * 32, {"chunk": {"child_max": 200}},
        {"settings.chunk": "child_max was 300", "fingerprints.embed": "was hash 1"},
    )
    said = " ".join(taken_apart(page(a_report(made_with=made))).text_content().split())
    assert "child_max = 200changed child_max was 300" in said and "hash 2changed was hash 1" in said
    assert "1" * 32 in said, "the digest where the values are not known"


@pytest.mark.parametrize("points", [1, 2, 61, 400])
def test_history_of_any_length_is_drawn(taken_apart: Callable[..., Any], points: int) -> None:
    history = tuple(point(number, 0 if points == 2 else number) for number in range(1, points + 1))
    root = taken_apart(page(a_report(history=history)))
    traces = root.xpath("//*[local-name()='path'][@class='trace']/@d")
    assert len(traces) == 2 and all(trace.count("L") == points - 1 for trace in traces)
    assert all(-1 <= float(number) <= 1001 for trace in traces for number in re.findall(r"-?[\d.]+", trace))
    rows = root.xpath("//table[caption='The last generations, newest first']/tbody/tr")
    assert len(rows) == min(points, 12) and rows[0][0].text == str(points)
