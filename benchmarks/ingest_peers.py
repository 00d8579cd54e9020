"""Concord beside CocoIndex, LangChain's `index()` and LlamaIndex's IngestionPipeline: one folder, one embedder, whole processes.

Each gets 1,000 made documents (see `corpus`) of its own, then the same changes to them, in turns. The peers live in their own
environment, `.venv-peers`, built when it is missing; `CONCORD_PEERS` names another. Everybody embeds with our feature hashing, so
what is measured is all that is around it. What the peers write is one vector table; Concord fills and proves a vector, a BM25 and
a graph index.

    python -m benchmarks.ingest_peers [--documents 1000] [--only concord,cocoindex]
"""

from __future__ import annotations

import argparse
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.corpus import edit_paragraph, write_corpus
from benchmarks.measure import Cost, cost, median_cost, table
from indexes.vector.format import SHARD
from ingest.model.generation import Manifest
from ingest.store.catalog import Catalog
from ingest.store.layout import Layout

PROJECT = Path(__file__).parents[1]
PEERS = Path(os.environ.get("CONCORD_PEERS", PROJECT / ".venv-peers"))
APPS = PROJECT / "benchmarks" / "peers"
QUIET = {
    "COCOINDEX_DISABLE_USAGE_TRACKING": "1", "DO_NOT_TRACK": "1", "LANGSMITH_TRACING": "false", "LANGCHAIN_TRACING_V2": "false",
    "ANONYMIZED_TELEMETRY": "false", "HF_HUB_OFFLINE": "1",
}
SINGLE_THREADED = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
NO_OPS = 5
DELETED = 3
SETTLING_SECONDS = 4.0
"""A file that changed just now is read again by whoever is careful; what is compared is the state after that."""


@dataclass
class Contender:
    """Somebody to measure. `command` runs it over a folder; `lose` deletes rows behind its back; `notices` looks whether a
    further run, or a check that it has, saw that."""

    name: str
    command: Callable[[Path, Path], list[str]]
    environment: dict[str, str]
    lose: Callable[[Path], None]
    notices: Callable[[Contender, Path, Path], str]
    results: dict[str, Cost] = field(default_factory=dict)
    embedded: dict[str, int] = field(default_factory=dict)
    noticed: str = ""

    def run(self, docs: Path, state: Path) -> Cost:
        return cost(self.command(docs, state), self.environment, folder=state.parent)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--only", default="concord,cocoindex,langchain,llamaindex")
    options = parser.parse_args()
    build_peers()
    contenders = [one for one in everybody() if one.name.lower().partition(" ")[0] in options.only.split(",")]
    with tempfile.TemporaryDirectory(prefix="concord-bench-") as folder:
        homes = {one.name: Path(folder) / one.name.partition(" ")[0] for one in contenders}
        for home in homes.values():
            write_corpus(home / "docs", options.documents)
        time.sleep(SETTLING_SECONDS)
        for what, change in CHANGES.items():
            for one in contenders:
                measure(one, homes[one.name], what, change)
        for one in contenders:
            one.lose(homes[one.name] / "state")
            one.noticed = one.notices(one, homes[one.name] / "docs", homes[one.name] / "state")
    print(report(contenders))


def measure(one: Contender, home: Path, what: str, change: Callable[[Path], None] | None) -> None:
    """Apply a change to the documents and run; `no-op` is repeated and its median kept."""
    docs, state = home / "docs", home / "state"
    if change is not None:
        change(docs)
        time.sleep(SETTLING_SECONDS)
    costs = [one.run(docs, state) for _ in range(NO_OPS if what == "no-op" else 1)]
    one.results[what] = median_cost(costs)
    one.embedded[what] = costs[0].json["embedded"]


