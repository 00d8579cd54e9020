"""What a browser shows is read, wherever the markup keeps it; what nobody is shown is not, and is counted."""

from __future__ import annotations

import pytest

from ingest.model.document import Document
from ingest.parse.route import parse
from ingest.settings import ParsePart


def read(markup: str) -> Document:
    return parse(f"<html><body><p>Before.</p>{markup}<p>After.</p></body></html>".encode(), "a.html", ParsePart())


def shown(markup: str) -> str:
    return " ".join(read(markup).text.split()).removeprefix("Before.").removesuffix("After.").strip()


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>Name: <input value='Ann Example'></p>", "Name: Ann Example"),
        ("<p>Since <input type=date value=2026-05-03> on</p>", "Since 2026-05-03 on"),
        ("<p>a<input type=hidden value=secret><input type=password value=secret><input type=submit value=Send></p>", "a"),
        ("<form role=search><input value='Search here'></form>", ""),
        ("<input name=q value='Search here'>", ""),
        ("<textarea>\nWritten here\n</textarea>", "Written here"),
        ("<p>Plan: <select><option>Basic<option selected>Team<option>More</select></p>", "Plan: Team"),
        ("<p>Plan: <select><option>Basic<option>Team</select></p>", "Plan: Basic"),
        ("<p><input type=radio checked>Yes <input type=radio>No</p>", "[x] Yes [ ] No"),
        ("<iframe srcdoc='<p>Inside a frame.</p>'></iframe>", "Inside a frame."),
        ("<iframe srcdoc=\"<iframe srcdoc='<p>Deep.</p>'></iframe>\"></iframe>", "Deep."),
        ("<div><template shadowrootmode=open><p>In the shadow.</p></template></div>", "In the shadow."),
        ("<svg><title>Tip</title><g><text x=1>Pump</text><text>Ten<tspan>k</tspan></text></g></svg>", "Pump; Tenk"),
        ("<p>See <svg><path d='M0'/></svg>here</p>", "See here"),
        ("<dialog open><p>Read this.</p></dialog>", "Read this."),
        ("<p>so <script type='math/tex'>a_1</script> is</p>", "so a_1 is"),
        ("<p>so <math alttext='a_{1}'><mi>a</mi></math> is</p>", "so a_{1} is"),
        ("<p>soft&shy;ware and zero&#8203;width</p>", "software and zerowidth"),
        ("<div role=tabpanel hidden><p>Second tab.</p></div>", "Second tab."),
        ("<button aria-controls=more>More</button><div id=more style='display:none'><p>Folded away.</p></div>", "Folded away."),
        ("<table><tr><th>k<th>v<tr><td>on<td><input type=checkbox checked></table>", "k | v on | [x]"),
    ],
)
def test_what_is_shown_is_read(markup: str, text: str) -> None:
    assert shown(markup) == text


@pytest.mark.parametrize(
    ("markup", "text", "kind", "sample"),
    [
        ("<p>now <del>ten</del> <ins>twelve</ins></p>", "now twelve", "deleted_text", "ten"),
        ("<p><s>€9</s> €7</p>", "€7", "deleted_text", "€9"),
        ("<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</rt></ruby></p>", "漢字", "reading", "("),
        ("<noscript><p>Turn scripts on.</p></noscript>", "", "noscript", "Turn scripts on."),
        ("<template><p>Row</p></template>", "", "template", "Row"),
        ("<dialog><p>Thanks!</p></dialog>", "", "hidden_text", "Thanks!"),
        ("<div hidden><p>Secret</p></div>", "", "hidden_text", "Secret"),
        ("<p>x <span class='sr-only'>(opens a new window)</span></p>", "x", "hidden_text", "(opens a new window)"),
        ("<iframe src='https://maps.example/x'>no frames</iframe>", "", "frame", "https://maps.example/x"),
        ("<video><source src=a.mp4>no video</video>", "", "media", "a.mp4"),
        ("<object data=plan.pdf>no viewer</object>", "", "media", "plan.pdf"),
        ("<p><img src=plan.png></p>", "", "image", "plan.png"),
        ("<p><select><option>a<option>b</select></p>", "a", "options", "a, b"),
    ],
)
def test_what_is_not_shown_is_counted(markup: str, text: str, kind: str, sample: str) -> None:
    document = read(markup)
    assert shown(markup) == text
    assert (kind, sample) in [(one.kind, one.sample) for one in document.omissions]


@pytest.mark.parametrize("markup", ["<img src=x width=1>", "<img src='data:image/gif;base64,R0lG'>", "<img src=x alt=Plan>"])
def test_counters_and_described_pictures_are_not_told(markup: str) -> None:
    assert read(markup).omissions == ()


def test_frames_that_bring_frames_end() -> None:
    page = "<p>x</p>"
    for _ in range(6):
        page = f"<iframe srcdoc='{page.replace('&', '&amp;').replace(chr(39), '&#39;')}'></iframe>"
    assert "x" in read(page * 40).text
