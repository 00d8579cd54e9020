"""A loopback stand-in for a Qdrant server: the endpoints that Concord's adapter calls, over Qdrant's own engine in process.

It is not Qdrant's server. Filters, vectors, facets and payload indexes are the engine's (qdrant-edge-py); routes, collections,
aliases and keys are the few lines below, made from the server's published API. What it does not know it answers with 501, so that
a test fails where the adapter begins to call something else. As a script it serves a folder:

    python tests/qdrant_shim.py FOLDER PORT [KEY]
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import threading
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import qdrant_edge as edge

Body = dict[str, Any]
Answer = tuple[int, Any]


class Refused(Exception):
    """An answer that is no result: status and message."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Collection:
    """One collection: a shard of the engine, and beside it what the engine does not keep."""

    def __init__(self, folder: Path, made: Body | None = None) -> None:
        self.folder = folder
        self._file = folder / "collection.json"
        if made is not None:
            folder.mkdir(parents=True)
            self.said: Body = {**made, "indexes": {}}
            self.shard = edge.EdgeShard.create(str(folder / "shard"), self._config())
            self.save()
        else:
            self.said = json.loads(self._file.read_bytes())
            self.shard = edge.EdgeShard.load(str(folder / "shard"), self._config())

    def _config(self) -> Any:
        vectors = {
            name: edge.EdgeVectorParams(size=params["size"], distance=getattr(edge.Distance, params["distance"]))
            for name, params in self.said["vectors"].items()
        }
        sparse = {name: edge.EdgeSparseVectorParams() for name in self.said.get("sparse_vectors") or {}}
        return edge.EdgeConfig(vectors=vectors, sparse_vectors=sparse)

    def save(self) -> None:
        self._file.write_text(json.dumps(self.said))

    def update(self, operation: Any) -> None:
        self.shard.update(operation)


