"""Documents that cannot be taken: each has its own error, names the file and the remedy, and costs nothing but itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ingest.errors import NotFound
from ingest.model.access import Principal

LIN = Principal("lin")
ENCRYPTED_PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n"
BOMB = b"PK\x03\x04"


def paper(rule: str = "", word: str = "QUOKKA") -> str:
    return f"---\ntitle: Paper\n{rule}---\n# Paper\n\nThe {word} stands here.\n"


BAD: dict[str, tuple[str, bytes | str, str, str]] = {
    "empty": ("bad.md", b"", "DocumentEmpty", "remove it or fill it"),
    "white space": ("bad.txt", b" \r\n\t\n" * 9, "DocumentEmpty", "remove it or fill it"),
    "front matter only": ("bad.md", "---\ntitle: Nothing\n---\n", "DocumentEmpty", "remove it"),
    "picture": ("bad.png", b"\x89PNG\r\n\x1a\n" + bytes(99), "DocumentUnsupported", "write its text down"),
    "picture named .md": ("bad.md", b"\x89PNG\r\n\x1a\n" + bytes(99), "DocumentUnsupported", "write its text down"),
    "program": ("bad", b"\x7fELF" + bytes(range(256)), "DocumentUnsupported", "program"),
    "binary": ("bad.bin", bytes(range(256)) * 40, "DocumentUnsupported", "save it as"),
    "binary named .pdf": ("bad.pdf", bytes(range(256)) * 40, "DocumentCorrupt", "export it again"),
    "old Word": ("bad.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "DocumentUnsupported", "save it"),
    "cut PDF": ("bad.pdf", ENCRYPTED_PDF, "DocumentCorrupt", "again"),
    "archive": ("bad.zip", b"\x1f\x8b\x08" + bytes(40), "DocumentUnsupported", "unpack it"),
    "damaged container": ("bad.docx", b"PK\x03\x04" + bytes(90), "DocumentCorrupt", "again"),
    "unknown access key": ("bad.md", paper("allowed_user: [lin]\n"), "MetadataInvalid", "allowed_users"),
    "front matter that is no YAML": ("bad.md", "---\ntitle: [\n---\ntext\n", "MetadataInvalid", "cannot be read"),
    "front matter never closed": ("bad.md", "---\ntitle: x\nlevel: 1\n\n# Text\n", "MetadataInvalid", "end it with"),
    "unknown level": ("bad.md", paper("level: secret\n"), "MetadataInvalid", "whole number"),
    "window that ends before it begins": (
        "bad.md", paper("valid_from: 2025-02-01\nvalid_until: 2025-01-01\n"), "MetadataInvalid", "valid_until"),
}


def place(name: str) -> str:
    """Return where the bad document of this name lies."""
    return f"{name.replace(' ', '-')}/{BAD[name][0]}"


@pytest.fixture(scope="module")
def spoilt(tmp_path_factory: pytest.TempPathFactory, make_base: Callable[..., Any]) -> tuple[Any, Any]:
    """(base, report) of one run over all bad documents and a good one."""
    base = make_base(tmp_path_factory.mktemp("spoilt"))
    for name, (_, data, _, _) in BAD.items():
        base.write(place(name), data)
    base.write("good.md", paper())
    return base, base.run()


@pytest.mark.parametrize("name", BAD)
def test_bad_document_has_its_class_and_its_message(spoilt: tuple[Any, Any], name: str) -> None:
    base, report = spoilt
    path, _, error, remedy = BAD[name]
    (failure,) = [failure for failure in report.failures if failure.uri == f"docs/{place(name)}"]
    assert (failure.error, failure.serving, failure.retryable) == (error, False, False)
    assert path in failure.message and remedy in failure.message, failure.message
    with pytest.raises(NotFound):
        base.show(failure.uri, who=LIN)


def test_bad_documents_cost_nothing_but_themselves_and_are_told_until_they_are_mended(spoilt: tuple[Any, Any]) -> None:
    base, report = spoilt
    assert (report.exit_code, report.published, report.sources["failed"]) == (4, True, len(BAD))
    assert base.found("QUOKKA") == ["good.md"]
    again = base.run()
    assert (again.published, again.exit_code, again.failures) == (False, 4, report.failures)
    assert base.check().status == "fresh"
    for name in BAD:
        base.write(place(name), "# Mended\n\nNow the WOMBAT is readable.\n")
    assert base.run().exit_code == 0
    assert base.found("WOMBAT", top_k=100) == sorted(map(place, BAD))


def test_front_matter_closes_access_in_any_line_ending_and_encoding(base: Any) -> None:
    good, bad = paper("allowed_users: [林知远]\n", "QUOKKA 机房密钥"), paper("allowed_usres: [林知远]\n", "QUOKKA 机房密钥")
    names = []
    for ending in ("\n", "\r\n", "\r"):
        for encoding in ("utf-8", "utf-8-sig", "utf-16", "gb18030"):
            names.append(f"{encoding}-{len(names):02}")
            base.write(f"{names[-1]}/good.md", good.replace("\n", ending).encode(encoding))
            base.write(f"{names[-1]}/bad.md", bad.replace("\n", ending).encode(encoding))
    base.write("open.md", paper())
    report = base.run()
    assert [(failure.uri, failure.error) for failure in report.failures] == [
        (f"docs/{name}/bad.md", "MetadataInvalid") for name in sorted(names)
    ]
    assert base.found("QUOKKA", top_k=100) == ["open.md"]
    good_ones = [f"{name}/good.md" for name in sorted(names)]
    assert base.found("QUOKKA", top_k=100, who=Principal("林知远")) == sorted([*good_ones, "open.md"])


def test_encrypted_container_is_told_apart(base: Any, office: Callable[..., bytes]) -> None:
    base.write("good.docx", office())
    base.write("bad.docx", office(encrypted=True))
    (failure,) = base.run().failures
    assert (failure.error, failure.uri) == ("DocumentEncrypted", "docs/bad.docx")
    assert "bad.docx" in failure.message and "password" in failure.message
    assert base.found("QUOKKA") == ["good.docx"]


def test_truncated_container_keeps_serving_its_last_good_text(base: Any, office: Callable[..., bytes]) -> None:
    base.write("doc.docx", office())
    base.run()
    base.write("doc.docx", office()[:-300])
    (failure,) = base.run().failures
    assert (failure.error, failure.serving) == ("DocumentCorrupt", True)
    assert base.found("QUOKKA") == ["doc.docx"]


def test_too_large_file_is_never_read_and_keeps_what_was_served(base: Any) -> None:
    base.set("sources", max_bytes=1000)
    base.write("doc.md", paper())
    base.write("huge.md", "# Huge\n\n" + "x" * 2000)
    (failure,) = base.run().failures
    assert (failure.error, failure.uri, failure.serving) == ("DocumentTooLarge", "docs/huge.md", False)
    assert "sources.max_bytes" in failure.message
    base.write("doc.md", paper() + "x" * 2000)
    failures = {failure.uri: failure for failure in base.run().failures}
    assert failures["docs/doc.md"].serving
    assert base.found("QUOKKA") == ["doc.md"]


def test_wrongly_named_file_is_taken_for_what_it_is(base: Any) -> None:
    page = "<!doctype html><html><head><title>Page</title></head><body><h1>Page</h1><p>The QUOKKA.</p></body></html>"
    base.write("page.pdf", page)
    base.write("no-suffix", "The WOMBAT is plain text.\n")
    assert base.run().exit_code == 0
    assert base.found("QUOKKA") == ["page.pdf"]
    assert base.found("WOMBAT") == ["no-suffix"]


# A document that was good, and is not any more


def broken(rule: str) -> bytes:
    """Front matter that reads, above bytes that are a picture's: the text does not parse."""
    return f"---\ntitle: Paper\n{rule}---\n".encode()


