"""Whatever is done to a document, its parser returns one that keeps the promises, or an error of ours. It never hangs or bursts.

A format is one entry of SEEDS: a name for its files, and small sound documents that are made wrong in every way (`mutations`).
"""

from __future__ import annotations

import importlib.util
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ingest.errors import DocumentError, ExtraMissing, ModelUnavailable
from ingest.model.document import SEPARATOR, Document
from ingest.parse.route import parse
from ingest.settings import ParsePart

_SPEC = importlib.util.spec_from_file_location("mutations", Path(__file__).with_name("mutations.py"))
assert _SPEC is not None
assert _SPEC.loader is not None
mutations = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(mutations)

CPU_SECONDS = 30
"""Of one document of a few kilobytes. Sound ones take hundredths."""
MOST_MEGABYTES = 400
"""That all documents of a format may add to the process."""

PAGE = """<!DOCTYPE html><html lang="zh"><head><meta charset="utf-8"><title>手册 - 站点</title>
<script type="application/ld+json">{"@type": "FAQPage", "mainEntity": [{"@type": "Question",
"name": "多久？", "acceptedAnswer": {"text": "<p>两天。</p>"}}]}</script><style>.x{display:none}</style></head>
<body><nav><a href="/">Home</a></nav><main><h1>手册</h1>
<p>第一段文字，介绍本产品的<b>用途</b>和<a href="b.html">安装</a>方法，并说明注意事项。</p><ul><li>a<ul><li>b</ul></ul>
<table><caption>c</caption><tr><th rowspan=2>k<th colspan=2>v<tr><td>1<td>2</table>
<pre><code class="language-py">x = 1</code></pre><dl><dt>q<dd>a</dl><details><summary>s</summary>t</details>
<p hidden>h</p><input value=v><svg><text>l</text></svg><del>d</del>
<iframe srcdoc="<p>f</p>"></iframe><math alttext="a^2"></math><blockquote>zitat</blockquote></main>
<footer>© 2026</footer></body></html>"""

MARKDOWN = """---
title: T
---
# 手册 {#top}

第一段，*强调*、`code`、[link](x.md "t")、![alt](y.png)、$a^2$、~~old~~、[[Page|label]]。[^1]

| a | b |
|---|:-:|
| 1 | 2 |

!!! note "N"
    inside

    - x
      ```py
      y
      ```

:::tip
words
:::

> [!NOTE]
> quote

- [ ] task
  1. deep

term
: meaning

<details><summary>Q?</summary>

A.

</details>

[^1]: note
"""

TEXT = """TITLE OF IT

第一章 总则

　　第一条 本办法适用于全体员工。
　　第二条 本办法自发布之日起施行。

1.1 Scope

A line that is wrapped at some width by an editor that does so always, and
goes on here.

- one
- two

name     n    price
----     -    -----
a        1    2.50
b        2    3.75

+---+---+
| a | b |
+===+===+
| 1 | 2 |
+---+---+

Q: How long?
A: Two days.

    if (x == 1) { return y; }
"""

LETTER = """From: =?gb2312?B?1cXI/Q==?= <a@b.cn>
To: c@d.cn
Subject: =?utf-8?B?6YCa55+l?=
Date: Mon, 05 Jan 2026 10:00:00 +0800
Message-ID: <1@b>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="B"

--B
Content-Type: multipart/alternative; boundary="C"

--C
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable

=E4=BD=A0=E5=A5=BD

> quoted
--=20
me
--C
Content-Type: text/html; charset=utf-8

<p>hello <b>there</b></p><blockquote>quoted</blockquote>
--C--
--B
Content-Type: text/csv; name*=utf-8''%E8%A1%A8.csv
Content-Disposition: attachment
Content-Transfer-Encoding: base64

YSxiCjEsMgo=
--B
Content-Type: message/rfc822

Subject: inner
From: x@y

inner words
--B--
"""

ARCHIVE = """From: <Saved by Blink>
Snapshot-Content-Location: https://x/y
MIME-Version: 1.0
Content-Type: multipart/related; boundary="B"

--B
Content-Type: text/html
Content-Transfer-Encoding: quoted-printable

<html><body><h1>T</h1><p>words and =E4=BD=A0 more</p></body></html>
--B
Content-Type: image/png
Content-Transfer-Encoding: base64

AAAA
--B--
"""

