"""A full disk: the run says so and ends with 1, nothing that was served is lost, and the next run needs no help."""

from __future__ import annotations

import errno
from collections.abc import Callable
from typing import Any

import pytest

from ingest.errors import StorageFailed


def become(base: Any, number: int) -> None:
    for document in range(4):
        text = "".join(f"Line {line} of document {document} says round{number}. " for line in range(60))
        base.write(f"{document}.md", f"# Document {document}\n\n{text}\n")


def serves(base: Any, number: int) -> bool:
    pack = base.search("round1 round2 document", top_k=100)
    return {word.strip(".") for item in pack.evidence for word in item.text.split() if "round" in word} == {f"round{number}"}


SIZES = [100, 60_000, *(pytest.param(size, marks=pytest.mark.slow) for size in (20_000, 200_000, 3_000_000))]


@pytest.mark.parametrize("most", SIZES)
def test_file_that_may_not_grow_fails_the_run_and_loses_nothing(base: Any, program: Callable[..., Any], most: int) -> None:
    become(base, 1)
    base.run()
    become(base, 2)
    with program("ingest_limited.py", str(most)) as run:
        _, said = run.communicate(timeout=120)
    assert run.returncode == 1, said
    assert "StorageFailed" in said and "Traceback" not in said, said
    assert "free" in said and "space" in said, said
    assert base.head() == 1
    assert serves(base, 1)
    assert base.verify() == []
    assert base.run().published
    assert serves(base, 2)
    assert base.verify() == []


def test_first_run_on_a_full_disk_leaves_a_base_that_the_next_run_fills(base: Any, program: Callable[..., Any]) -> None:
    become(base, 1)
    with program("ingest_limited.py", "20000") as run:
        _, said = run.communicate(timeout=120)
    assert (run.returncode, "StorageFailed" in said, "Traceback" in said) == (1, True, False), said
    assert base.run().generation == 1
    assert serves(base, 1)


@pytest.mark.parametrize("where", ["flush", "move", "write_stamp"])
def test_no_space_at_the_end_of_a_run_publishes_nothing(base: Any, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    become(base, 1)
    base.run()
    become(base, 2)

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    module = "publish" if where == "move" else "apply"
    with monkeypatch.context() as patched:
        patched.setattr(f"indexes.generation.{module}.{where}", full)
        with pytest.raises(StorageFailed, match="No space left") as raised:
            base.run()
    assert raised.value.exit_code == 1 and raised.value.retryable
    assert serves(base, 1)
    assert base.run().published
    assert serves(base, 2)
