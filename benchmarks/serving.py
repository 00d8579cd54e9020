"""Twenty clients of the HTTP API for a minute on one machine, without and with generations being published meanwhile.

A server (`ingest serve http`) over 12,000 chunks, made documents and the `hash` embedder; its clients are one process of twenty
threads, each with a connection that it keeps, asking one question after the other: sentences in the words of the corpus, and
every fifth time for the one document that says which generation it is of. An error is any answer but 200 with evidence asked of
every base; mixed is an answer that shows another generation's document, two of them or none, or an older generation than the
client saw before. Memory is the server's proportional set size, its most in each minute.

    python -m benchmarks.serving [--documents 1000] [--clients 20] [--seconds 60]
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.corpus import write_corpus
from benchmarks.measure import memory_of_tree, table
from benchmarks.search_latency import queries
from indexes.serve.tokens import Token, add, hashed, minted
from ingest.model.access import Principal
from ingest.model.instant import now

SETTINGS = '[embed]\nengine = "hash"\n[serve]\ncalls = 0\nevidence_tokens = 0\nopened = 0\n'
PROBE = "PROBE-OF-GENERATION"


@dataclass(slots=True)
class Seen:
    """What the clients of one minute saw. `milliseconds` of every call; `generations` that answered; `seconds` it took them."""

    milliseconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    mixed: list[str] = field(default_factory=list)
    generations: set[int] = field(default_factory=set)
    seconds: float = 0.0


def main() -> None:
    compared(["http"], lambda said: said.removeprefix("http://"), asked)


def compared(
    door: list[str], address_of: Callable[[str], str], ask: Callable[[str, list[str], float], Seen]
) -> None:
    """Print what the clients of one door see, without and with generations being published; exit with 1 where it is wrong.

    `door`: of `ingest serve`; `address_of`: what it says at its start -> what clients are given; `ask`: address, a token a
    client, seconds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="concord-bench-") as temporary:
        folder = Path(temporary)
        (folder / "ingest.toml").write_text(SETTINGS)
        write_corpus(folder / "docs", options.documents)
        publish(folder, 1)
        tokens = [mint(folder, number) for number in range(options.clients)]
        command = [*COMMAND, "serve", *door, "--port", "0"]
        server = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            address = address_of(server.stdout.readline().strip())
            ask(address, tokens, 2.0)
            asking = partial(ask, address, tokens, options.seconds)
            rows = [measured("quiet", asking, server.pid), measured("while publishing", asking, server.pid, folder)]
        finally:
            server.terminate()
            server.wait(60)
        print(table(
            ["", "answers", "a second", "median ms", "p95 ms", "generations", "errors", "mixed", "server MB"], rows
        ))
        if any(row[6] or row[7] for row in rows):
            sys.exit("there were errors or mixed answers")


COMMAND = [sys.executable, "-c", "from ingest.cli.main import main; main()"]


def publish(folder: Path, number: int) -> None:
    """Publish generation `number`, whose one document of its own says so."""
    (folder / "docs" / "probe.md").write_text(f"# Probe\n\n{PROBE} {number}\n")
    subprocess.run([*COMMAND, "run", "docs"], cwd=folder, check=True, capture_output=True)


def mint(folder: Path, number: int) -> str:
    secret = minted()
    entry = Token(f"client{number}", hashed(secret), Principal(), ("default",), False, now(), None)
    add(folder / ".serve" / "tokens.json", entry)
    return secret


def measured(name: str, ask: Callable[[], Seen], server: int, folder: Path | None = None) -> list[object]:
    """One row: the clients ask; in `folder`, when given, generations are published one after the other."""
    over = threading.Event()
    most = [0]

    def publishing() -> None:
        number = 2
        while folder is not None and not over.is_set():
            publish(folder, number)
            number += 1

    def watching() -> None:
        while not over.wait(0.5):
            most[0] = max(most[0], memory_of_tree(server))

    beside = [threading.Thread(target=work) for work in (publishing, watching)]
    for thread in beside:
        thread.start()
    seen = ask()
    over.set()
    for thread in beside:
        thread.join()
    for wrong in (*seen.errors[:3], *seen.mixed[:3]):
        print(wrong, file=sys.stderr)
    times = sorted(seen.milliseconds)
    return [
        name, f"{len(times):,}", f"{len(times) / seen.seconds:.0f}", f"{statistics.median(times):.0f}",
        f"{times[len(times) * 95 // 100]:.0f}", len(seen.generations), len(seen.errors), len(seen.mixed),
        f"{most[0] / 2**20:.0f}",
    ]


def asked(address: str, tokens: list[str], seconds: float) -> Seen:
    """Ask with one client a token, in a process of their own."""
    given = json.dumps({"address": address, "seconds": seconds, "tokens": tokens})
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.serving", "clients"], input=given, capture_output=True, text=True, check=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return Seen(found["milliseconds"], found["errors"], found["mixed"], set(found["generations"]), found["seconds"])


def clients() -> None:
    """The process of the clients: what to do on stdin, what they saw on stdout."""
    given = json.load(sys.stdin)
    started = time.monotonic()
    until = started + given["seconds"]
    seen = Seen()
    texts = list(queries(200))
    threads = [
        threading.Thread(target=client, args=(given["address"], token, texts[number:] + texts[:number], until, seen))
        for number, token in enumerate(given["tokens"])
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    json.dump({
        "milliseconds": seen.milliseconds, "errors": seen.errors, "mixed": seen.mixed, "generations": sorted(seen.generations),
        "seconds": time.monotonic() - started,
    }, sys.stdout)


def client(address: str, token: str, texts: list[str], until: float, seen: Seen) -> None:
    connection = http.client.HTTPConnection(address, timeout=60)
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    last, number = 0, 0
    while time.monotonic() < until:
        probing = number % 5 == 0
        operation = "keyword_search" if probing else "knowledge_search"
        body = json.dumps({"query": PROBE if probing else texts[number % len(texts)]})
        number += 1
        started = time.perf_counter()
        try:
            connection.request("POST", f"/v1/{operation}", body, headers)
            answer = connection.getresponse()
            pack = json.loads(answer.read())
        except (OSError, ValueError, http.client.HTTPException) as error:
            seen.errors.append(repr(error))
            connection.close()
            continue
        seen.milliseconds.append((time.perf_counter() - started) * 1000)
        if answer.status != 200 or pack["failed_kbs"] or not pack["answered_by"]:
            seen.errors.append(f"{answer.status} {json.dumps(pack)[:300]}")
            continue
        generation = pack["answered_by"][0]["generation"]
        said = [each["text"].split()[-1] for each in pack["results"] if PROBE in each["text"]]
        if generation < last or (probing and said != [str(generation)]):
            seen.mixed.append(f"generation {generation} after {last} says {said}")
        last = generation
        seen.generations.add(generation)


if __name__ == "__main__":
    clients() if sys.argv[1:] == ["clients"] else main()
