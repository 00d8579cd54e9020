"""How contexts are loaded: not at all. A document says what its terms mean in itself, or means schema.org.

pyld fetches whatever address a document names as its context. Here the only address that is understood is schema.org's, for which
a context that takes every term for one of schema.org's is put in; any other is refused before anything is opened.
"""

from __future__ import annotations

from typing import Any

from entities.relations import SCHEMA

_SCHEMA_ORG = frozenset(f"{scheme}://{host}schema.org{path}" for scheme in ("http", "https") for host in ("", "www.")
                        for path in ("", "/", "/docs/jsonldcontext.json", "/docs/jsonldcontext.jsonld"))
_NODE = {"@type": "@id"}
_SCHEMA_CONTEXT = {
    "@vocab": SCHEMA, "schema": SCHEMA, "sameAs": {"@id": "schema:sameAs", **_NODE}, "url": {"@id": "schema:url"},
    "validUntil": "schema:validThrough",
}


def options() -> dict[str, Any]:
    """Return the options of every call of pyld."""
    return {"documentLoader": _load, "processingMode": "json-ld-1.1"}


def _load(address: str, _options: Any) -> dict[str, Any]:
    from pyld import jsonld  # type: ignore[import-untyped]

    if address in _SCHEMA_ORG:
        return {"contentType": "application/ld+json", "contextUrl": None, "documentUrl": address,
                "document": {"@context": _SCHEMA_CONTEXT}}
    raise jsonld.JsonLdError(f"contexts are not fetched: {address}", "concord.Refused", {"address": address},
                             code="loading document failed")
