"""How well files are parsed, beside the engines that people would pick instead: `make bench-parse`, ten minutes on two cores.

    python -m benchmarks.parse [--section structure,units,outcomes,long,articles] [--only concord,liteparse]
                               [--set odl_render,zh_render] [--files A,B,C] [--documents] [--json] [--keep FOLDER]

`--set`, `--files`, `--documents` and `--json` are about the rendered documents (`structure`), and alone show only those.
`--files` takes the endings of names (`A` is a style, `110A` a document); `--documents` prints a row a document as well; `--keep`
leaves what every engine wrote in a folder, to be looked at. Data is read from `$CONCORD_DATA`, else `../shared/data`.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pypdfium2  # type: ignore[import-untyped]

from benchmarks.ingest_peers import build_peers
from benchmarks.parse import articles, facts, long_pdf, outcomes, pages, structure, units
from benchmarks.parse.contenders import Contender, Turned, everybody, for_pages, seeing, turn
from benchmarks.parse.tracks import DATA, TRACKS, Rendered, rendered

PAGES_EACH = 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--section", default="", help=", ".join(SECTIONS))
    parser.add_argument("--only", default=",".join(everybody()), help="engines")
    parser.add_argument("--set", default="", help="rendered sets")
    parser.add_argument("--files", default="", help="endings of the names of documents")
    parser.add_argument("--documents", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    if not DATA.is_dir():
        print(f"skipped: {DATA} is not there; set CONCORD_DATA to the folder that holds parse/")
        return
    of_structure = options.set or options.files or options.documents or options.json
    sections = options.section.split(",") if options.section else ["structure"] if of_structure else list(SECTIONS)
    if options.only != "concord":
        build_peers()
    with tempfile.TemporaryDirectory(prefix="concord-bench-") as temporary:
        for section in sections:
            SECTIONS[section](options, options.keep or Path(temporary))


def show_structure(options: argparse.Namespace, folder: Path) -> None:
    documents = rendered((options.set or ",".join(TRACKS)).split(","), [word for word in options.files.split(",") if word])
    if not documents:
        sys.exit(f"no rendered documents of that name in {DATA}")
    judged = judge_all(_chosen(options), documents, folder)
    if options.json:
        print(json.dumps(structure.as_json(judged), ensure_ascii=False, indent=1))
        return
    _say("Reading order, tables and headings", structure.summary(judged), structure.by_style(judged))
    if options.documents:
        print(*(structure.by_document(one) for one in judged), sep="\n\n")


def judge_all(contenders: Sequence[Contender], documents: Sequence[Rendered], folder: Path) -> list[structure.Judged]:
    files = [one.pdf for one in documents]
    pages_in_all = sum(map(page_count, files))
    return [structure.judge(one, _turn(one, files, folder / "structure"), documents, pages_in_all) for one in contenders]


def page_count(pdf: Path) -> int:
    document = pypdfium2.PdfDocument(pdf)
    try:
        return len(document)
    finally:
        document.close()


def show_units(options: argparse.Namespace, folder: Path) -> None:
    asked = units.units(DATA / "olmocr")
    files = sorted({unit.pdf for unit in asked})
    passed: dict[str, Mapping[units.Unit, bool]] = {}
    for one in _chosen(options):
        turned = _turn(one, files, folder / "units")
        passed[one.name] = {unit: units.passes(unit, turned.markdown(unit.pdf)) for unit in asked}
    _say(f"olmOCR's unit tests of {len(files)} documents", units.report(passed))


def show_outcomes(options: argparse.Namespace, folder: Path) -> None:
    found = outcomes.outcomes(DATA)
    _say(f"What becomes of {len(found)} files", outcomes.by_folder(found), outcomes.wrong(found))
    files = [one.file for one in found if one.expected == "ok"]
    turned = _turn(seeing(), files, folder / "outcomes")
    seen = {file: json.loads(turned.markdown(file)) for file in files if file not in turned.failures}
    _say("Made files whose truth is known", facts.report(facts.facts(DATA / "generated", seen)))
    shares = {file: outcomes.kept(file, one) for file, one in seen.items() if file.read_bytes()[:1024].find(b"%PDF-") >= 0}
    _say("PDFs of which most is missing", outcomes.least_kept(shares, seen))


def show_long(options: argparse.Namespace, folder: Path) -> None:
    engines = [one for name, one in everybody().items() if name in ("concord", "liteparse") and name in options.only.split(",")]
    (folder / "long").mkdir(parents=True, exist_ok=True)
    _say("A long PDF", long_pdf.measure(engines, folder / "long"))


def show_articles(options: argparse.Namespace, folder: Path) -> None:
    sets = {"made pages": pages.pages(folder / "pages", PAGES_EACH), "public set": public(folder)}
    for title, asked in sets.items():
        if asked:
            found = {one.name: _kept(one, asked, folder / "articles") for one in for_pages()}
            layouts = [articles.by_layout(found)] if title == "made pages" else []
            _say(f"Articles of {len(asked)} web pages: {title}", articles.report(found), *layouts)


def public(folder: Path) -> list[pages.Page]:
    return articles.public_pages(DATA / "articles", folder / "public")


def _kept(one: Contender, asked: Sequence[pages.Page], folder: Path) -> dict[pages.Page, articles.Kept]:
    turned = _turn(one, [page.file for page in asked], folder)
    return {page: articles.kept(page.article, turned.markdown(page.file)) for page in asked}


def _chosen(options: argparse.Namespace) -> list[Contender]:
    names = options.only.split(",")
    if "opendataloader" in names and shutil.which("java") is None:
        print("opendataloader-pdf is left out: it needs Java (Debian: default-jre-headless)", file=sys.stderr)
        names.remove("opendataloader")
    return [everybody()[name] for name in names]


def _turn(one: Contender, files: Sequence[Path], folder: Path) -> Turned:
    print(f"{one.name}: {len(files)} files", file=sys.stderr, flush=True)
    return turn(one, files, folder / re.sub(r"\W+", "-", one.name).strip("-"))


def _say(title: str, *tables: str) -> None:
    print(f"### {title}", *tables, "", sep="\n\n", flush=True)


SECTIONS: Mapping[str, Callable[[argparse.Namespace, Path], None]] = {
    "structure": show_structure, "units": show_units, "outcomes": show_outcomes, "long": show_long, "articles": show_articles,
}

if __name__ == "__main__":
    main()