class Shim:
    """Collections below a folder. `answer` is the whole of it; `calls` says what was called, as (method, route)."""

    def __init__(self, folder: Path, key: str = "") -> None:
        self._folder = folder
        self._key = key
        self._lock = threading.Lock()
        self._collections: dict[str, Collection] = {}
        self._aliases: dict[str, str] = {}
        self.calls: list[tuple[str, str]] = []
        folder.mkdir(parents=True, exist_ok=True)
        for path in sorted(folder.iterdir()):
            if (path / "collection.json").is_file():
                self._collections[path.name] = Collection(path)

    def answer(self, method: str, path: str, body: bytes, key: str = "") -> Answer:
        """Return status and result (or what went wrong)."""
        try:
            if self._key and key != self._key:
                raise Refused(401, "Must provide an API key or an Authorization bearer token")
            for verb, pattern, call in ROUTES:
                found = re.fullmatch(pattern, path)
                if verb == method and found is not None:
                    with self._lock:
                        self.calls.append((method, pattern))
                        return 200, call(self, *found.groups(), json.loads(body) if body else {})
            raise Refused(501, f"the stand-in does not know {method} {path}")
        except Refused as refused:
            return refused.status, str(refused)
        except Exception as error:
            return 400, f"{type(error).__name__}: {error}"

    def collection(self, name: str) -> Collection:
        try:
            return self._collections[self._aliases.get(name, name)]
        except KeyError:
            raise Refused(404, f"Not found: Collection `{name}` doesn't exist!") from None

    def close(self) -> None:
        for collection in self._collections.values():
            collection.shard.close()
        self._collections.clear()

    def drop(self) -> None:
        """Forget everything, for tests that begin anew many times."""
        self.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir()

    # Collections

    def exists(self, name: str, body: Body) -> Any:
        return {"exists": name in self._collections or name in self._aliases}

    def create(self, name: str, body: Body) -> Any:
        if name in self._collections:
            raise Refused(409, f"Wrong input: Collection `{name}` already exists!")
        self._collections[name] = Collection(self._folder / name, body)
        return True

    def info(self, name: str, body: Body) -> Any:
        collection = self.collection(name)
        said = collection.said
        indexes = {field: {"data_type": schema["type"], "points": 0} for field, schema in said["indexes"].items()}
        return {
            "status": "green", "optimizer_status": "ok", "segments_count": 1, "payload_schema": indexes,
            "points_count": collection.shard.count(edge.CountRequest(exact=True)),
            "config": {
                "params": {"vectors": said["vectors"], "sparse_vectors": said.get("sparse_vectors")},
                "hnsw_config": {"m": 16, "ef_construct": 100, "full_scan_threshold": 10000},
                "optimizer_config": {
                    "deleted_threshold": 0.2, "vacuum_min_vector_number": 1000, "default_segment_number": 0,
                    "flush_interval_sec": 5,
                },
                "metadata": said.get("metadata"),
            },
        }

    def delete_collection(self, name: str, body: Body) -> Any:
        collection = self._collections.pop(name, None)
        if collection is not None:
            collection.shard.close()
            shutil.rmtree(collection.folder)
        return collection is not None

    def index(self, name: str, body: Body) -> Any:
        collection, schema = self.collection(name), body["field_schema"]
        params: Any = (
            edge.KeywordIndexParams(is_tenant=schema.get("is_tenant")) if schema["type"] == "keyword"
            else edge.IntegerIndexParams(lookup=schema.get("lookup"), range=schema.get("range"))
        )
        collection.update(edge.UpdateOperation.create_field_index(body["field_name"], params))
        collection.said["indexes"][body["field_name"]] = schema
        collection.save()
        return DONE

    def aliases(self, body: Body) -> Any:
        for action in body["actions"]:
            if "delete_alias" in action:
                self._aliases.pop(action["delete_alias"]["alias_name"], None)
            else:
                made = action["create_alias"]
                self.collection(made["collection_name"])
                self._aliases[made["alias_name"]] = made["collection_name"]
        return True

    # Writing

    def upsert(self, name: str, body: Body) -> Any:
        points = [edge.Point(uuid.UUID(point["id"]), _vectors(point["vector"]), point["payload"]) for point in body["points"]]
        self.collection(name).update(edge.UpdateOperation.upsert_points(points))
        return DONE

    def batch(self, name: str, body: Body) -> Any:
        for operation in body["operations"]:
            ((what, said),) = operation.items()
            if what == "update_vectors":
                points = [edge.PointVectors(uuid.UUID(point["id"]), _vectors(point["vector"])) for point in said["points"]]
                self.collection(name).update(edge.UpdateOperation.update_vectors(points))
            elif what == "set_payload":
                self.set_payload(name, said)
            else:
                raise Refused(501, f"the stand-in does not know the operation {what}")
        return [DONE for _ in body["operations"]]

    def set_payload(self, name: str, body: Body) -> Any:
        if "points" in body:
            operation = edge.UpdateOperation.set_payload([uuid.UUID(id) for id in body["points"]], body["payload"])
        else:
            operation = edge.UpdateOperation.set_payload_by_filter(_filter(body["filter"]), body["payload"])
        self.collection(name).update(operation)
        return DONE

    def delete_payload(self, name: str, body: Body) -> Any:
        self.collection(name).update(edge.UpdateOperation.delete_payload_by_filter(_filter(body["filter"]), body["keys"]))
        return DONE

    def delete(self, name: str, body: Body) -> Any:
        self.collection(name).update(edge.UpdateOperation.delete_points_by_filter(_filter(body["filter"])))
        return DONE

    # Reading

    def retrieve(self, name: str, body: Body) -> Any:
        ids = [uuid.UUID(id) for id in body["ids"]]
        found = self.collection(name).shard.retrieve(ids, body.get("with_payload", True), body.get("with_vector", False))
        return [_record(record) for record in found]

    def scroll(self, name: str, body: Body) -> Any:
        offset = body.get("offset")
        records, following = self.collection(name).shard.scroll(edge.ScrollRequest(
            offset=uuid.UUID(offset) if offset is not None else None, limit=body["limit"], filter=_filter(body.get("filter")),
            with_payload=body.get("with_payload", True), with_vector=body.get("with_vector", False),
        ))
        return {
            "points": [_record(record) for record in records],
            "next_page_offset": str(following) if following is not None else None,
        }

    def query(self, name: str, body: Body) -> Any:
        asked = body["query"].get("nearest") if isinstance(body["query"], dict) and "nearest" in body["query"] else body["query"]
        found = self.collection(name).shard.query(edge.QueryRequest(
            limit=body["limit"], query=edge.Query.Nearest(_vector(asked), using=body["using"]),
            filter=_filter(body.get("filter")), with_payload=body.get("with_payload", False),
            with_vector=body.get("with_vector", False), params=edge.SearchParams(exact=body["params"]["exact"]),
        ))
        return {"points": [{**_record(point), "score": point.score, "version": 0} for point in found]}

    def count(self, name: str, body: Body) -> Any:
        request = edge.CountRequest(exact=body["exact"], filter=_filter(body.get("filter")))
        return {"count": self.collection(name).shard.count(request)}

    def facet(self, name: str, body: Body) -> Any:
        hits = self.collection(name).shard.facet(edge.FacetRequest(
            body["key"], limit=body["limit"], exact=body["exact"], filter=_filter(body.get("filter"))
        )).hits
        return {"hits": [{"value": hit.value, "count": hit.count} for hit in hits if hit.count]}


