"""How well files are parsed, beside the engines that people would pick instead: `make bench-parse`.

    python -m benchmarks.parse [--only concord,liteparse] [--set odl_render,zh_render] [--files A,B,C] [--documents] [--json]
                               [--keep FOLDER]

`--files` takes the endings of names (`A` is a style, `110A` a document); `--documents` also prints a row a document; `--keep`
leaves every engine's Markdown in a folder, to be looked at.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from benchmarks.ingest_peers import build_peers
from benchmarks.parse import structure
from benchmarks.parse.contenders import everybody, turn
from benchmarks.parse.tracks import DATA, TRACKS, Rendered, rendered


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(everybody()), help="engines")
    parser.add_argument("--set", default=",".join(TRACKS), help="rendered sets")
    parser.add_argument("--files", default="", help="endings of the names of documents")
    parser.add_argument("--documents", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    documents = rendered(options.set.split(","), [word for word in options.files.split(",") if word])
    if not documents:
        print(f"skipped: no rendered documents in {DATA}; set CONCORD_DATA to the folder that holds parse/")
        return
    with tempfile.TemporaryDirectory(prefix="concord-bench-") as temporary:
        judged = judge_all(options.only.split(","), documents, options.keep or Path(temporary))
    if options.json:
        print(json.dumps(structure.as_json(judged), ensure_ascii=False, indent=1))
        return
    print(structure.summary(judged), structure.by_style(judged), sep="\n\n")
    if options.documents:
        print(*(structure.by_document(one) for one in judged), sep="\n\n")


def judge_all(names: list[str], documents: list[Rendered], folder: Path) -> list[structure.Judged]:
    files = [one.pdf for one in documents]
    pages = sum(map(page_count, files))
    judged = []
    if set(names) != {"concord"}:
        build_peers()
    for name in names:
        one = everybody()[name]
        print(f"{one.name}: {len(files)} files, {pages} pages", file=sys.stderr, flush=True)
        judged.append(structure.judge(one, turn(one, files, folder / name), documents, pages))
    return judged


def page_count(pdf: Path) -> int:
    import pypdfium2  # type: ignore[import-untyped]

    document = pypdfium2.PdfDocument(pdf)
    try:
        return len(document)
    finally:
        document.close()


if __name__ == "__main__":
    main()
