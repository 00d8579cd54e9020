import networkx as nx
import pytest

from indexes.graph.export import to_networkx, write_graphml
from indexes.graph.reader import open_reader
from ingest.errors import StorageFailed
from ingest.model.edge import HAS_PARENT, LINKS_TO, MENTIONS, Edge
from ingest.model.predicate import Predicate


@pytest.fixture
def built(disk, make_row):
    rows = [make_row(number) for number in range(9)]
    link = Edge(rows[0].source_id, LINKS_TO, "urn:kb:source:nowhere", rows[0].source_id, rows[0].chunk_id, "2024-01-01T00:00:00Z")
    return disk.build(None, rows, edges=[link])[0], rows, link


def test_nodes_have_kinds_and_labels(built):
    path, rows, _ = built
    graph = to_networkx(path, {"urn:kb:entity:海力": "北京海力科技有限公司"})
    kinds = {name: fields["kind"] for name, fields in graph.nodes(data=True)}
    assert kinds[rows[0].source_id] == "source"
    assert kinds[rows[0].parent_id] == "parent"
    assert kinds[rows[0].chunk_id] == "chunk"
    assert kinds["urn:kb:entity:海力"] == "entity"
    assert kinds["urn:kb:source:nowhere"] == "absent"
    assert graph.nodes[rows[0].source_id]["label"] == "手册 Manual 0"
    assert graph.nodes[rows[0].chunk_id]["label"] == "第1章"
    assert graph.nodes["urn:kb:entity:海力"]["label"] == "北京海力科技有限公司"
    assert graph.nodes["urn:kb:entity:helix"]["label"] == "urn:kb:entity:helix"


def test_edges_are_those_of_the_index(built):
    path, rows, link = built
    graph = to_networkx(path)
    reader = open_reader(path)
    for node in graph.nodes:
        shown = reader.neighbors([node], None, Predicate(None, statuses=None), 100)
        exported = [key for _, _, key, fields in graph.out_edges(node, keys=True, data=True) if fields["relation"] != LINKS_TO]
        assert sorted(exported) == sorted(edge.edge_id for edge in shown)
    reader.close()
    assert graph[link.subject][link.object][link.edge_id]["valid_from"] == "2024-01-01T00:00:00Z"
    assert "valid_until" not in graph[link.subject][link.object][link.edge_id]
    relations = [fields["relation"] for *_, fields in graph.edges(data=True)]
    assert relations.count(HAS_PARENT) == len({row.parent_id for row in rows})
    assert relations.count(MENTIONS) == len(rows)


def test_graphml_reads_back_as_the_same_graph(built, tmp_path):
    path, _, _ = built
    write_graphml(path, tmp_path / "graph.graphml")
    graph, again = to_networkx(path), nx.read_graphml(tmp_path / "graph.graphml", force_multigraph=True)
    assert dict(again.nodes(data=True)) == dict(graph.nodes(data=True))
    assert {key: fields["relation"] for *_, key, fields in again.edges(keys=True, data=True)} == {
        key: fields["relation"] for *_, key, fields in graph.edges(keys=True, data=True)
    }


def test_what_xml_cannot_hold_is_replaced(disk, make_row, tmp_path):
    row = make_row(0, title="bell \a \ud800 and \U0001f600", entity_ids=("urn:kb:entity:\x01",))
    path, _ = disk.build(None, [row])
    write_graphml(path, tmp_path / "graph.graphml")
    again = nx.read_graphml(tmp_path / "graph.graphml")
    assert again.nodes[row.source_id]["label"] == "bell \ufffd \ufffd and \U0001f600"
    assert "urn:kb:entity:\ufffd" in again.nodes


def test_a_folder_that_cannot_be_written_is_named(built, tmp_path):
    with pytest.raises(StorageFailed, match="nowhere"):
        write_graphml(built[0], tmp_path / "nowhere" / "graph.graphml")


def test_an_empty_build_is_an_empty_graph(disk):
    path, _ = disk.build(None)
    assert to_networkx(path).number_of_nodes() == 0
