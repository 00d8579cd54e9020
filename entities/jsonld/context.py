"""What terms of our JSON-LD mean: the context that every export carries in itself, so that no reader needs the network.

schema.org's terms where it has them, `kb:` where it has none, and one for every relation of the vocabulary. Types go to JSON-LD
and come back from it; foreign documents may use any of the schema.org types that are close to ours.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, unquote

from entities.relations import KB, SCHEMA, Relation, Vocabulary

TYPES = {
    "organization": "Organization", "person": "Person", "product": "Product", "system": "System", "capability": "Capability",
    "interface": "WebAPI", "standard": "Standard", "place": "Place", "document": "DigitalDocument", "other": "Thing",
}
"""Type of an entity -> term of its class."""

SOFTWARE = "SoftwareApplication"
"""A second class of a product or system of which something is said that schema.org says of software."""
SOFTWARE_TERMS = frozenset({"softwareVersion", "developer"})

REDIRECT = "Redirect"
"""A second class of an entity that was merged into another."""

_KB_CLASSES = ("System", "Capability", "Standard")
_FOREIGN = {
    "organization": (
        "Corporation", "GovernmentOrganization", "NGO", "LocalBusiness", "EducationalOrganization", "CollegeOrUniversity",
        "ResearchOrganization", "Consortium", "FundingAgency", "NewsMediaOrganization", "OnlineBusiness",
    ),
    "product": ("SoftwareApplication", "WebApplication", "MobileApplication", "ProductModel", "ProductGroup", "Vehicle", "Brand"),
    "place": ("City", "Country", "State", "AdministrativeArea", "CivicStructure"),
    "document": ("CreativeWork", "Article", "TechArticle", "Report", "Book", "WebPage", "ScholarlyArticle", "Legislation"),
    "interface": ("APIReference",),
    "capability": ("Service",),
}
_CLOSE = {SCHEMA + name: kind for kind, names in _FOREIGN.items() for name in names}
_OWN = {(KB if term in _KB_CLASSES else SCHEMA) + term: kind for kind, term in TYPES.items()}


def type_of(classes: list[str]) -> str | None:
    """Return the entity type that class IRIs stand for, or None. Our own classes count before those that are close to them."""
    for known in (_OWN, _CLOSE):
        for name in classes:
            if name in known and not (known[name] == "other" and len(classes) > 1):
                return known[name]
    return None


PREFIXES = {
    "schema": SCHEMA, "kb": KB, "xsd": "http://www.w3.org/2001/XMLSchema#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
}

_DATATYPES = {"date": "schema:Date", "number": "schema:Number", "url": "schema:URL"}
_NODE = {"@type": "@id"}
_INSTANT = {"@type": "xsd:dateTime"}


def context(vocabulary: Vocabulary) -> dict[str, Any]:
    """Return the value of `@context`, in a fixed order: prefixes, classes, our own terms, then relations by name."""
    classes = {term: ("kb:" if term in _KB_CLASSES else "schema:") + term for term in TYPES.values()}
    relations = {name: _term(vocabulary[name]) for name in sorted(vocabulary) if name not in RESERVED}
    return {"@version": 1.1, **PREFIXES, **classes, **_OURS, **relations}


def term(relation: str, vocabulary: Vocabulary) -> str:
    """Return the key that a relation has in a node: its name where the context knows it, else a term of `kb:`."""
    return relation if relation in vocabulary and relation not in RESERVED else f"kb:{quote(relation, safe='')}"


def relation_of(iri: str, vocabulary: Vocabulary) -> str | None:
    """Undo `term`, from the full IRI; None for what is no relation of ours."""
    known = vocabulary.by_iri(iri)
    if known is not None:
        return known.name
    return unquote(iri.removeprefix(KB)) if iri.startswith(KB) else None


def _term(relation: Relation) -> dict[str, str] | str:
    datatype = next((_DATATYPES[kind] for kind in relation.range if kind in _DATATYPES), None)
    return relation.iri if datatype is None else {"@id": relation.iri, "@type": datatype}


_OURS: dict[str, Any] = {
    SOFTWARE: f"schema:{SOFTWARE}", "PropertyValue": "schema:PropertyValue", "Statement": "rdf:Statement",
    REDIRECT: "kb:Redirect", "Registry": "kb:Registry", "NameRecord": "kb:NameRecord",
    "name": "schema:name", "legalName": "schema:legalName", "alternateName": "schema:alternateName",
    "identifier": {"@id": "schema:identifier", **_NODE}, "propertyID": "schema:propertyID", "value": "schema:value",
    "holder": {"@id": "kb:holder", **_NODE},
    "sameAs": {"@id": "schema:sameAs", **_NODE}, "redirectsTo": {"@id": "kb:redirectsTo", **_NODE},
    "redirectedFrom": {"@reverse": "kb:redirectsTo", **_NODE},
    "status": "kb:status", "source": "schema:citation",
    "validFrom": {"@id": "schema:validFrom", **_INSTANT}, "validUntil": {"@id": "schema:validThrough", **_INSTANT},
    "confidence": {"@id": "kb:confidence", "@type": "xsd:double"},
    "nameRecord": {"@id": "kb:nameRecord", **_NODE}, "kind": "kb:kind", "language": "schema:inLanguage",
    "statement": {"@reverse": "rdf:subject", **_NODE}, "subject": {"@id": "rdf:subject", **_NODE},
    "predicate": {"@id": "rdf:predicate", "@type": "@vocab"}, "object": {"@id": "rdf:object", **_NODE},
    "supersededBy": {"@id": "kb:supersededBy", **_NODE}, "contradicts": {"@id": "kb:contradicts", **_NODE},
    "exclusive": {"@id": "kb:exclusive", "@type": "@vocab"},
}
"""Terms that are not relations. A relation of one of these names is written as a term of `kb:`."""
RESERVED = frozenset(_OURS) | frozenset(PREFIXES) | frozenset(TYPES.values())
