"""What is known of each scheme of identifiers: its normal form, the type of what it names, and what a valid one may do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from entities.identifiers import checked, formed


@dataclass(frozen=True, slots=True)
class Scheme:
    """`type`: of the entity that it names. `mints`: a valid one is proof enough for an entity that nobody described yet;
    only schemes with check digits do, since a form alone is met by chance. `exclusive`: a value names one thing, whoever says
    so; a domain may be that of a firm and of its product, and two makers may use one product code."""

    name: str
    type: str
    normalise: Callable[[str], str | None]
    mints: bool = False
    exclusive: bool = True


SCHEMES = {scheme.name: scheme for scheme in (
    Scheme("uscc", "organization", checked.normalised_uscc, mints=True),
    Scheme("lei", "organization", checked.normalised_lei, mints=True),
    Scheme("isbn", "document", checked.normalised_isbn, mints=True),
    Scheme("orcid", "person", checked.normalised_orcid, mints=True),
    Scheme("doi", "document", formed.normalised_doi),
    Scheme("domain", "organization", formed.normalised_domain, exclusive=False),
    Scheme("email-domain", "organization", formed.normalised_domain, exclusive=False),
    Scheme("purl", "product", formed.normalised_purl),
    Scheme("cpe", "product", formed.normalised_cpe),
    Scheme("product-code", "product", formed.normalised_code, exclusive=False),
    Scheme("error-code", "other", formed.normalised_code, exclusive=False),
    Scheme("api-path", "interface", formed.normalised_path, exclusive=False),
    Scheme("version", "other", formed.normalised_version, exclusive=False),
)}

NORMALISERS: dict[str, Callable[[str], str | None]] = {
    name: scheme.normalise for name, scheme in SCHEMES.items() if scheme.exclusive
}
"""Scheme -> function that returns the normal form of a valid identifier, or None; of the schemes whose values name one thing."""


def normalised(scheme: str, value: str) -> str | None:
    """Return the normal form of `value`, None where it is no valid identifier of `scheme`; as given for an unknown scheme."""
    known = SCHEMES.get(scheme)
    return value.strip() or None if known is None else known.normalise(value)
