"""The review queue: for callers who may write, of what they may see, under their own name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ingest.errors import NotFound, NotGranted

SEED = """
entities:
  - {id: "urn:kb:entity:one", type: organization, names: [{text: 星河软件技术有限公司, kind: preferred}]}
  - {id: "urn:kb:entity:two", type: organization, names: [{text: 星河软件科技有限公司, kind: preferred}]}
  - {id: "urn:kb:entity:dark", type: organization, names: [{text: 星河软件技木有限公司, kind: preferred}]}
"""


@pytest.fixture
def editor(new_base: Callable[..., Any], audit: Any, ask: Any) -> Iterator[Any]:
    """Somebody who may write, over a base of three companies, one of which only an sre sees."""
    from flows.serving import bases_of
    from flows.serving_reviews import Queue
    from indexes.serve.callers import Caller
    from indexes.serve.operations import Operations, reviews
    from indexes.serve.session import alone
    from ingest.model.access import Principal

    base = new_base("companies")
    base.seed(SEED)
    base.write("a.md", "# 合同\n\n星河软件技术有限公司与星河软件科技有限公司签了合同。\n")
    base.write("b.md", "---\nallowed_roles: [sre]\n---\n# 密\n\n星河软件技木有限公司也在名单上。\n")
    base.run()
    bases = bases_of(base.settings)
    caller = Caller("editor", Principal(), bases.kb_ids, write=True)
    made = type(ask)(Operations(bases, audit, reviews(Queue())), caller, alone(base.settings.serve))
    made.base = base
    yield made
    bases.close()


def test_questions_show_as_far_as_both_sides_do(editor: Any) -> None:
    questions = editor("review_list")["results"]
    pairs = [{each["left"]["id"], each["right"]["id"]} for each in questions]
    assert {"urn:kb:entity:one", "urn:kb:entity:two"} in pairs
    assert "urn:kb:entity:dark" not in str(questions)
    assert "urn:kb:entity:dark" in str(editor.also(roles=("sre",))("review_list")["results"])


def test_an_answer_is_written_under_the_callers_name_and_not_asked_again(editor: Any) -> None:
    from flows.judging import logged

    question = editor("review_list")["results"][0]
    (written,) = editor("review_answer", question=question["question"], answer="no", reason="two registrations")["results"]
    (entry,) = logged(editor.base.settings)
    assert (entry.judgement_id, entry.judgement.actor) == (written["judgement_id"], "editor")
    assert question["question"] not in [each["question"] for each in editor("review_list")["results"]]
    with pytest.raises(NotFound, match="waits for you"):
        editor("review_answer", question=question["question"], answer="no", reason="again")


def test_who_may_not_write_has_no_such_operation(editor: Any) -> None:
    from dataclasses import replace

    editor.caller = replace(editor.caller, write=False)
    for name, arguments in (("review_list", {}), ("review_answer", {"question": "x", "answer": "no", "reason": "y"})):
        with pytest.raises(NotGranted, match="you have no operation"):
            editor(name, **arguments)
