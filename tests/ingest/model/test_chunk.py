from __future__ import annotations

from ingest.model.chunk import embedded, prefixed


def test_a_name_stands_around_a_text_that_is_long_beside_it() -> None:
    text = "默认端口是 9443，只对办公网开放。" * 3
    assert embedded("云脉网关手册", text) == f"云脉网关手册\n{text}\n云脉网关手册"
    assert prefixed("云脉网关手册", text) == f"云脉网关手册\n{text}"


def test_beside_a_short_text_it_is_said_once() -> None:
    assert embedded("YunGate operator guide", "Default port: 9443") == "YunGate operator guide\nDefault port: 9443"


def test_a_text_without_a_prefix_is_embedded_as_it_is() -> None:
    assert embedded("", "text") == prefixed("", "text") == "text"
