"""Numbers read as Excel shows them. The expected texts are Excel's own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.parse.office.number_format import BUILTIN, general, shown, shown_text


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        (45292, "yyyy-mm-dd", "2024-01-01"),
        (45292.5, "m/d/yy h:mm", "1/1/24 12:00"),
        (45292, 'yyyy"年"m"月"d"日"', "2024年1月1日"),
        (45292, "aaaa", "星期一"),
        (45292, "dddd, d mmmm yyyy", "Monday, 1 January 2024"),
        (0.5, "h:mm AM/PM", "12:00 PM"),
        (0.25, "上午/下午h:mm", "上午6:00"),
        (1.5, "[h]:mm:ss", "36:00:00"),
        (0.0625, "mm:ss.0", "30:00.0"),
        (60, "yyyy-mm-dd", "1900-03-01"),
        (59, "yyyy-mm-dd", "1900-02-28"),
        (0.125, "0.0%", "12.5%"),
        (1234567.891, "#,##0.00", "1,234,567.89"),
        (-1234.5, "#,##0.00;(#,##0.00)", "(1,234.50)"),
        (-1234.5, "#,##0.00", "-1,234.50"),
        (-0.001, "0.0", "0.0"),
        (0, '#,##0;(#,##0);"-"', "-"),
        (1234.5, "[$¥-804]#,##0.00", "¥1,234.50"),
        (1234.5, '_ * #,##0.00_ ;_ * \\-#,##0.00_ ;_ * "-"??_ ;_ @_ ', "1,234.50"),
        (1234567, '0.0,,"M"', "1.2M"),
        (5, "000", "005"),
        (7, '0"件"', "7件"),
        (0.5, "0.##", "0.5"),
        (3, "0.##", "3"),
        (12345.678, "0.00E+00", "1.23E+04"),
        (2.5, "# ?/?", "2 1/2"),
        (13912345678, "000-0000-0000", "139-1234-5678"),
        (5, '[>=10]0.0;[<10]"small "0', "small 5"),
        (2.675, "0.00", "2.68"),
        (1, '"yes";;"no"', "yes"),
        (-1, '"yes";;"no"', ""),
        (0, "0;-0;;@", ""),
        (5, ";;;", ""),
        (7, "0;@", "7"),
        (-1234.5, '_($* #,##0.00_);_($* (#,##0.00);_($* "-"??_);_(@_)', "$(1,234.50)"),
        (45292, '[DBNum1][$-804]yyyy"年"m"月"d"日";@', "二〇二四年一月一日"),
        (46016, '[DBNum1][$-804]m"月"d"日"', "十二月二十五日"),
        (123, "[DBNum2][$-804]General", "壹佰贰拾叁"),
        (123, "[DBNum1]0", "一二三"),
        (45292, '[$-411]ggge"年"m"月"d"日"', "令和6年1月1日"),
        (45292, '[$-404]e"年"m"月"d"日"', "113年1月1日"),
        (45292, "[$-409]mmmm d, yyyy;@", "January 1, 2024"),
        (45292, "[$-407]dddd, d. mmmm yyyy", "Montag, 1. Januar 2024"),
        (2.5, "# ?/4", "2 2/4"),
        (0.3125, "# ??/16", "5/16"),
        (12345.678, "##0.0E+0", "12.3E+3"),
        (0, "yyyy-mm-dd", "1900-01-00"),
        (3_000_000, "yyyy-mm-dd", "3000000"),
        (40.5, "[h]:mm", "972:00"),
    ],
)
def test_a_value_reads_as_in_its_cell(value: float, code: str, text: str) -> None:
    assert shown(value, code) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (42, "42"), (0.1 + 0.2, "0.3"), (1e20, "1E+20"), (1234567.891, "1234567.891"), (-3.50, "-3.5"), (0.00001, "0.00001"),
        (1.23e-9, "1.23E-09"), (1234567890.12, "1234567890"), (3.14159265358979, "3.141592654"), (0.00012345678, "0.000123457"),
    ],
)
def test_general_shows_no_more_than_is_known(value: float, text: str) -> None:
    assert general(value) == text == shown(value, "General")


@given(value=st.floats(-1e12, 1e12), code=st.sampled_from([*BUILTIN.values(), "0.0;;", "[<5]0;0", "?/?", "@", "", ";", '"']))
def test_any_value_in_any_format_is_some_text(value: float, code: str) -> None:
    assert isinstance(shown(value, code), str)


@given(value=st.floats(-1e9, 1e9), code=st.text(alphabet='0#?,.%;/Eymdhs[]"\\-+@ $¥年', max_size=12))
def test_no_format_of_any_kind_fails(value: float, code: str) -> None:
    assert isinstance(shown(value, code), str)


@pytest.mark.parametrize(
    ("code", "text"), [("General", "kg"), ("0.0", "kg"), (";;;", ""), ('@"/h"', "kg/h"), ('0;0;0;"<"@">"', "<kg>")]
)
def test_a_format_has_a_say_in_texts_only_where_it_has_a_section_for_them(code: str, text: str) -> None:
    assert shown_text("kg", code) == text