@pytest.mark.parametrize("how", ["empty text", "sidecar and a picture"])
def test_last_good_text_is_served_under_the_newest_metadata(served: Any, how: str) -> None:
    if how == "empty text":
        served.write("doc.md", broken("allowed_users: [lin]\n"))
    else:
        served.write("doc.md", b"\x89PNG\r\n\x1a\n" + bytes(99))
        served.write("doc.md.meta.yaml", "title: Paper\nallowed_users: [lin]\n")
    report = served.run()
    (failure,) = report.failures
    assert (failure.serving, report.exit_code, report.embedded) == (True, 4, 0)
    assert served.found("QUOKKA") == [], "tightened access applies to the old text although the new one does not parse"
    assert served.found("QUOKKA", who=LIN) == ["doc.md"]
    assert served.show("docs/doc.md", who=LIN)["state"] == "quarantined"
    assert served.found("MAGPIE") == ["other.md"]
    assert served.verify() == []
    assert served.run().published is False
    served.write("doc.md", paper("allowed_users: [lin]\n", "WOMBAT"))
    assert served.run().exit_code == 0
    assert served.found("WOMBAT", who=LIN) == ["doc.md"]
    assert served.found("QUOKKA", who=LIN) == []


def test_window_of_a_broken_version_still_closes_the_one_before(base: Any) -> None:
    base.write("v1.md", paper("document: paper\nversion: '1'\nvalid_from: 2024-01-01\n", "ALDER"))
    base.write("v2.md", paper("document: paper\nversion: '2'\nvalid_from: 2025-01-01\n", "BIRCH"))
    base.run()
    base.write("v2.md", broken("document: paper\nversion: '2'\nvalid_from: 2025-06-01\n"))
    base.run()
    assert base.found("stands", as_of="2025-03-01T00:00:00Z") == ["v1.md"]
    assert base.found("stands", as_of="2025-07-01T00:00:00Z") == ["v2.md"]


