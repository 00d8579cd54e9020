"""Identifiers that have a form but no check digit: domains, DOI, purl, CPE, and codes that products and errors are known by.

Each function returns the normal form of a value, or None where it has not the form. That a value has the form proves nothing
about who owns it: such an identifier links to an entity whose seed claims it, and mints none.
"""

from __future__ import annotations

import re
import unicodedata

_LABEL = r"(?!-)[a-z0-9_-]{1,63}(?<!-)"
_DOMAIN = re.compile(rf"(?=.{{1,253}}$)(?:{_LABEL}\.)+(?:[a-z]{{2,63}}|xn--[a-z0-9-]{{1,59}})")


def normalised_domain(text: str) -> str | None:
    """Return a host name in small letters, as ASCII (IDNA), without `www.` and final dot; None where it is none.

    `WWW.Example.COM`, `example.com.` and `https://example.com:8443/a` are one domain."""
    host = re.sub(r"^[a-z][a-z0-9+.-]*://", "", unicodedata.normalize("NFKC", text).strip().lower())
    host = re.split(r"[/?#]", host, maxsplit=1)[0].rpartition("@")[2]
    host = re.sub(r":\d+$", "", host).rstrip(".")
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            return None
    host = host.removeprefix("www.") if host.count(".") > 1 else host
    return host if _DOMAIN.fullmatch(host) else None


def normalised_doi(text: str) -> str | None:
    """Return a DOI in small letters without its resolver or `doi:`; None where it is none. DOI compare without case."""
    said = unicodedata.normalize("NFKC", text).strip().lower()
    doi = re.sub(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", "", said)
    return doi if re.fullmatch(r"10\.\d{4,9}(?:\.\d+)*/[!-~]+", doi) else None


def normalised_purl(text: str) -> str | None:
    """Return a package URL in the canonical form of its specification, or None."""
    from packageurl import PackageURL

    try:
        return PackageURL.from_string(text.strip()).to_string()
    except ValueError:
        return None


_CPE_URI = re.compile(r"cpe:/[aoh](?::[!-9;-~]*){1,6}")
_CPE_PART = r"(?:\\[!-/:-@\[-`{-~]|[A-Za-z0-9._*?~%-])+"
_CPE = re.compile(rf"cpe:2\.3:[aoh*-](?::{_CPE_PART}){{10}}")


def normalised_cpe(text: str) -> str | None:
    """Return a CPE name in small letters: a formatted string of CPE 2.3 (all 11 components) or a URI of 2.2; None otherwise."""
    said = text.strip()
    return said.lower() if _CPE.fullmatch(said) or _CPE_URI.fullmatch(said) else None


def normalised_code(text: str) -> str | None:
    """Return a product or error code in half-width capitals, without blanks around; None where it holds no digit or letter."""
    code = re.sub(r"[‐-―−]", "-", unicodedata.normalize("NFKC", text)).strip().upper()
    return code if re.search(r"[0-9A-Z]", code) else None


def normalised_path(text: str) -> str | None:
    """Return an API path with every parameter written `{}`, so that `/users/:id` and `/users/{userId}` are one interface."""
    path = unicodedata.normalize("NFKC", text).strip()
    if not re.fullmatch(r"/[!-~]*", path):
        return None
    path = re.sub(r"\{[^{}/]*\}|<[^<>/]*>|(?<=/):[A-Za-z_]\w*", "{}", path.split("?")[0])
    return path.rstrip("/") or "/"


def normalised_version(text: str) -> str | None:
    """Return a version in small letters without a leading `v`; None where it has no digit."""
    said = unicodedata.normalize("NFKC", text).strip().lower()
    version = re.sub(r"^v\.?\s*(?=\d)", "", said)
    return version if re.fullmatch(r"\d[0-9a-z.+_-]*", version) else None