def _document(docs: Path) -> Path:
    """A document in the middle: its name is there from the start, and stays whatever else was changed."""
    files = sorted(docs.rglob("document*.md"))
    return files[len(files) // 2]


def edit(docs: Path) -> None:
    edit_paragraph(_document(docs), "that the paragraph was edited")


def rename(docs: Path) -> None:
    path = _document(docs)
    path.rename(path.with_name("renamed.md"))


def copy(docs: Path) -> None:
    path = _document(docs)
    shutil.copyfile(path, path.with_name("copied.md"))


def touch(docs: Path) -> None:
    _document(docs).touch()


CHANGES: dict[str, Callable[[Path], None] | None] = {
    "cold": None, "no-op": None, "edit": edit, "rename": rename, "copy": copy, "touch": touch,
}


def everybody() -> list[Contender]:
    """Return those to measure, ourselves first."""
    ours = Contender(
        "Concord", lambda docs, state: [_ingest(), "run", str(docs), "--kb", str(state), "--json"],
        {"INGEST_EMBED__ENGINE": "hash"}, lose_points, verified,
    )
    return [ours, peer("CocoIndex 1.0.26", "cocoindex_app.py"), peer("LangChain index()", "langchain_app.py"),
            peer("LlamaIndex 0.14.25", "llamaindex_app.py")]


def peer(name: str, app: str) -> Contender:
    command = [str(PEERS / "bin" / "python"), str(APPS / app)]
    environment = {**QUIET, **SINGLE_THREADED, "PYTHONPATH": str(PROJECT)}
    return Contender(name, lambda docs, state: [*command, str(docs), str(state)], environment, lose_rows, ran_again)


def lose_rows(state: Path) -> None:
    """Delete rows from a peer's table."""
    with sqlite3.connect(state / "rows.sqlite") as database:
        database.execute(f"delete from rows where rowid in (select rowid from rows limit {DELETED})")


def ran_again(one: Contender, docs: Path, state: Path) -> str:
    def rows() -> int:
        with sqlite3.connect(state / "rows.sqlite") as database:
            return int(database.execute("select count(*) from rows").fetchone()[0])

    before = rows()
    one.run(docs, state)
    return "put back by a run" if rows() == before + DELETED else "not seen"


def lose_points(state: Path) -> None:
    """Delete points from the published vector index, as the engine itself would."""
    from indexes.vector.shard import Shard

    layout = Layout(state)
    with Catalog(layout.catalog) as catalog:
        manifest: Manifest = catalog.published(catalog.head()).manifest
    shard = Shard.open(layout.build(manifest.build("vector")) / SHARD)
    ids = [point.id for _, point in zip(range(DELETED), shard.points(), strict=False)]
    shard.delete(ids)
    shard.seal()


def verified(one: Contender, docs: Path, state: Path) -> str:
    found = cost([_ingest(), "verify", "--kb", str(state), "--json"], one.environment, folder=state.parent, expected=(0, 5)).json
    named = sorted({item["where"].partition("/")[0] for item in found["drift"]})
    return f"`verify` names the {' and '.join(named)} build" if named else "not seen"


def _ingest() -> str:
    return str(Path(sys.executable).with_name("ingest"))


def report(contenders: list[Contender]) -> str:
    heading = [
        "", "cold s", "CPU s", "peak MB", "no-op s", "CPU s", "edit s", "chunks embedded: edit", "rename", "copy", "touch",
        f"{DELETED} rows deleted behind its back",
    ]
    base = next((one for one in contenders if one.name.startswith("CocoIndex")), contenders[0])
    rows = [_figures(one) for one in contenders]
    rows += [_ratios(one, base) for one in contenders if one is not base]
    return table(heading, rows)


def _figures(one: Contender) -> list[str]:
    cold, idle, edited = one.results["cold"], one.results["no-op"], one.results["edit"]
    return [
        one.name, f"{cold.wall:.1f}", f"{cold.cpu:.1f}", f"{cold.memory / 2**20:.0f}", f"{idle.wall:.2f}", f"{idle.cpu:.2f}",
        f"{edited.wall:.2f}", *(str(one.embedded[what]) for what in ("edit", "rename", "copy", "touch")), one.noticed,
    ]


def _ratios(one: Contender, base: Contender) -> list[str]:
    def ratio(what: str, figure: str) -> str:
        return f"{getattr(one.results[what], figure) / getattr(base.results[what], figure):.2f}x"

    return [
        f"{one.name} / {base.name.partition(' ')[0]}", ratio("cold", "wall"), ratio("cold", "cpu"), ratio("cold", "memory"),
        ratio("no-op", "wall"), ratio("no-op", "cpu"), ratio("edit", "wall"), "", "", "", "", "",
    ]


def build_peers() -> None:
    """Make the environment of the peers (from the dependency group `peers`) where it is missing or made from other pins.

    One that `CONCORD_PEERS` names is its owner's, and taken as it is."""
    pins = "\n".join(tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]["peers"])
    made_from = PEERS / "pins.txt"
    if (PEERS / "bin" / "python").exists() and ("CONCORD_PEERS" in os.environ or _says(made_from, pins)):
        return
    print(f"building {PEERS.name} ...", file=sys.stderr)
    subprocess.run([sys.executable, "-m", "venv", str(PEERS)], check=True)
    pip = [str(PEERS / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, "--upgrade", "pip>=25.1"], check=True)
    subprocess.run([*pip, "--group", f"{PROJECT / 'pyproject.toml'}:peers"], check=True)
    made_from.write_text(pins, encoding="utf-8")


def _says(file: Path, text: str) -> bool:
    return file.exists() and file.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    main()
