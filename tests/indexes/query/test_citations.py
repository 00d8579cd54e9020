"""Citations of an answer held to its pack: what was given, unaltered, and says what is quoted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexes.query.citations import CitationReport, read_pack, verify_citations
from indexes.query.evidence import search
from indexes.query.passages import cited, passages, quotations, squeezed, stands, ways
from indexes.query.request import Request
from ingest.errors import UsageError
from ingest.model.access import Access, Principal
from ingest.model.canonical import plain
from ingest.settings import SearchPart

ONE = "A node accepts 20000 connections. Beyond that it answers with 429."
TWO = "云脉网关单节点默认最大并发连接数为 20000，超过后返回 429。"


@pytest.fixture
def pack(make_snapshot: Callable[..., Any], make_row: Callable[..., Any]) -> Any:
    with make_snapshot([make_row(0, text=ONE), make_row(2, text=TWO)]) as snapshot:
        return search(snapshot, None, Request("429", "bm25", as_of="2026-01-01T00:00:00Z"), SearchPart())


def of(pack: Any, text: str) -> str:
    """The citation of the piece with this text."""
    (found,) = (item.citation for item in pack.evidence if item.text == text)
    return str(found)


def problems(report: CitationReport) -> dict[str, tuple[str, ...]]:
    return {each.citation: each.problems for each in report.cited if each.problems}


def says(text: str, quoted: str) -> bool:
    return any(stands(parts, squeezed(text)) for parts in ways(quoted))


# Which citations stand in a text


@pytest.mark.parametrize(("text", "found"), [
    ("as said [K1]", "K1"), ("as said (K2).", "K2"), ("如前所述【K1】。", "K1"), ("如前所述［Ｋ３］", "K3"),
    ("see K1 and K12", "K1 K12"),
    ("[K1, K3]", "K1 K3"), ("[K1][K2] [K1]", "K1 K2"), ("[K1-K3]", "K1 K2 K3"), ("【K2至K4】", "K2 K3 K4"),
    ("K8s, K-1, K0, AK47, K1a and docs/K2.md", ""), ("K1/K2", "K1 K2"), ("", ""),
])
def test_citations_are_found_however_they_are_written(text: str, found: str) -> None:
    assert cited(text) == tuple(found.split())


def test_a_citation_behind_a_full_stop_belongs_to_the_sentence_before() -> None:
    said = passages("It accepts 20000. [K1] It answers with 429.[K2] 单节点上限是两万。【K1】超过后拒绝。")
    assert [(passage.citations, passage.states) for passage in said] == [
        (("K1",), True), (("K2",), True), (("K1",), True), ((), True)
    ]


def test_headings_lead_ins_rules_and_code_state_nothing() -> None:
    listed = "- 20000 connections [K1]\n- one console"
    answer = f"# Limits\n\nThe limits are:\n\n{listed}\n\n---\n\n```\nX = K9\n```\n\n| a | b |\n|---|---|\n"
    said = passages(answer)
    assert [passage.text for passage in said if passage.states] == ["20000 connections [K1]", "one console"]
    assert {citation for passage in said for citation in passage.citations} == {"K1"}


# What is quoted


def test_quotations_are_found_in_every_kind_of_marks() -> None:
    said = 'It says "A node accepts" [K1]. 它说“单节点默认”【K2】，又说「最大并发」。『超过后』'
    answer = f"{said}\n\n> a block\n> of two lines [K1]\n"
    assert [(each.text, each.citations) for each in quotations(answer)] == [
        ("A node accepts", ("K1",)), ("单节点默认", ("K2",)), ("最大并发", ("K2",)), ("超过后", ()),
        ("a block\nof two lines", ("K1",)),
    ]


def test_quotations_are_found_in_marks_of_other_languages_and_apostrophes_are_none() -> None:
    said = "„zwanzig“ «vingt ports» ‹vingt› ‘twenty, don’t ask’ the nodes’ limit isn’t ‘it’s’."
    assert [each.text for each in quotations(said)] == ["zwanzig", "vingt ports", "vingt", "twenty, don’t ask", "it’s"]


def test_a_block_is_quoted_without_its_marks_and_without_who_said_it() -> None:
    answer = "> “A node accepts 20000.”\n> — the manual [K1]\n\n> one\n> -- two [K2]\n\n> — alone [K3]\n"
    assert [(each.text, each.citations) for each in quotations(answer)] == [
        ("A node accepts 20000.", ("K1",)), ("one", ("K2",)), ("— alone", ("K3",)),
    ]


def test_code_in_a_quotation_is_a_part_of_it() -> None:
    assert quotations("它说“在 `gate.yaml` 中修改”[K1]。")[0].text == "在 `gate.yaml` 中修改"


def test_a_quotation_of_several_sentences_is_in_one() -> None:
    (one, two) = passages("手册说：“最多 5000 个。超过后返回 429。”（K2）他走了 [K1]。")
    assert (one.citations, two.citations) == (("K2",), ("K1",))


def test_a_range_may_name_its_end_by_number_alone_in_brackets() -> None:
    assert cited("[K1-3] 【K5–6】") == ("K1", "K2", "K3", "K5", "K6")
    assert cited("part K1-3, (K1-3)") == ()


def test_a_block_without_a_citation_is_held_to_the_sentence_beside_it() -> None:
    assert quotations("As the manual says [K2]:\n\n> 20000")[0].citations == ("K2",)
    assert quotations("> 20000\n\n(K1) says so. Others differ [K2].")[0].citations == ("K1",)
    assert quotations("> 20000")[0].citations == ()


@pytest.mark.parametrize("part", ["“", "«", "「", "[K1", "(K1 ", "*a ", "‘a’b", " ", '"a" '])
def test_an_answer_as_long_as_servers_take_is_read_whatever_marks_it_is_made_of(part: str) -> None:
    answer = part * (90_000 // len(part))
    assert passages(answer) is not None
    for each in quotations(f'{answer} "b"')[:3]:  # none of this takes minutes, as trying every mark as a beginning would
        assert not says("some text of this passage " * 20, each.text)


def test_code_quotes_nothing() -> None:
    assert quotations('Write `echo "hello"` there.\n\n~~~\nprint("hello")\n~~~\n') == []


@pytest.mark.parametrize(("one", "other", "same"), [
    ("a  b\nc", "a b c", True), ("２００００ 个", "20000 个", True), ("连接\n数", "连接数", True), ("连接数 20000",
    "连接数20000", True),
    ("therapist", "the rapist", False), ("A node", "a node", False), ("20,000", "20000", False), ("m²", "m2", False),
])
def test_only_white_space_and_width_are_set_aside(one: str, other: str, same: bool) -> None:
    assert says(one, other) is says(other, one) is same


@pytest.mark.parametrize(("text", "quoted"), [
    ("It has 20 ports and more.", "20 ports,"), ("It has 20 ports and more.", "20 ports."),
    ("上限为 5000 个连接。", "上限为 5000 个连接，"),
    ("It has 20 ports and a fan.", "It has 20 ports ... a fan"), ("单节点最多 5000 个，超过后返回 429。", "单节点……返回 429"),
    ("在 gate.yaml 的 limit 中修改", "在 `gate.yaml` 的 `limit` 中修改"), ("at most 5000 ports", "at most **5000** ports"),
    ("最多4000个", "最多**4000**个"), ("don’t say “no” twice", "don't say 'no' twice"), ("经理说：“好。”", "经理说：‘好。’"),
    ("ports 10–20", "ports 10-20"), ("(see 5)", "(see 5)"), ("__init__ runs", "__init__"), ("2*3*4", "2*3*4"),
    ("wait ... go", "wait ... go"),
])
def test_what_writers_change_without_quoting_otherwise_is_set_aside_too(text: str, quoted: str) -> None:
    assert says(text, quoted)


@pytest.mark.parametrize(("text", "quoted"), [
    ("It is illegal.", "legal"), ("kept for 120 days", "20 days"), ("costs 3.20 euros", "20 euros"),
    ("costs 5,900 euros", "900 euros"),
    ("takes 20.5 s", "takes 20"), ("takes 20,000 s", "takes 20"), ("LT-5521", "LT-552"), ("café noir", "caf"),
    ("a fan and 20 ports", "20 ports ... a fan"),
    ("anything", "..."), ("anything", "?!"), ("234", "2*3*4"),
])
def test_half_words_half_numbers_and_parts_in_another_order_are_no_quotation(text: str, quoted: str) -> None:
    assert not says(text, quoted)


# An answer and its pack


def test_a_faithful_answer_is_valid(pack: Any) -> None:
    one, two = of(pack, ONE), of(pack, TWO)
    report = verify_citations(f"It says “A node\naccepts 20000 connections” [{one}]. 超过后“返回４２９”【{two}】。", pack)
    assert report.valid and (report.sentences, report.uncited, report.kept) == (2, (), None)
    assert {each.citation: each.times for each in report.cited} == {one: 1, two: 1}
    assert all(each.uri and each.chunk_id for each in report.cited)


def test_a_citation_that_was_never_given_is_told(pack: Any) -> None:
    report = verify_citations("It accepts 20000 [K9].", pack)
    assert not report.valid and problems(report) == {"K9": ("unknown",)}


def test_sentences_without_a_citation_are_counted_and_no_problem(pack: Any) -> None:
    report = verify_citations("It accepts 20000 [K1]. I think that this is plenty.", pack)
    assert (report.valid, report.sentences, report.uncited) == (True, 2, ("I think that this is plenty.",))


def test_a_quotation_that_nothing_says_and_one_of_another_piece(pack: Any) -> None:
    one, two = of(pack, ONE), of(pack, TWO)
    report = verify_citations(f'It "accepts 30000 connections" [{one}]. It "answers with 429" [{two}].', pack)
    assert [(each.problem, each.found_in) for each in report.quoted] == [("nowhere", ()), ("elsewhere", (one,))]
    assert not report.valid
    assert verify_citations('It "answers with 429".', pack).valid, "what is quoted without a citation may be of any piece"


def test_the_context_of_a_piece_may_be_quoted(pack: Any) -> None:
    (item, *_) = pack.evidence
    assert verify_citations(f'"{item.context}" [{item.citation}]', pack).valid


def test_texts_and_quotations_are_made_alike_once_however_many_there_are(
    pack: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import indexes.query.passages as module

    class Counting:
        read = 0

        def sub(self, by: str, text: str) -> str:
            Counting.read += len(text)
            return spaces.sub(by, text)

    spaces = module._BESIDE_HAN
    monkeypatch.setattr(module, "_BESIDE_HAN", Counting())
    first = pack.evidence[0]
    many = replace(pack, evidence=tuple(replace(first, citation=f"K{at}") for at in range(1, 13)))
    answer = " ".join(f'"q{at % 50} b" [K1].' for at in range(300))
    report = verify_citations(answer, many)
    assert len(report.quoted) == 300 and {each.problem for each in report.quoted} == {"nowhere"}
    texts = {first.text, first.context, first.title, *first.heading_path}
    assert Counting.read <= sum(map(len, texts)) + 2 * len(answer)


def test_a_text_that_was_altered_in_the_pack_is_told(pack: Any) -> None:
    first, *others = pack.evidence
    forged = replace(pack, evidence=(replace(first, text=first.text + " And it is free."), *others))
    assert problems(verify_citations(f"Free [{first.citation}].", forged)) == {first.citation: ("altered",)}


# Against the generation that is kept


def test_rows_that_are_kept_hold_and_others_are_told(make_snapshot: Callable[..., Any], make_row: Callable[..., Any]) -> None:
    rows = [make_row(0, text=ONE), make_row(2, text=TWO)]
    with make_snapshot(rows) as snapshot:
        pack = search(snapshot, None, Request("429", "bm25", as_of="2026-01-01T00:00:00Z"), SearchPart())
        answer = " ".join(f"[{item.citation}]" for item in pack.evidence)
        report = verify_citations(answer, pack, snapshot)
        assert report.valid and report.kept is True
        other = verify_citations(answer, replace(pack, snapshot="another"), snapshot)
        assert not other.valid and other.kept is False
    with make_snapshot([replace(rows[0], text="another text"), make_row(4)]) as changed:
        found = problems(verify_citations(answer, pack, changed))
    assert found == {of(pack, ONE): ("changed",), of(pack, TWO): ("gone",)}


def test_what_a_caller_may_not_see_is_gone_to_him(make_snapshot: Callable[..., Any], make_row: Callable[..., Any]) -> None:
    who = Principal(level=1)
    with make_snapshot([make_row(0, text=ONE, access=Access(level=1))]) as snapshot:
        pack = search(snapshot, None, Request("429", "bm25", as_of="2026-01-01T00:00:00Z", principal=who), SearchPart())
        assert verify_citations("[K1]", pack, snapshot).valid
        hidden = problems(verify_citations("[K1]", replace(pack, principal=Principal()), snapshot))
    with make_snapshot([make_row(4)]) as without:
        assert hidden == problems(verify_citations("[K1]", replace(pack, principal=Principal()), without)) == {"K1": ("gone",)}


# Packs from files


def test_a_pack_survives_being_written_and_read(pack: Any) -> None:
    assert read_pack(orjson.dumps(pack)) == pack
    assert read_pack(orjson.dumps(plain(pack))) == pack


@pytest.mark.parametrize("data", [b"", b"[]", b'{"generation": 1}', b"\xff", b'{"generation": "x", "evidence": 3}'])
def test_what_is_no_pack_is_refused(data: bytes) -> None:
    with pytest.raises(UsageError, match="no evidence pack"):
        read_pack(data)


@given(st.text(alphabet="K1 29[]【】\n>\"“”「」。.#|`-*ab云", max_size=120))
def test_any_answer_can_be_looked_at(text: str) -> None:
    for passage in passages(text):
        assert set(passage.citations) <= set(cited(text))
    assert all(each.text for each in quotations(text))
