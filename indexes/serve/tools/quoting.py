"""What a citation stands for, read again: the proof that an answer quotes what the knowledge base says."""

from __future__ import annotations

from indexes.query.context import estimated
from indexes.query.flags import flags
from indexes.serve.answers import EvidenceFound, Quoted
from indexes.serve.arguments import EvidenceGet
from indexes.serve.session import Cited
from indexes.serve.tools.asking import Asking, Told
from indexes.serve.tools.looking import Looking


def evidence_get(asking: Asking, asked: EvidenceGet) -> Told:
    """The passage that a citation of this session stands for, or a chunk by its id, as the knowledge base says it now, with its
    checksum; and whether it is still what was cited."""
    cited = None if asked.citation is None else asking.session.cited(asked.citation, asked.pack)
    id = cited.chunk_id if cited is not None else asked.chunk_id or ""
    kb_ids = asked.kb_ids if cited is None else asking.base_of(cited, asked.kb_ids)
    found, failed = asking.found(kb_ids, asked.citation or id, lambda looking: _quoted(looking, id, cited, asked.checksum))
    for one in found:
        asking.session.give(one.kb_id, one.result.chunk_id, one.result.checksum)
    answer = EvidenceFound(tuple(one.result for one in found), failed)
    seen = tuple(one.seen([one.result.chunk_id]) for one in found)
    return Told(answer, seen, sum(estimated(one.result.text) for one in found))


def _quoted(looking: Looking, id: str, cited: Cited | None, checksum: str | None) -> Quoted | None:
    row = looking.row(id)
    record = looking.record(row.source_id) if row is not None else None
    if row is None or record is None:
        return None
    compared = checksum or (cited.checksum if cited is not None else None)
    return Quoted(
        looking.kb_id, looking.snapshot.generation, cited.generation if cited is not None else None, row.chunk_id, row.parent_id,
        looking.told(record), row.heading_path, row.text, row.text_checksum,
        None if compared is None else compared == row.text_checksum, row.provenance, flags([row.text]),
    )
