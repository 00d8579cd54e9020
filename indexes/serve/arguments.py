"""What each operation may be asked: the same models for every door, with limits. An argument that is not here is refused.

Descriptions are for those who call: they become the schemas of tools and of the HTTP API.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from ingest.model.entity import ENTITY_TYPES
from ingest.model.instant import parse_instant

Text = Annotated[str, Field(min_length=1, max_length=4000)]
Id = Annotated[str, Field(min_length=1, max_length=1000)]
Word = Annotated[str, Field(min_length=1, max_length=200)]
Instant = Annotated[str, Field(max_length=40), AfterValidator(parse_instant)]
Status = Literal["draft", "active", "deprecated", "archived"]


def _entity_type(value: str) -> str:
    if value not in ENTITY_TYPES:
        raise ValueError(f"it is one of {', '.join(ENTITY_TYPES)}")
    return value


_TOLD = 20
"""Arguments of which it is told what is wrong with them."""
_WORDS = {"extra_forbidden": "there is no such argument", "missing": "must be given"}


def wrong(errors: Sequence[Mapping[str, Any]]) -> tuple[str, list[dict[str, Any]]]:
    """Return what is said of arguments that pydantic refused, in words and one by one: where and why, without repeating them."""
    within = {tuple(each["loc"][:-1]) for each in errors}  # a list whose item was refused is not too short, too
    found = [
        {
            "at": [str(part) for part in each["loc"] if part != "body"],
            "why": _WORDS.get(each["type"], each["msg"].removeprefix("Value error, ")),
        }
        for each in errors[:_TOLD] if each["type"] != "too_short" or tuple(each["loc"]) not in within
    ]
    return "; ".join(": ".join(filter(None, (".".join(each["at"]), each["why"]))) for each in found), found


MOST_RESULTS = 50
MOST_LISTED = 200
MOST_TOKENS = 20_000


class Arguments(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    kb_ids: Annotated[tuple[Word, ...], Field(min_length=1, max_length=64)] | None = Field(
        None, description="ids of knowledge bases, of those that knowledge_list shows; default: all of them"
    )


class KnowledgeList(Arguments):
    pass


class Narrowed(Arguments):
    """What narrows a search. Everything here can only narrow what the caller may see."""

    top_k: Annotated[int, Field(ge=1, le=MOST_RESULTS)] | None = Field(None, description="results at most; default: 10")
    tokens: Annotated[int, Field(ge=100, le=MOST_TOKENS)] | None = Field(
        None, description="tokens of text and context at most, over all results"
    )
    as_of: Instant | None = Field(None, description="what held at this instant (2025-07-01, or with time and zone); default: now")
    holds_from: Instant | None = Field(None, description="with holds_until: what held during some of that time, instead of as_of")
    holds_until: Instant | None = Field(None, description="end of that time, exclusive")
    statuses: tuple[Status, ...] = Field(("active",), min_length=1, description="statuses that count")
    documents: tuple[Id, ...] | None = Field(
        None, min_length=1, max_length=100, description="only these documents: uris (root/path) or source ids"
    )
    families: tuple[Word, ...] | None = Field(None, min_length=1, max_length=50, description="only these document families")
    versions: tuple[Word, ...] | None = Field(None, min_length=1, max_length=50, description="only these versions")
    scopes: tuple[Word, ...] | None = Field(None, min_length=1, max_length=50, description="only these scopes")
    languages: tuple[Word, ...] | None = Field(None, min_length=1, max_length=20, description="only these languages (zh, en)")
    with_context: bool = Field(True, description="give the section around each result, unless this session was given it already")

    @model_validator(mode="after")
    def _one_time(self) -> Narrowed:
        if (self.holds_from is None) != (self.holds_until is None):
            raise ValueError("give holds_from and holds_until together")
        if self.holds_from is not None and self.as_of is not None:
            raise ValueError("give as_of, or holds_from and holds_until, not both")
        if self.holds_from is not None and self.holds_until is not None and self.holds_from >= self.holds_until:
            raise ValueError("holds_from must lie before holds_until")
        return self


class KnowledgeSearch(Narrowed):
    query: Text = Field(description="the question in full, or words; any text is a query")
    expand: bool | None = Field(None, description="one hop through the graph of relations; default: as the question needs")
    planned: bool = Field(True, description="read versions, dates, codes and names in the query; false: take it as it stands")
    explain: bool = Field(False, description="add how the ranking came about")


class KeywordSearch(Narrowed):
    query: Text = Field(description="words, codes, part numbers; no syntax")


class SemanticSearch(Narrowed):
    query: Text = Field(description="what the passage should mean; a full sentence works best")


class DocumentFind(Arguments):
    title: Word | None = Field(None, description="part of the title, in any case")
    path: Word | None = Field(None, description="the uri (root/path) or an end of it: guides/install.md, install.md")
    glob: Word | None = Field(None, description="pattern of the uri: docs/*/2024-*.pdf (* also stands for /)")
    family: Word | None = Field(None, description="document family")
    entity: Id | None = Field(None, description="id, as entity_resolve tells it, of an entity that the document mentions")
    limit: int = Field(20, ge=1, le=MOST_LISTED, description="documents at most")

    @model_validator(mode="after")
    def _something(self) -> DocumentFind:
        if not any((self.title, self.path, self.glob, self.family, self.entity)):
            raise ValueError("give at least one of title, path, glob, family, entity")
        return self


class DocumentOpen(Arguments):
    id: Id = Field(description="a chunk, parent or source id, a uri (root/path), or a citation (K2) of a pack of this session")
    part: Literal["chunk", "parent", "section", "document"] | None = Field(
        None, description="what to open: the passage, its context, the whole section with its subsections, or the document; "
        "default: what the id names"
    )
    pack: Word | None = Field(None, description="the pack that a citation is of; default: the latest of this session")
    before: int = Field(0, ge=0, le=20, description="neighbours before it (chunks, or parents of a parent)")
    after: int = Field(0, ge=0, le=20, description="neighbours after it")
    page: int = Field(1, ge=1, le=100_000, description="page of a section or document")
    page_tokens: int = Field(2000, ge=200, le=8000, description="tokens of text on a page, about")
    again: bool = Field(False, description="repeat texts that this session was already given")


class EntityResolve(Arguments):
    name: Word = Field(description="a name, abbreviation or identifier as it was written")
    type: Annotated[Word, AfterValidator(_entity_type)] | None = Field(None, description=", ".join(ENTITY_TYPES))
    limit: int = Field(10, ge=1, le=MOST_RESULTS, description="candidates at most")


class EntityGet(Arguments):
    entity_id: Id = Field(description="id of an entity, as entity_resolve or results give it")


class EvidenceGet(Arguments):
    citation: Annotated[str, Field(pattern=r"^K[0-9]{1,4}$")] | None = Field(None, description="a citation of a pack: K2")
    pack: Word | None = Field(None, description="the pack that the citation is of; default: the latest of this session")
    chunk_id: Id | None = Field(None, description="instead of a citation: the id of a chunk")
    checksum: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = Field(
        None, description="sha256 of the text that you hold, to learn whether it is still what the knowledge base says"
    )

    @model_validator(mode="after")
    def _one(self) -> EvidenceGet:
        if (self.citation is None) == (self.chunk_id is None):
            raise ValueError("give a citation or a chunk_id")
        return self


class VerifyCitations(Arguments):
    answer: Annotated[str, Field(min_length=1, max_length=100_000)] = Field(
        description="the answer as it will be given, with its citations ([K1], [K1, K3]) and quotations"
    )
    pack: Word | None = Field(None, description="the pack that it was written from; default: the latest of this session")


class GraphNeighbors(Arguments):
    ids: tuple[Id, ...] = Field(min_length=1, max_length=10, description="ids of entities, chunks or sources, or uris")
    relations: tuple[Word, ...] | None = Field(
        None, min_length=1, max_length=50, description="only these relations; default: asserted ones and links between documents"
    )
    holds_from: Instant | None = Field(None, description="only what held at this instant or after")
    holds_until: Instant | None = Field(None, description="only what held before this instant")
    fan_out: int = Field(8, ge=1, le=50, description="steps of each id at most")


class ConflictsList(Arguments):
    kinds: tuple[Literal["versions", "assertions", "values"], ...] | None = Field(
        None, min_length=1, description="versions: several hold at once; assertions: contradicting ones; values: differing "
        "numbers, where an entity is given; default: all"
    )
    family: Word | None = Field(None, description="only of this document family")
    entity: Id | None = Field(None, description="only about this entity: its id, as entity_resolve tells it")
    as_of: Instant | None = Field(None, description="what held at this instant; default: now")
    limit: int = Field(50, ge=1, le=MOST_LISTED, description="conflicts at most")

    @model_validator(mode="after")
    def _of_whom(self) -> ConflictsList:
        if self.kinds == ("values",) and self.entity is None:
            raise ValueError("differing values are looked for of an entity: give entity, too (entity_resolve tells its id)")
        return self


class ReviewList(Arguments):
    limit: int = Field(10, ge=1, le=MOST_RESULTS, description="questions at most")


class ReviewAnswer(Arguments):
    question: Id = Field(description="id of a question of review_list")
    answer: Literal["yes", "no", "pin"] = Field(description="yes; no; pin: two entities are never one, not even by identifier")
    reason: Text = Field(description="why, for whoever looks at it later")