CSV = 'name,n,note\n"x, ""y""",1,2025-01-02\n"two\nlines",2.5,a;b\n名称,3,"q"\n\nother,width\n1,2\n'
JSON_LINES = '{"a": 1, "b": "x"}\n{"a": 2.50, "c": {"d": [1, {"e": null}]}}\n{"question": "Q?", "answer": "A."}\nnot json\n'
JSON = """{"title": "T", "items": [{"a": 1, "b": "x"}, {"a": 2}], "t": ["x", "y"],
"map": {"k": {"v": 1}, "l": {"v": 2}, "m": {"v": 3}}}"""

SEEDS: dict[str, tuple[str, list[bytes]]] = {
    "html": ("a.html", [PAGE.encode(), PAGE.encode("gb18030"), PAGE.encode("utf-16")]),
    "markdown": ("a.md", [MARKDOWN.encode()]),
    "mdx": ("a.mdx", [("import X from 'y'\n\n" + MARKDOWN + "\n<Tabs><TabItem label='a'>\n\nx\n\n</TabItem></Tabs>\n").encode()]),
    "text": ("a.txt", [TEXT.encode(), TEXT.encode("gb18030"), TEXT.encode("utf-16-le")]),
    "csv": ("a.csv", [CSV.encode(), CSV.encode("gb18030"), CSV.replace(",", ";").encode(), CSV.encode("utf-16")]),
    "tsv": ("a.tsv", [CSV.replace(",", "\t").encode()]),
    "jsonl": ("a.jsonl", [JSON_LINES.encode(), (JSON_LINES * 5).encode("utf-16")]),
    "json": ("a.json", [JSON.encode(), JSON_LINES.encode()]),
    "letter": ("a.eml", [LETTER.encode(), LETTER.replace("\n", "\r\n").encode()]),
    "saved page": ("a.mhtml", [ARCHIVE.encode()]),
}


@contextmanager
def bounded() -> Iterator[None]:
    """Raises where CPU time runs out; a busy machine does not count."""

    def out_of_time(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, out_of_time)
    signal.setitimer(signal.ITIMER_VIRTUAL, CPU_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def keeps_its_promises(document: Document) -> None:
    """Spans are where their texts are, texts are Unicode, tables are rectangles, links point to blocks."""
    text = document.text
    text.encode()
    body = [block for block in document.blocks if block.layer == "body"]
    assert text == SEPARATOR.join(block.text for block in body)
    for block in body:
        assert block.provenance.span is not None
        assert text[slice(*block.provenance.span)] == block.text
        assert block.text.strip()
        assert 0 <= block.level <= 6
        if block.table is not None:
            assert len({len(row) for row in block.table.rows}) == 1
            assert 0 <= block.table.header_rows <= len(block.table.rows)
    assert all(0 <= link.block < len(document.blocks) for link in document.links)
    assert all(omission.count > 0 for omission in document.omissions)


def check(kind: str, count: int, seed: int) -> None:
    name, seeds = SEEDS[kind]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for number, data in enumerate(mutations.mutated(seeds, count, seed)):
        try:
            with bounded():
                document = parse(data, name, ParsePart())
        except (DocumentError, ExtraMissing, ModelUnavailable):  # a few bytes make anything the beginning of a recording
            continue
        except BaseException as error:
            raise AssertionError(f"{kind} {number}: {type(error).__name__} for {data!r}") from error
        keeps_its_promises(document)
        if number % 10 == 0:
            assert parse(data, name, ParsePart()) == document
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_MEGABYTES * 1024


@pytest.mark.parametrize("kind", SEEDS)
def test_sound_documents_keep_their_promises(kind: str) -> None:
    name, seeds = SEEDS[kind]
    for data in seeds:
        keeps_its_promises(parse(data, name, ParsePart()))


@pytest.mark.parametrize("kind", SEEDS)
def test_wrong_documents_never_escape_the_errors(kind: str) -> None:
    check(kind, 50, 1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", SEEDS)
def test_a_thousand_wrong_documents_never_escape_the_errors(kind: str) -> None:
    check(kind, 1_000, 2)
