"""What a root in S3 costs beside the same folder: the first run, a second one, and reading with more downloads at once.

A server that speaks S3 runs in a process of its own, on loopback, and answers each request so many milliseconds late, as one
across a network does. Objects are downloaded by `ingest.sources.remote.ahead`; nothing but the bytes is wanted, so what is shown
is the waiting. Then the whole command: the folder, and the bucket twice, the second time with nothing changed.

    python -m benchmarks.remote_roots [--objects 400] [--late 30]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.corpus import write_corpus
from benchmarks.measure import cost, table
from ingest.model.source import Root
from ingest.settings import RootPart, SourcesPart
from ingest.sources.remote.ahead import ahead
from ingest.sources.scan import read, scan

AT_ONCE = (1, 4, 8, 16, 32)
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "bench", "AWS_SECRET_ACCESS_KEY": "bench", "AWS_DEFAULT_REGION": "us-east-1"}

SERVER = """
import sys, threading, time
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server
import logging
logging.getLogger("werkzeug").setLevel(logging.ERROR)
app, late, asked = DomainDispatcherApplication(create_backend_app), float(sys.argv[1]) / 1000, [0]
def answer(environ, start):
    if environ["PATH_INFO"] == "/asked":
        start("200 OK", [])
        return [str(asked[0]).encode()]
    if environ["REQUEST_METHOD"] != "PUT":
        asked[0] += 1; time.sleep(late)
    return app(environ, start)
server = make_server("127.0.0.1", 0, answer, threaded=True)
print(server.server_port, flush=True)
server.serve_forever()
"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--objects", type=int, default=400)
    parser.add_argument("--late", type=float, default=30, help="milliseconds by which each answer is late")
    options = parser.parse_args()
    os.environ.update(CREDENTIALS)
    server = subprocess.Popen([sys.executable, "-c", SERVER, str(options.late)], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        url = f"http://127.0.0.1:{server.stdout.readline().strip()}"
        with tempfile.TemporaryDirectory(prefix="concord-bench-") as temporary:
            measured(Path(temporary), url, options.objects, options.late)
    finally:
        server.terminate()
        server.wait()


def measured(home: Path, url: str, objects: int, late: float) -> None:
    write_corpus(home / "docs", objects)
    filled(home / "docs", url)
    seconds = {at_once: downloaded(url, at_once) for at_once in AT_ONCE}
    print(f"Downloading {objects} objects, each answer {late:g} ms late\n")
    print(table(
        ("at once", "seconds", "objects a second", "times one"),
        [(str(count), f"{took:.2f}", f"{objects / took:.0f}", f"{seconds[1] / took:.1f}") for count, took in seconds.items()],
    ))
    (home / "ingest.toml").write_text(f'[embed]\nengine = "hash"\n[sources.roots.docs]\nendpoint_url = "{url}"\n')
    rows = []
    for what, kb, place in (
        ("folder, first run", "folder", str(home / "docs")), ("folder, nothing changed", "folder", str(home / "docs")),
        ("bucket, first run", "bucket", "s3://bench/docs"), ("bucket, nothing changed", "bucket", "s3://bench/docs"),
    ):
        before = asked(url)
        command = [sys.executable, "-c", "from ingest.cli.main import main; main()", "run", place, "--json"]
        command += ["--kb", str(home / kb), "--config", str(home / "ingest.toml")]
        run = cost(command, CREDENTIALS, folder=home)
        rows.append((what, f"{run.wall:.1f}", f"{run.cpu:.1f}", str(asked(url) - before), str(run.json["snapshot"])[:12]))
    print("\nThe whole command\n")
    print(table(("run", "seconds", "CPU seconds", "requests", "snapshot"), rows))


def filled(folder: Path, url: str) -> None:
    import boto3

    client = boto3.client("s3", endpoint_url=url)
    client.create_bucket(Bucket="bench")
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            client.put_object(Bucket="bench", Key=f"docs/{file.relative_to(folder).as_posix()}", Body=file.read_bytes())


def downloaded(url: str, at_once: int) -> float:
    """Seconds in which all objects are read."""
    settings = SourcesPart(roots={"docs": RootPart(endpoint_url=url, at_once=at_once)})
    found = scan(Root("docs", "s3://bench/docs"), settings).found
    started = time.perf_counter()
    for one in ahead(found, settings):
        read(one, settings.max_bytes)
    return time.perf_counter() - started


def asked(url: str) -> int:
    from urllib.request import urlopen

    with urlopen(f"{url}/asked") as answer:  # noqa: S310
        return int(answer.read())


if __name__ == "__main__":
    main()
