"""The collection: two named vectors, and an index of every field that a filter names, so that none is applied by scanning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indexes.qdrant.connect import Server
from indexes.qdrant.format import DENSE, LENGTH, SPARSE, since, until
from ingest.errors import UsageError

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

KEYWORDS = ("chunk_id", "source_id", "acl", "status", "family", "version", "scope", "language", "terms")
INTEGERS = ("level", "valid_from", "valid_until", since("vector"), until("vector"), since("bm25"), until("bm25"))
TENANT = "tenant"


def ensure(server: Server, name: str, dimensions: int, owner: str) -> None:
    """Make the collection where it is not there, and whatever of its indexes is missing (a run may have died between).

    Raises UsageError where it is somebody else's."""
    _create(server, name, dimensions, owner)
    found = server.call("look at a collection", lambda client: client.get_collection(name))
    said = (found.config.metadata or {}).get("owner")
    if said != owner:
        raise UsageError(
            f"the collection {name} at {server.place} is not one that this knowledge base made; set index.collection to a name "
            "that is free there"
        )
    for field, schema in _indexes().items():
        if field not in found.payload_schema:
            server.call("make an index of a field", lambda client, field=field, schema=schema: client.create_payload_index(  # type: ignore[misc]
                name, field_name=field, field_schema=schema, wait=True
            ))


def _create(server: Server, name: str, dimensions: int, owner: str) -> None:
    from qdrant_client import models

    def create(client: QdrantClient) -> None:
        if client.collection_exists(name):
            return  # asked again: the answer to a request that did its work may have been lost
        client.create_collection(
            name, vectors_config={DENSE: models.VectorParams(size=dimensions, distance=models.Distance.DOT)},
            sparse_vectors_config={SPARSE: models.SparseVectorParams()}, metadata={"owner": owner, "made_by": "concord"},
        )

    server.call("make a collection", create)


def _indexes() -> dict[str, Any]:
    from qdrant_client import models

    keyword, integer = models.KeywordIndexType.KEYWORD, models.IntegerIndexType.INTEGER
    return {
        TENANT: models.KeywordIndexParams(type=keyword, is_tenant=True),
        **{field: models.KeywordIndexParams(type=keyword) for field in KEYWORDS},
        **{field: models.IntegerIndexParams(type=integer, lookup=False, range=True) for field in INTEGERS},
        LENGTH: models.IntegerIndexParams(type=integer, lookup=True, range=False),
    }
