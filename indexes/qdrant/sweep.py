"""What no build in place needs any more goes from the server: by filter, after generations were pruned or a run died.

Local folders are the truth: a reader that holds an old generation keeps its folders, and with them its points.
"""

from __future__ import annotations

from typing import Any

from indexes.qdrant.conditions import every, held_at
from indexes.qdrant.connect import Server
from indexes.qdrant.format import Header
from indexes.qdrant.place import Identity, headers, identity_of, write_identity
from indexes.qdrant.points import Points
from ingest.model.generation import IndexKind
from ingest.settings import IndexPart
from ingest.store.layout import Layout


def sweep(layout: Layout, settings: IndexPart) -> None:
    """Delete every point of ours that is in no build, and collections in which there is none. Idempotent; call with the lease
    held and nothing staged. Does nothing for a knowledge base that never was on a server. Raises ServerUnavailable."""
    identity = identity_of(layout.qdrant)
    if identity is None or not identity.collections:
        return
    server = Server(settings)
    try:
        built = list(headers(layout))
        kept = tuple(name for name in identity.collections if any(header.collection == name for header in built))
        for name in identity.collections:
            if server.call("look for a collection", lambda client, name=name: client.collection_exists(name)):  # type: ignore[misc]
                _swept(server, name, identity, [header for header in built if header.collection == name])
        if settings.alias and kept:
            _alias(server, settings.alias, max(built, key=lambda header: header.epoch).collection)
        last = max([identity.epoch, *(header.epoch for header in built)])
        if (kept, last) != (identity.collections, identity.epoch):
            write_identity(layout.qdrant, Identity(identity.owner, kept, last))
    finally:
        server.close()


def _swept(server: Server, name: str, identity: Identity, built: list[Header]) -> None:
    found = server.call("look at a collection", lambda client: client.get_collection(name))
    if (found.config.metadata or {}).get("owner") != identity.owner:
        return  # somebody made one of this name meanwhile
    if not built:
        server.call("delete a collection", lambda client: client.delete_collection(name))
        return
    needed = [every(held_at(header.index, header.epoch)) for header in built]
    server.call("delete points", lambda client: client.delete(name, points_selector=every([], needed), wait=True))
    kinds: tuple[IndexKind, ...] = ("vector", "bm25")
    for kind in kinds:
        Points(server, name, kind, "").begin(max([0, *(header.epoch for header in built if header.index == kind)]))


def _alias(server: Server, alias: str, collection: str) -> None:
    """Let outsiders find the newest collection by a name of theirs. Nothing of ours asks by it."""
    from qdrant_client.models import CreateAlias, CreateAliasOperation, DeleteAlias, DeleteAliasOperation

    changes: list[Any] = [
        DeleteAliasOperation(delete_alias=DeleteAlias(alias_name=alias)),
        CreateAliasOperation(create_alias=CreateAlias(collection_name=collection, alias_name=alias)),
    ]
    server.call("set an alias", lambda client: client.update_collection_aliases(change_aliases_operations=changes))
