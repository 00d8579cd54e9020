"""Standards: the whole number with part and year, by whichever body."""

from __future__ import annotations

import pytest

from entities.mentions.patterns.standards import standards

NUMBERS = [
    "GB/T 22239-2019",
    "GB 50174-2017",
    "GB/T 39786—2021",
    "GM/T 0003.2-2012",
    "DB31/T 1234-2020",
    "T/CESA 1159—2021",
    "Q/YM 003-2024",
    "ISO/IEC 27001:2022",
    "ISO 9001:2015/Amd 1:2024",
    "BS EN 50600-2-2:2019",
    "DIN EN ISO 9001:2015",
    "EN 301 549",
    "ETSI EN 300 328",
    "IEC 60297-3-100",
    "RFC 9110",
    "rfc7231",
    "BCP 47",
    "ITU-T X.509",
    "IEEE 802.11ax",
    "FIPS 140-3",
    "NIST SP 800-53",
    "ASTM D4169-22",
    "ANSI/TIA-942-B",
    "UL 508A",
    "3GPP TS 23.501",
    "TLS 1.3",
    "HTTP/2",
    "PCI DSS 4.0",
    "WCAG 2.2",
    "ECMA-262",
]


@pytest.mark.parametrize("number", NUMBERS)
def test_number_is_found_whole_in_either_language(number: str) -> None:
    for text in (f"应符合{number}的要求", f"It follows {number}, mostly.", f"（{number}）"):
        assert [text[span.start : span.end] for span in standards(text)][:1] == [number]


@pytest.mark.parametrize(
    "text", ["pages 140-3", "the ISO committee", "GB of memory", "16 GB 2019", "EN route", "PEP talk", "TLS is", "国家标准", ""]
)
def test_other_words_and_numbers_are_none(text: str) -> None:
    assert list(standards(text)) == []