DONE = {"operation_id": 0, "status": "completed"}
_NAME = "/collections/([^/]+)"
ROUTES: tuple[tuple[str, str, Callable[..., Any]], ...] = (
    ("GET", f"{_NAME}/exists", Shim.exists),
    ("PUT", _NAME, Shim.create),
    ("GET", _NAME, Shim.info),
    ("DELETE", _NAME, Shim.delete_collection),
    ("PUT", f"{_NAME}/index", Shim.index),
    ("POST", "/collections/aliases", Shim.aliases),
    ("PUT", f"{_NAME}/points", Shim.upsert),
    ("POST", f"{_NAME}/points/batch", Shim.batch),
    ("POST", f"{_NAME}/points/payload", Shim.set_payload),
    ("POST", f"{_NAME}/points/payload/delete", Shim.delete_payload),
    ("POST", f"{_NAME}/points/delete", Shim.delete),
    ("POST", f"{_NAME}/points", Shim.retrieve),
    ("POST", f"{_NAME}/points/scroll", Shim.scroll),
    ("POST", f"{_NAME}/points/query", Shim.query),
    ("POST", f"{_NAME}/points/count", Shim.count),
    ("POST", f"{_NAME}/facet", Shim.facet),
)


def _vector(said: Any) -> Any:
    return edge.SparseVector(said["indices"], said["values"]) if isinstance(said, dict) else said


def _vectors(said: Body) -> Any:
    return {name: _vector(vector) for name, vector in said.items()}


def _record(record: Any) -> Body:
    vector = record.vector
    if isinstance(vector, dict):
        vector = {
            name: {"indices": list(one.indices), "values": list(one.values)} if isinstance(one, edge.SparseVector) else one
            for name, one in vector.items()
        }
    return {"id": str(record.id), "payload": record.payload, "vector": vector}


def _filter(said: Body | None) -> Any:
    if said is None:
        return None
    parts = {name: [_condition(one) for one in said[name]] for name in ("must", "should", "must_not") if said.get(name)}
    return edge.Filter(**parts)


def _condition(said: Body) -> Any:
    if "key" not in said:
        return _filter(said)
    if "match" in said:
        return edge.FieldCondition(said["key"], match=edge.MatchAny(said["match"]["any"]))
    return edge.FieldCondition(said["key"], range=edge.RangeFloat(**said["range"]))


async def serve(shim: Shim, scope: Any, receive: Any, send: Any) -> None:
    """The stand-in as an ASGI application."""
    if scope["type"] != "http":
        return
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    key = dict(scope["headers"]).get(b"api-key", b"").decode()
    status, result = shim.answer(scope["method"], scope["path"], body, key)
    said = {"result": result, "status": "ok", "time": 0.0} if status == 200 else {"status": {"error": result}, "time": 0.0}
    data = json.dumps(said).encode()
    await send({"type": "http.response.start", "status": status, "headers": [(b"content-type", b"application/json")]})
    await send({"type": "http.response.body", "body": data})


def main() -> None:
    import uvicorn

    folder, port, *key = sys.argv[1:]
    shim = Shim(Path(folder), *key)

    async def application(scope: Any, receive: Any, send: Any) -> None:
        await serve(shim, scope, receive, send)

    uvicorn.run(application, host="127.0.0.1", port=int(port), log_level="warning")


if __name__ == "__main__":
    main()
