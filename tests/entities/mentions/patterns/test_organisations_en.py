"""Organisations in Latin scripts: the words of the sentence are not part of the name, the legal form is."""

from __future__ import annotations

import pytest

from entities.mentions.patterns.organisations_en import organisations_en
from entities.mentions.span import disjoint


def found(text: str) -> list[str]:
    return [text[span.start : span.end] for span in disjoint(organisations_en(text))]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("According to Acme Systems, Inc., sales rose.", ["Acme Systems, Inc."]),
        ("The Bank of Norrland (Singapore) Pte. Ltd. won.", ["Bank of Norrland (Singapore) Pte. Ltd."]),
        ("Acme S.A. and Acme Iberia, S.L. merged.", ["Acme S.A.", "Acme Iberia, S.L."]),
        ("Hartmann Optik GmbH & Co. KG", ["Hartmann Optik GmbH & Co. KG"]),
        ("Wuxi Acme Tech Co.,LTD and Acme AG的产品", ["Wuxi Acme Tech Co.,LTD", "Acme AG"]),
        ("It went to Norrvik Marine Ltd.", ["Norrvik Marine Ltd"]),
        ("the University of Eastmere and Pellworth University", ["University of Eastmere", "Pellworth University"]),
        ("Ministry of Trade, Industry and Energy", ["Ministry of Trade, Industry and Energy"]),
        ("St. Aldric's Hospital migrated", ["St. Aldric's Hospital"]),
        ("客户Pinecrest Logistics LLC的数据", ["Pinecrest Logistics LLC"]),
        ("Müller Maschinenbau GmbH", ["Müller Maschinenbau GmbH"]),
    ],
)
def test_name_starts_and_ends_where_it_does(text: str, names: list[str]) -> None:
    assert found(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "The Company shall",
        "our limited edition",
        "The Board met.",
        "Insurance Company rules",
        "We co. and inc. words",
        "The Group and the Bank",
        "",
    ],
)
def test_ordinary_words_are_no_name(text: str) -> None:
    assert found(text) == []


def test_short_names_that_a_text_gives_are_found_and_roles_are_not() -> None:
    assert found('Acme Systems, Inc. ("Acme") sells. Acme buys.') == ["Acme Systems, Inc.", "Acme", "Acme"]
    assert found("The Data Standards Committee (DSC) met. DSC voted.") == ["Data Standards Committee", "DSC", "DSC"]
    assert found('Acme Systems, Inc. (the "Supplier") sells. The Supplier buys.') == ["Acme Systems, Inc."]
