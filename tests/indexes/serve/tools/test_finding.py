"""document_find: by title, path, pattern, family and entity; only what shows."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from ingest.errors import NotGranted


def found(answer: Any) -> list[str]:
    return [each["uri"] for each in answer["results"]]


@pytest.mark.parametrize(("asked", "uris"), [
    ({"title": "limits"}, ["docs/en/limits.md"]),
    ({"title": "网关手册"}, ["docs/zh/手册-草案.md", "docs/zh/手册.md"]),
    ({"path": "limits.md"}, ["docs/en/limits.md"]),
    ({"path": "docs/en/limits.md"}, ["docs/en/limits.md"]),
    ({"path": "imits.md"}, []),
    ({"path": "../en/limits.md"}, []),
    ({"glob": "docs/en/*.md"}, ["docs/en/apollo.md", "docs/en/limits.md", "docs/en/orders.md", "docs/en/procedure.md"]),
    ({"glob": "*restricted*"}, []),
    ({"family": "gateway-manual"}, ["docs/zh/手册-草案.md", "docs/zh/手册.md"]),
    ({"entity": "urn:kb:entity:maker"}, ["docs/zh/手册-草案.md", "docs/zh/手册.md"]),
    ({"entity": "urn:kb:entity:vault"}, []),
    ({"title": "vault"}, []),
    ({"title": "manual", "glob": "docs/zh/*"}, []),
])
def test_what_fits_and_shows_is_found(ask: Any, asked: dict[str, str], uris: list[str]) -> None:
    answer = ask("document_find", **asked)
    assert sorted(found(answer)) == uris and answer["more"] is False


def test_more_than_the_limit_is_said_and_hidden_documents_do_not_count(ask: Any) -> None:
    answer = ask("document_find", glob="docs/*", limit=6)
    assert len(answer["results"]) == 6 and answer["more"] is False
    assert ask("document_find", glob="docs/*", limit=5)["more"] is True
    assert ask.also(roles=("sre",))("document_find", glob="docs/*", limit=6)["more"] is True


def test_nothing_to_find_by_is_refused(ask: Any) -> None:
    with pytest.raises(ValidationError, match="at least one of"):
        ask("document_find")


def test_a_base_of_others_and_one_that_is_not_there_are_refused_alike(ask: Any) -> None:
    with pytest.raises(NotGranted, match="you have no knowledge base 'other'"):
        ask("document_find", title="x", kb_ids=["other"])
