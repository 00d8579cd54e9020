from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.model.access import Access, Principal
from ingest.model.gate import Gates, gate_id
from ingest.model.instant import BEGIN, END
from ingest.model.predicate import FilterColumns, Predicate

_COLUMNS = st.builds(
    FilterColumns, source_id=st.just("urn:kb:source:a"), tenant=st.sampled_from(("", "acme")), level=st.integers(0, 3),
    acl=st.sampled_from((("*",), (), ("u:王芳",), ("r:ops", "u:a"))), status=st.sampled_from(("active", "draft")),
    valid_from=st.sampled_from((BEGIN, 0, END)), valid_until=st.sampled_from((BEGIN, 1, END)), family=st.text(max_size=3),
    version=st.text(max_size=3), scope=st.text(max_size=3), language=st.sampled_from(("", "zh")),
)


_WHO = st.sampled_from((None, Principal(), Principal("王芳", ("ops",), "acme", 2)))


@given(st.lists(_COLUMNS), _WHO, st.sampled_from((None, 0, END - 1)))
def test_gates_admit_what_the_predicate_admits(columns, principal, as_of):
    predicate = Predicate(principal, as_of, sources=("urn:kb:source:other",))
    gates = Gates({gate_id(each): replace(each, source_id="") for each in columns})
    admitted = Gates.loaded(gates.dumped()).admitted(predicate)
    for each in columns:
        assert (gate_id(each) in admitted) == replace(predicate, sources=None).admits(each)


@given(st.lists(_COLUMNS))
def test_dump_is_the_same_whatever_the_order(columns):
    table = {gate_id(each): replace(each, source_id="") for each in columns}
    backwards = Gates(dict(reversed(table.items())))
    assert backwards.dumped() == Gates(table).dumped()
    assert Gates.loaded(backwards.dumped()).columns == table


def test_a_lone_surrogate_survives():
    columns = FilterColumns("", "", 0, ("u:\ud800",), "active", BEGIN, END, "", "", "\udcff", "")
    assert Gates.loaded(Gates({gate_id(columns): columns}).dumped()).columns == {gate_id(columns): columns}


def test_a_changed_access_rule_is_another_gate():
    columns = FilterColumns("", "", 0, Access().acl(), "active", BEGIN, END, "", "", "", "")
    assert gate_id(columns) == gate_id(replace(columns, source_id="urn:kb:source:a"))
    assert gate_id(columns) != gate_id(replace(columns, acl=Access(users=()).acl()))


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b'{"a":1}', b'{"a":["t",0,["*"]]}', b'{"a":["",null,[],"",0,0,"","","",""]}'])
def test_anything_else_is_refused(data):
    with pytest.raises(ValueError):
        Gates.loaded(data)
