"""Values that JSON allows and that do not fit everywhere: the page is taken, whatever its publisher put beside the text."""

from __future__ import annotations

from typing import Any

import pytest

PAGE = """<html><head><title>Page</title><script type="application/ld+json">
{{"@context": "https://schema.org", "@type": "Thing", "name": "Gate", "serial": {value}}}</script></head>
<body><main><h1>Page</h1><p>The QUOKKA stands here, between two gates that nobody opens.</p></main></body></html>"""
VALUES = {
    "lone surrogate": '"\\ud800"', "not a number": "NaN", "infinity": "1e999", "no JSON": "{",
    "more than 64 bits": "9" * 30, "negative": "-" + "9" * 30, "long number": "9" * 5000,
    "deep": "[" * 300 + "]" * 300, "deeper": "[" * 5000 + "]" * 5000,
}


@pytest.mark.parametrize("name", VALUES)
def test_page_is_taken_whatever_its_json_holds(base: Any, name: str) -> None:
    base.write("page.html", PAGE.format(value=VALUES[name]))
    report = base.run()
    assert (report.failures, report.published) == ((), True)
    assert base.found("QUOKKA") == ["page.html"]
    assert base.verify() == []
    assert base.run().published is False


@pytest.mark.parametrize("value", ['"\\uD800"', ".nan", "1e999", "9" * 30, "{1: 2}", "2025-13-45", "!!binary x", "[[[[[[]]]]]]"])
def test_front_matter_of_any_value_is_taken_or_is_a_failure_of_its_document(base: Any, value: str) -> None:
    base.write("odd.md", f"---\ntitle: {value}\nserial: {value}\n---\n# Odd\n\nThe QUOKKA.\n")
    base.write("good.md", "# Good\n\nThe WOMBAT.\n")
    report = base.run()
    assert report.published
    assert all(failure.uri == "docs/odd.md" for failure in report.failures)
    assert base.found("WOMBAT") == ["good.md"]
    assert base.verify() == []