@pytest.mark.parametrize(
    "data", [paper("alowed_users: [lin]\n"), "---\nallowed_users: [lin\n---\n# Paper\n\nQUOKKA\n",
             "---\nallowed_users: [lin]\n# Paper\n\nQUOKKA\n", "----\nallowed_users: [lin]\n---\n# Paper\n\nQUOKKA\n"],
)
def test_metadata_that_cannot_be_read_withdraws_what_was_served(served: Any, data: str) -> None:
    served.write("doc.md", data)
    report = served.run()
    (failure,) = report.failures
    assert (failure.error, failure.stage, failure.serving) == ("MetadataInvalid", "metadata", False)
    for who in (Principal(), LIN, Principal("lin", ("admin",), None, 9)):
        assert served.found("QUOKKA", who=who) == []
        with pytest.raises(NotFound):
            served.show("docs/doc.md", who=who)
    assert all(len(held) == 1 for held in served.held().values())
    served.write("doc.md", paper())
    assert served.run().embedded == 0
    assert served.found("QUOKKA") == ["doc.md"]


@pytest.mark.parametrize(
    ("sidecar", "name"), [("alowed_users: [lin]\n", "doc.md.meta.yaml"), ("", "doc.md.meta.yaml"), ("[", "doc.md.meta.yaml"),
                          ("allowed_users: [lin]\n", "doc.meta.yaml"), ("allowed_users: [lin]\n", "doc.md.meta.yml")],
)
def test_sidecar_that_cannot_be_trusted_withdraws(served: Any, sidecar: str, name: str) -> None:
    served.write(name, sidecar)
    (failure,) = served.run().failures
    assert (failure.error, failure.serving) == ("MetadataInvalid", False)
    assert name in failure.message or "sidecar" in failure.message
    assert served.found("QUOKKA", who=LIN) == []
    assert served.run().published is False
    assert served.check().status == "fresh", "it would fail again in the same way"
    served.delete(name)
    assert served.check().status == "stale"
    assert served.run().exit_code == 0
    assert served.found("QUOKKA") == ["doc.md"]


