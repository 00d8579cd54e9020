"""Archives that are not what was exported, in every way that we could think of: refused, and nothing is left behind."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pytest

from flows.shipping import receive
from ingest.errors import ArchiveCorrupt, ConcordError, EngineUnavailable, UsageError
from ingest.model.canonical import SetDigest, canonical, digest_of
from ingest.progress import Silent

Entries = list[tuple[str, bytes]]
Change = Callable[[Entries], Entries]


@pytest.fixture
def refused(base: Any) -> Callable[..., ConcordError]:
    """Import a file, which must be refused with nothing left behind; return the error."""

    def call(file: Path, kind: type[ConcordError] = ArchiveCorrupt, **generations: Any) -> ConcordError:
        if generations:
            base.set("generations", **generations)
        with pytest.raises(kind) as raised:
            receive(base.settings, file, Silent())
        assert not base.kb.exists(), sorted(base.kb.rglob("*"))
        return raised.value

    return call


def changed(entries: Entries, name: str, change: Callable[[bytes], bytes]) -> Entries:
    return [(each, change(data) if each == name else data) for each, data in entries]


def flipped(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :] if data else b"x"


def one_of_each(entries: Entries) -> list[str]:
    """The first entry of every sort: three at the start, a table, a file of each index, vectors, the sums."""
    seen: dict[str, str] = {}
    for name, _ in entries:
        parts = name.split("/")
        seen.setdefault("/".join(parts[:2]) if parts[0] in ("catalog", "builds") else parts[0], name)
    return list(seen.values())


@pytest.mark.parametrize("all_of_them", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["one of each sort", "all"])
def test_an_entry_altered_by_a_bit_is_refused(
    all_of_them: bool, entries: Entries, hands: Any, tmp_path: Path, refused: Any
) -> None:
    for name in [name for name, _ in entries] if all_of_them else one_of_each(entries):
        error = refused(hands.packed(changed(entries, name, flipped), tmp_path / "a"))
        assert str(tmp_path / "a") in str(error) and "nothing was imported" in str(error), name


@pytest.mark.parametrize("all_of_them", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["some", "one of each sort"])
@pytest.mark.parametrize("how", ["cut", "longer", "missing", "twice", "renamed", "moved"])
def test_entries_that_are_not_as_they_were_are_refused(
    how: str, all_of_them: bool, entries: Entries, hands: Any, tmp_path: Path, refused: Any
) -> None:
    ways: dict[str, Callable[[str], Entries]] = {
        "cut": lambda name: changed(entries, name, lambda data: data[:-1]),
        "longer": lambda name: changed(entries, name, lambda data: data + b"\n"),
        "missing": lambda name: [entry for entry in entries if entry[0] != name],
        "twice": lambda name: [entry for each in entries for entry in ([each, each] if each[0] == name else [each])],
        "renamed": lambda name: [(f"{each}x" if each == name else each, data) for each, data in entries],
        "moved": lambda name: [e for e in entries if e[0] != name][::-1] + [e for e in entries if e[0] == name],
    }
    for name in one_of_each(entries)[:: 1 if all_of_them else 4]:
        refused(hands.packed(ways[how](name), tmp_path / "a"))
        agrees = name == "sums.json" or (how == "missing" and name.startswith("vectors/"))  # fewer vectors are no lie
        if not agrees and how != "renamed":
            refused(hands.forged(ways[how](name), tmp_path / "b"))


def test_an_entry_too_many_is_refused(entries: Entries, hands: Any, tmp_path: Path, refused: Any) -> None:
    places = {name: number for number, (name, _) in enumerate(entries)}
    for name, after in (
        ("more.json", "files.json"), ("catalog/sources/000001.jsonl", "catalog/sources/000000.jsonl"),
        ("catalog/seen/000000.jsonl", "catalog/assertions/000000.jsonl"), ("vectors/000001", "vectors/000000"),
        ("more.json", "vectors/000000"), ("more.json", "sums.json"),
    ):
        at = places[after] + 1
        refused(hands.packed([*entries[:at], (name, b"{}\n"), *entries[at:]], tmp_path / "a"))
        refused(hands.forged([*entries[:at], (name, b"{}\n"), *entries[at:]], tmp_path / "b"))


def test_cut_anywhere_it_is_refused(shipped: Any, tmp_path: Path, refused: Any) -> None:
    data = shipped.file.read_bytes()
    for share in (0.0, 0.001, 0.1, 0.5, 0.9, 0.999):
        (tmp_path / "a").write_bytes(data[: int(len(data) * share)])
        refused(tmp_path / "a", ConcordError)
    (tmp_path / "a").write_bytes(data[:-1])
    refused(tmp_path / "a")


def test_something_behind_it_is_refused(shipped: Any, hands: Any, tmp_path: Path, refused: Any) -> None:
    data = shipped.file.read_bytes()
    for more in (b"x", data, b"\x28\xb5\x2f\xfd"):
        (tmp_path / "a").write_bytes(data + more)
        refused(tmp_path / "a")
    with pyarrow.CompressedInputStream(pyarrow.OSFile(str(shipped.file)), "zstd") as stream:
        tar = stream.read()
    refused(hands.compressed(tar + bytes(512), tmp_path / "b"))
    refused(hands.compressed(tar[:-512], tmp_path / "c"))


def test_what_is_no_archive_is_told_so(hands: Any, tmp_path: Path, refused: Any, base: Any) -> None:
    for content in (b"", b"PK\x03\x04 a zip", b"plain text\n" * 100, b"\x1f\x8b\x08\0 gzip"):
        (tmp_path / "a").write_bytes(content)
        assert "no archive" in str(refused(tmp_path / "a", UsageError))
    other = hands.packed([("readme.txt", b"hello")], tmp_path / "b")
    assert "no archive" in str(refused(other))
    assert "no file" in str(refused(tmp_path / "missing", UsageError))
    assert "no file" in str(refused(tmp_path, UsageError))


def member(name: str, kind: bytes = tarfile.REGTYPE, **values: Any) -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type = kind
    for key, value in values.items():
        setattr(made, key, value)
    return made


@pytest.mark.parametrize("hostile", [
    member("../outside"), member("/tmp/outside"), member("builds/../../outside"), member("a/./b"), member("c:\\outside"),
    member("link", tarfile.SYMTYPE, linkname="/etc/passwd"), member("hard", tarfile.LNKTYPE, linkname="concord.json"),
    member("device", tarfile.CHRTYPE, devmajor=1, devminor=3), member("pipe", tarfile.FIFOTYPE),
    member("folder", tarfile.DIRTYPE), member("late", mtime=1),
    member("mine", uid=1000, uname="somebody"), member("run", mode=0o4755),
], ids=lambda one: one.name)
def test_members_that_no_export_writes_are_refused_wherever_they_stand(
    hostile: tarfile.TarInfo, entries: Entries, hands: Any, tmp_path: Path, refused: Any
) -> None:
    members = [(hands.plain_member(name, len(data)), data) for name, data in entries if len(data) < 1 << 20]
    for place in (0, 8) if hostile.name != "../outside" else (0, 3, 8, len(members)):
        tar = hands.tarred([*members[:place], (hostile, b""), *members[place:]])
        refused(hands.compressed(tar, tmp_path / "a"))
    assert not (tmp_path.parent / "outside").exists() and not Path("/tmp/outside").exists()


@pytest.mark.parametrize("name", ["é" * 3, "n" * 300])
def test_extended_headers_are_refused(name: str, entries: Entries, hands: Any, tmp_path: Path, refused: Any) -> None:
    members = [(hands.plain_member(each, len(data)), data) for each, data in entries[:3]]
    for form in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT):
        refused(hands.compressed(hands.tarred([(member(name), b""), *members], format=form), tmp_path / "a"))


def test_a_bomb_is_refused_before_it_is_unpacked(entries: Entries, hands: Any, tmp_path: Path, refused: Any) -> None:
    limit = sum(len(data) + 1024 for _, data in entries) + (1 << 20)
    tar = hands.tarred([(hands.plain_member(name, len(data)), data) for name, data in entries[:3]])
    header = hands.plain_member("catalog/sources/000000.jsonl", (8 << 30) - 1).tobuf(tarfile.USTAR_FORMAT)
    bomb = hands.compressed(tar[:-1024] + header + bytes(64 << 20), tmp_path / "a")
    assert bomb.stat().st_size < 100_000
    refused(bomb)
    assert "max_import_bytes" in str(refused(bomb, max_import_bytes=limit))
    files = json.loads(dict(entries)["files.json"])
    files[next(iter(files))]["stamp.json"]["size"] = 1 << 40
    promising = hands.packed(changed(entries, "files.json", lambda _: canonical(files)), tmp_path / "b")
    assert "max_import_bytes" in str(refused(promising))


def test_a_limit_that_fits_is_no_hindrance(shipped: Any, entries: Entries, base: Any) -> None:
    total = sum(len(data) + 1024 for _, data in entries) + 4096
    base.set("generations", max_import_bytes=total)
    assert receive(base.settings, shipped.file, Silent()).generation == 2


@pytest.mark.parametrize("name", ["../../outside", "/etc/outside", "a//b", "a/../b", "", ".", "a\0b", "a\\b", ".hidden", "é"])
def test_files_json_cannot_name_what_is_elsewhere(name: str, entries: Entries, hands: Any, tmp_path: Path, refused: Any) -> None:
    files = json.loads(dict(entries)["files.json"])
    files[next(iter(files))][name] = {"size": 0, "sparse_sha256": "0" * 64}
    made = changed(entries[:3], "files.json", lambda _: canonical(files))
    assert "files.json cannot be taken" in str(refused(hands.forged(made, tmp_path / "a")))


# From here on somebody took care that the digests at hand agree with what they changed.


def said(entries: Entries, name: str, change: Callable[[Any], None]) -> Entries:
    """Entries with the JSON of one changed, canonical again."""
    value = json.loads(dict(entries)[name])
    change(value)
    return changed(entries, name, lambda _: canonical(value))


def resnapped(manifest: dict[str, Any]) -> None:
    manifest["snapshot"] = digest_of({name: manifest[name] for name in ("catalog", "registry", "settings", "fingerprints")})


def test_another_format_is_told_and_not_guessed(entries: Entries, hands: Any, tmp_path: Path, refused: Any) -> None:
    for name, key in (("concord.json", "archive"), ("manifest.json", "format")):
        file = hands.forged(said(entries, name, lambda value, key=key: value.update({key: 2, "more": "news"})), tmp_path / "a")
        assert "format 2, this version reads 1; import it with the version" in str(refused(file, UsageError))


def test_an_engine_that_is_not_here_is_told(entries: Entries, hands: Any, tmp_path: Path, refused: Any) -> None:
    def change(manifest: dict[str, Any]) -> None:
        for build in manifest["builds"]:
            if build["kind"] == "vector":
                build["fingerprint"] = build["fingerprint"].replace("qdrant-edge-py", "elsewhere")
                build["id"] = digest_of([build["kind"], build["fingerprint"], build["rows"], build["edges"]])[:24]

    entries = said(entries, "manifest.json", change)
    new = next(build["id"] for build in json.loads(dict(entries)["manifest.json"])["builds"] if build["kind"] == "vector")
    files = json.loads(dict(entries)["files.json"])
    files = {f"vector/{new}" if key.startswith("vector/") else key: value for key, value in files.items()}
    file = hands.forged(changed(entries, "files.json", lambda _: canonical(files)), tmp_path / "a")
    error = refused(file, EngineUnavailable)
    assert "elsewhere" in str(error) and "qdrant-edge-py" in str(error) and error.exit_code == 6


@pytest.mark.parametrize("change", [
    lambda m: m.update(generation=3), lambda m: m.update(generation=0), lambda m: m.update(generation="2"),
    lambda m: m.update(snapshot="0" * 32), lambda m: m.update(registry="?"), lambda m: m["settings"].update(bm25="0" * 32),
    lambda m: m["scoring"].update(k1=1.25),
    lambda m: m["catalog"].update(chunks=m["catalog"]["parents"]), lambda m: m["catalog"].pop("edges"),
    lambda m: m["builds"].pop(), lambda m: m["builds"].reverse(), lambda m: m["builds"][0].update(id="../../../outside"),
    lambda m: m["builds"][0].update(id="0" * 24), lambda m: m["builds"][1].update(rows="0:" + "0" * 32),
    lambda m: m["builds"][2].update(edges="0:" + "0" * 32), lambda m: m["scoring"].update(k1=-1), lambda m: m.update(more=1),
    lambda m: m["fingerprints"].pop("embed"), lambda m: m.update(builds=None), lambda m: m.update(catalog=[]),
])
@pytest.mark.parametrize("consistent", [False, True], ids=["as it is", "with its snapshot digest"])
def test_a_manifest_that_does_not_agree_with_itself_is_refused(
    change: Callable[[dict[str, Any]], None], consistent: bool, entries: Entries, hands: Any, tmp_path: Path, refused: Any
) -> None:
    def both(manifest: dict[str, Any]) -> None:
        change(manifest)
        if consistent:
            resnapped(manifest)

    made = said(entries[:3], "manifest.json", both)
    if made != entries[:3]:
        assert ".json cannot be taken" in str(refused(hands.forged(made, tmp_path / "a")))


def lines(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.splitlines()]


def joined(facts: list[dict[str, Any]]) -> bytes:
    return b"".join(canonical(fact) + b"\n" for fact in facts)


def resealed(entries: Entries, table: str) -> Entries:
    """Entries with the digest of a table in the manifest counted anew, and all that hangs on it."""
    held = str(SetDigest.of((fact["id"], fact["checksum"]) for fact in lines(dict(entries)[f"catalog/{table}/000000.jsonl"])))

    def change(manifest: dict[str, Any]) -> None:
        manifest["catalog"][table] = held
        resnapped(manifest)

    return said(entries, "manifest.json", change)


@pytest.mark.parametrize("table", [
    pytest.param(table, marks=[pytest.mark.slow] * (table not in ("sources", "chunks")))
    for table in ("sources", "parents", "chunks", "mentions", "edges", "entities", "assertions")
])
def test_facts_that_were_changed_are_refused(table: str, entries: Entries, hands: Any, tmp_path: Path, refused: Any) -> None:
    name = f"catalog/{table}/000000.jsonl"
    entries = [entry for entry in entries if not entry[0].startswith(("builds", "vectors"))]
    facts = lines(dict(entries)[name])

    def payload(fact: dict[str, Any]) -> dict[str, Any]:
        key = next(key for key, value in fact["payload"].items() if isinstance(value, str | list))
        value = fact["payload"][key]
        return {**fact, "payload": {**fact["payload"], key: value + ("x" if isinstance(value, str) else [])}}

    first, rest = facts[0], facts[1:]
    ways = [rest, [*facts, facts[-1]], [first, *facts], [{key: first[key] for key in first if key != "position"}, *rest]]
    ways += [[{**first, **fields}, *rest] for fields in (
        {"checksum": "0" * 32}, {"source_id": "urn:kb:source:" + "0" * 32}, {"id": first["id"] + "0"}, {"position": -1},
        {"position": 1.5}, {"more": 1}, {"payload": None}, {"payload": {**first["payload"], "more": 1}},
    )]
    if table != "mentions":
        ways.append([payload(first), *rest])
    for way in ways:
        made = changed(entries, name, lambda _, way=way: joined(way))
        # Fewer facts, all digests counted anew, are another generation and no damage.
        for each in (made, *([resealed(made, table)] if way != rest else [])):
            told = str(refused(hands.forged(each, tmp_path / "a")))
            reasons = ("a fact that cannot be taken", f"the {table} in it are", "does not end with a line", "manifest.json")
            assert any(reason in told for reason in reasons), told


def test_a_text_that_was_changed_with_all_its_checksums_is_found_in_the_indexes(
    entries: Entries, hands: Any, tmp_path: Path, refused: Any
) -> None:
    from indexes.generation.checksums import checksum_of
    from ingest.model.canonical import sha256_hex

    facts = lines(dict(entries)["catalog/chunks/000000.jsonl"])
    row = facts[0]["payload"]
    row["text"] = row["text"][:-1] + "!"
    row["text_checksum"] = sha256_hex(row["text"])
    without = {key: value for key, value in row.items() if key not in ("text_checksum", "row_checksum")}
    row["row_checksum"] = digest_of({**without, "text": row["text_checksum"]})
    facts[0]["checksum"] = checksum_of("chunks", row)
    entries = resealed(changed(entries, "catalog/chunks/000000.jsonl", lambda _: joined(facts)), "chunks")
    old = json.loads(dict(entries)["manifest.json"])["builds"]

    def change(manifest: dict[str, Any]) -> None:
        for build in manifest["builds"]:
            build["rows"] = manifest["catalog"]["chunks"]
            build["id"] = digest_of([build["kind"], build["fingerprint"], build["rows"], build["edges"]])[:24]

    entries = said(entries, "manifest.json", change)
    new = json.loads(dict(entries)["manifest.json"])["builds"]
    renamed = {f"{a['kind']}/{a['id']}": (f"{b['kind']}/{b['id']}", b) for a, b in zip(old, new, strict=True)}
    files = {renamed[key][0]: value for key, value in json.loads(dict(entries)["files.json"]).items()}
    for key, build in renamed.values():
        stamp = canonical(build)
        files[key]["stamp.json"] = {"size": len(stamp), "sparse_sha256": sparse(stamp)}
    moved = []
    for name, data in entries:
        for before, (after, build) in renamed.items():
            if name.startswith(f"builds/{before}/"):
                name = f"builds/{after}/{name.removeprefix(f'builds/{before}/')}"
                data = canonical(build) if name.endswith("/stamp.json") else data
        moved.append((name, data))
    file = hands.forged(changed(moved, "files.json", lambda _: canonical(files)), tmp_path / "a")
    assert "index holds" in str(refused(file)), "all of it agrees, but for what the indexes hold"


def sparse(data: bytes) -> str:
    from indexes.generation.seal import SparseHash

    digest = SparseHash(len(data))
    digest.add(0, data)
    return digest.hexdigest()


def test_a_file_of_an_index_that_was_exchanged_with_its_digest_is_found(
    entries: Entries, hands: Any, tmp_path: Path, refused: Any
) -> None:
    """The stamp of another build, a graph without its edges: files.json says so too, and the index itself does not."""
    files = json.loads(dict(entries)["files.json"])
    key = next(key for key in files if key.startswith("graph/"))
    for name, data in ((f"builds/{key}/stamp.json", b"{}"), (f"builds/{key}/graph.json", b"{}")):
        listed = json.loads(dict(entries)["files.json"])
        listed[key][name.rpartition("/")[2]] = {"size": len(data), "sparse_sha256": sparse(data)}
        made = changed(changed(entries, name, lambda _, data=data: data), "files.json", lambda _, made=listed: canonical(made))
        refused(hands.forged(made, tmp_path / "a"))


def test_vectors_that_are_not_those_of_the_index_are_refused(entries: Entries, hands: Any, tmp_path: Path, refused: Any) -> None:
    data = dict(entries)["vectors/000000"]
    size = 32 + 4 * json.loads(dict(entries)["concord.json"])["dimensions"]
    first, second = data[:size], data[size : 2 * size]
    ways = {
        "another vector": first[:32] + second[32:] + data[size:], "another key": bytes(32) + data[32:], "twice": first + data,
        "not in order": second + first + data[2 * size :], "cut": data[:-4], "none": b"",
        "not a number": data[:32] + b"\0\0\xc0\x7f" + data[36:],
    }
    for way in ways.values():
        refused(hands.forged(changed(entries, "vectors/000000", lambda _, way=way: way), tmp_path / "a"))
    other = said(entries, "concord.json", lambda head: head.update(dimensions=8))
    refused(hands.forged(other, tmp_path / "b"))
    none = said(entries, "concord.json", lambda head: head.update(dimensions=0))
    refused(hands.forged(none, tmp_path / "c"))


@pytest.mark.parametrize("change", [
    lambda h: h.update(published_at="yesterday"), lambda h: h.update(confirmed_at=None), lambda h: h.update(generation=1),
    lambda h: h.update(dimensions=-1), lambda h: h.pop("dimensions") and h.pop("confirmed_at"), lambda h: h.update(more=1),
])
def test_a_head_that_says_something_else_is_refused(
    change: Any, entries: Entries, hands: Any, tmp_path: Path, refused: Any
) -> None:
    assert ".json cannot be taken" in str(refused(hands.forged(said(entries[:3], "concord.json", change), tmp_path / "a")))


def test_json_that_is_written_otherwise_is_refused(entries: Entries, hands: Any, tmp_path: Path, refused: Any) -> None:
    changes: tuple[Callable[[bytes], bytes], ...] = (
        lambda data: json.dumps(json.loads(data), indent=1).encode(), lambda data: data + b" ", lambda data: b"\xff" + data
    )
    for name in ("concord.json", "manifest.json", "files.json"):
        for change in changes:
            assert "cannot be taken" in str(refused(hands.forged(changed(entries[:3], name, change), tmp_path / "a")))


def test_a_base_that_was_begun_before_keeps_what_it_had(entries: Entries, hands: Any, base: Any, tmp_path: Path) -> None:
    """An interrupted first run left its cache: a refused import takes nothing of it away."""
    from flows.opening import writing

    with writing(base.settings, create=True) as begun:
        begun.cache.put_many("chunks", {"key": b"hours of work"})
    late = next(name for name, _ in entries if name.startswith("builds/graph"))
    with pytest.raises(ArchiveCorrupt):
        receive(base.settings, hands.packed(changed(entries, late, flipped), tmp_path / "a"), Silent())
    with writing(base.settings) as again:
        assert again.cache.get_many("chunks", ["key"]) == {"key": b"hours of work"}
        assert again.catalog.head() == 0
    assert not list((base.kb / "builds").rglob("*")) and not (base.kb / "staging").exists()
