"""Identifiers without check digits: one normal form for the ways in which they are written, None for what has not the form."""

from __future__ import annotations

import pytest

from entities.identifiers import NORMALISERS, SCHEMES, normalised


@pytest.mark.parametrize(
    ("scheme", "written", "value"),
    [
        ("domain", "https://WWW.Example.COM:8443/a?b", "example.com"), ("domain", "example.com.", "example.com"),
        ("domain", "ｅｘａｍｐｌｅ．ｃｎ", "example.cn"), ("domain", "例子.cn", "xn--fsqu00a.cn"), ("domain", "www.cn", "www.cn"),
        ("email-domain", "x@mail.example.com", "mail.example.com"), ("domain", "no dots", None), ("domain", "a..b", None),
        ("doi", "https://doi.org/10.1000/ABC", "10.1000/abc"), ("doi", "doi: 10.1000/a", "10.1000/a"), ("doi", "11.1000/a", None),
        ("purl", "pkg:NPM/%40angular/core@16.2.0", "pkg:npm/%40angular/core@16.2.0"), ("purl", "npm/core", None),
        ("cpe", "cpe:2.3:A:x:y:1:*:*:*:*:*:*:*", None), ("cpe", "cpe:/a:Acme:Tool:1", "cpe:/a:acme:tool:1"),
        ("product-code", " hx－200 ", "HX-200"), ("error-code", "err_1042", "ERR_1042"), ("product-code", "--", None),
        ("api-path", "/users/:id/?x=1", "/users/{}"), ("api-path", "/users/{user_id}", "/users/{}"), ("api-path", "users", None),
        ("version", "V2.0", "2.0"), ("version", "２．０", "2.0"), ("version", "latest", None),
    ],
)
def test_value_has_one_normal_form(scheme: str, written: str, value: str | None) -> None:
    assert normalised(scheme, written) == value


def test_normal_form_is_its_own_normal_form() -> None:
    for scheme, value in (("domain", "example.com"), ("doi", "10.1000/abc"), ("api-path", "/users/{}"), ("version", "2.0")):
        assert normalised(scheme, value) == value


def test_unknown_scheme_is_kept_as_given() -> None:
    assert (normalised("stock", " 000001 "), normalised("stock", " ")) == ("000001", None)


def test_only_what_check_digits_prove_mints_and_only_what_names_one_thing_is_exclusive() -> None:
    assert {name for name, scheme in SCHEMES.items() if scheme.mints} == {"uscc", "lei", "isbn", "orcid"}
    assert set(NORMALISERS) == {"uscc", "lei", "isbn", "orcid", "doi", "purl", "cpe"}
