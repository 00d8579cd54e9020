"""CocoIndex and LlamaIndex, whose chunks lie in one SQLite table: what a further run makes of rows that were tampered with.

Neither has a check of what it wrote; its means is to run again, and CocoIndex's also to reprocess everything. After that the
table is what it was (*put back*), or still as it was left (*not seen*), or the run ended in an error. Tamperings they have no
notion of (access rules, validity, edges, builds, stamps) are left out.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from benchmarks.ingest_peers import APPS, PEERS, PROJECT, QUIET, SINGLE_THREADED
from benchmarks.tampering import corpus

COCOINDEX, LLAMAINDEX = "CocoIndex 1.0.26", "LlamaIndex 0.14.25"
_APPS = {COCOINDEX: "cocoindex_app.py", LLAMAINDEX: "llamaindex_app.py"}
_WAYS = {COCOINDEX: ("", "full"), LLAMAINDEX: ("",)}
_OPEN = "Payment is due"

Rows = Counter[tuple[object, ...]]


def tamper_with(name: str) -> dict[str, str]:
    """Return subject -> what the peer of this name saw of it."""
    with tempfile.TemporaryDirectory(prefix="concord-tampered-") as folder:
        home = Path(folder)
        corpus.write(home / "docs", corpus.DOCUMENTS)
        _run(name, home, home / "state")
        shutil.copytree(home / "state", home / "older")
        corpus.write(home / "docs", corpus.CHANGES[0] | corpus.CHANGES[1])
        _run(name, home, home / "state")
        return {subject: _seen(name, home, act) for subject, act in TAMPERINGS.items()}


def _seen(name: str, home: Path, act: Callable[[Path, Path], None]) -> str:
    said = {}
    for way in _WAYS[name]:
        state = home / "tampered"
        shutil.copytree(home / "state", state)
        act(state, home / "older")
        try:
            left = _rows(state)
        except sqlite3.DatabaseError:
            left = Counter()
        error = _run(name, home, state, way)
        said[way] = _outcome(error, left, state, _rows(home / "state"))
        shutil.rmtree(state)
    if len(set(said.values())) == 1:
        return said[""]
    return f"{said['']}; {said['full']} by reprocessing everything"


def _outcome(error: str, left: Rows, state: Path, whole: Rows) -> str:
    if error:
        return f"the run fails: {error}"
    try:
        now = _rows(state)
    except sqlite3.DatabaseError as failure:
        return f"not seen ({failure})"
    if now == whole:
        return "not seen (nothing that it reads)" if left == whole else "put back, nothing told"
    return "not seen" if now == left else "not put back"


def _run(name: str, home: Path, state: Path, *options: str) -> str:
    """Run a peer over the documents; return how it failed, empty when it did not."""
    command = [str(PEERS / "bin" / "python"), str(APPS / _APPS[name]), str(home / "docs"), str(state), *filter(None, options)]
    environment = {**os.environ, **QUIET, **SINGLE_THREADED, "PYTHONPATH": str(PROJECT)}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    return "" if ended.returncode == 0 else ended.stderr.strip().rpartition("\n")[2][:90]


def _rows(state: Path) -> Rows:
    """The rows but for their ids, which are made up anew."""
    with sqlite3.connect(state / "rows.sqlite") as database:
        return Counter(database.execute("select path, text, vector from rows").fetchall())


def _change(statement: str) -> Callable[[Path, Path], None]:
    def act(state: Path, older: Path) -> None:
        with sqlite3.connect(state / "rows.sqlite") as database:
            changed = database.execute(statement, {"open": f"%{_OPEN}%", "other": "%Audit logs%"}).rowcount
            assert changed > 0, statement

    return act


def _at_vectors(state: Path) -> tuple[Path, int]:
    path = state / "rows.sqlite"
    with sqlite3.connect(path) as database:
        database.execute("pragma wal_checkpoint(truncate)")
        (vector,) = database.execute("select vector from rows where text like ?", (f"%{_OPEN}%",)).fetchone()
    return path, path.read_bytes().find(vector[:64])


def _flip(state: Path, older: Path) -> None:
    path, place = _at_vectors(state)
    data = bytearray(path.read_bytes())
    data[place + 2] ^= 1
    path.write_bytes(data)


def _cut(state: Path, older: Path) -> None:
    path, _ = _at_vectors(state)
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


def _restore_rows(state: Path, older: Path) -> None:
    shutil.copyfile(older / "rows.sqlite", state / "rows.sqlite")


def _restore(state: Path, older: Path) -> None:
    shutil.rmtree(state)
    shutil.copytree(older, state)


TAMPERINGS: dict[str, Callable[[Path, Path], None]] = {
    "lost chunk": _change("delete from rows where text like :open"),
    "ghost chunk": _change("insert into rows select abs(random()), path, 'A ghost.', vector from rows where text like :open"),
    "altered text": _change("update rows set text = replace(text, 'thirty', 'ninety') where text like :open"),
    "swapped vectors": _change(
        "update rows set vector = (select o.vector from rows o where o.text like "
        "case when rows.text like :open then :other else :open end) where text like :open or text like :other"
    ),
    "altered vector": _change("update rows set vector = zeroblob(length(vector)) where text like :open"),
    "mixed builds": _restore_rows,
    "flipped byte": _flip,
    "truncated file": _cut,
    "restored old directory": _restore,
}