@pytest.fixture
def locked(served: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """Take and give back the permission to read doc.md. (Whoever runs the tests may be root, whom no mode stops.)"""
    from ingest.sources import content

    opened = content.open_below
    state = {"locked": True}

    def refusing(base: str, path: str) -> int:
        if state["locked"] and path == str(served.docs / "doc.md"):
            raise PermissionError(13, "Permission denied")
        return opened(base, path)

    monkeypatch.setattr(content, "open_below", refusing)
    return lambda now: state.update(locked=now)


def test_unreadable_file_keeps_its_text_and_is_tried_again(served: Any, locked: Callable[[bool], None]) -> None:
    served.write("doc.md", paper(word="WOMBAT"))
    report = served.run()
    (failure,) = report.failures
    assert (failure.error, failure.retryable, failure.serving) == ("DocumentUnreadable", True, True)
    assert "doc.md" in failure.message and "permissions" in failure.message
    assert served.found("QUOKKA") == ["doc.md"]
    again = served.run()
    assert (again.published, again.exit_code, again.sources["changed"]) == (False, 4, 0)
    assert served.check().status == "unknown"
    locked(False)
    assert served.run().exit_code == 0
    assert served.found("WOMBAT") == ["doc.md"]


def test_unreadable_file_that_had_not_changed_is_served_as_before(served: Any, locked: Callable[[bool], None]) -> None:
    before = served.search("QUOKKA").snapshot
    served.run(rehash=True)
    assert served.head() == 2
    locked(False)
    report = served.run()
    assert (report.exit_code, report.embedded, report.snapshot) == (0, 0, before)


def test_sidecar_of_an_unreadable_file_closes_access(served: Any, locked: Callable[[bool], None]) -> None:
    """What a new sidecar says together with front matter is known once both can be read; until then nobody sees the text."""
    served.write("doc.md.meta.yaml", "allowed_users: [lin]\n")
    for _ in range(2):
        (failure,) = served.run(rehash=True).failures
        assert (failure.error, failure.serving) == ("DocumentUnreadable", False)
        assert served.found("QUOKKA") == served.found("QUOKKA", who=LIN) == []
    locked(False)
    assert served.run().exit_code == 0
    assert (served.found("QUOKKA"), served.found("QUOKKA", who=LIN)) == ([], ["doc.md"])


def test_metadata_that_fail_beside_a_text_that_fails_close_access(base: Any) -> None:
    """The text does not parse and the sidecar cannot be trusted: the old text must not open to everybody."""
    base.write("doc.md", paper("allowed_users: [lin]\n"))
    base.run()
    base.write("doc.md", b"\x89PNG\r\n\x1a\n" + bytes(99))
    base.write("doc.md.meta.yaml", "alowed_users: [lin]\n")
    (failure,) = base.run().failures
    assert (failure.error, failure.stage, failure.serving) == ("MetadataInvalid", "metadata", False)
    for who in (Principal(), LIN):
        assert base.found("QUOKKA", who=who) == []


def test_access_keys_in_the_formats_own_metadata_withdraw(served: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """They have no effect there, and whoever wrote them expects one."""
    from ingest.parse import route

    parse = route.parse
    monkeypatch.setattr(route, "parse", lambda *arguments: replace(parse(*arguments), embedded={"allowed_users": "lin"}))
    served.write("doc.md", paper(word="QUOKKA and WOMBAT"))
    (failure,) = served.run().failures
    assert (failure.error, failure.stage, failure.serving) == ("MetadataInvalid", "metadata", False)
    assert served.found("QUOKKA") == []


def test_file_that_was_too_large_and_is_restored_is_served_again(base: Any) -> None:
    base.set("sources", max_bytes=1000)
    base.write("doc.md", paper())
    first = base.run()
    base.write("doc.md", paper() + "x" * 2000)
    base.run()
    assert base.check().status == "fresh"
    base.write("doc.md", paper())
    report = base.run()
    assert (report.exit_code, report.snapshot, report.embedded) == (0, first.snapshot, 0)
    assert base.show("docs/doc.md")["state"] == "served"


def test_missing_extra_and_missing_model_are_failures_of_their_documents(base: Any) -> None:
    base.write("talk.wav", b"RIFF" + (36).to_bytes(4, "little") + b"WAVEfmt " + (16).to_bytes(4, "little")
               + bytes([1, 0, 1, 0, 0x40, 0x1F, 0, 0, 0x80, 0x3E, 0, 0, 2, 0, 16, 0]) + b"data" + bytes(4))
    base.write("good.md", paper())
    (failure,) = base.run().failures
    assert (failure.uri, failure.serving) == ("docs/talk.wav", False)
    assert "parse.audio_model" in failure.message or "model" in failure.message
    assert base.found("QUOKKA") == ["good.md"]
