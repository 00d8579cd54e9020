"""SmartArt is a nested list in the order of the diagram, not of the file."""

from __future__ import annotations

from lxml import etree

from ingest.parse.office.diagrams import diagram_items

DGM, A = "http://schemas.openxmlformats.org/drawingml/2006/diagram", "http://schemas.openxmlformats.org/drawingml/2006/main"


def diagram(points: list[tuple[str, str, str]], edges: list[tuple[str, str, int]]) -> list[str]:
    written = "".join(
        f'<dgm:pt modelId="{identifier}" type="{kind}"><dgm:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t></dgm:pt>'
        for identifier, kind, text in points
    )
    drawn = "".join(f'<dgm:cxn modelId="{i}" srcId="{a}" destId="{b}" srcOrd="{n}"/>' for i, (a, b, n) in enumerate(edges))
    root = f'<dgm:dataModel xmlns:dgm="{DGM}" xmlns:a="{A}"><dgm:ptLst>{written}</dgm:ptLst><dgm:cxnLst>{drawn}</dgm:cxnLst>'
    return diagram_items(etree.fromstring(f"{root}</dgm:dataModel>"))


def test_nodes_stand_in_the_order_and_depth_of_the_diagram() -> None:
    points = [("0", "doc", ""), ("3", "node", "发布"), ("1", "node", "设计"), ("2", "node", "评审"), ("9", "pres", "设计")]
    assert diagram(points, [("0", "3", 1), ("0", "1", 0), ("1", "2", 0)]) == ["- 设计", "  - 评审", "- 发布"]


def test_a_node_that_nothing_leads_to_is_not_lost_and_a_circle_ends() -> None:
    points = [("0", "doc", ""), ("1", "node", "a"), ("2", "node", "b"), ("5", "node", "alone")]
    assert diagram(points, [("0", "1", 0), ("1", "2", 0), ("2", "1", 0)]) == ["- a", "  - b", "- alone"]
