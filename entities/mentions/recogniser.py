"""Mentions of a text, and what only looks like one.

A *mention* is proven: the name of one entity of the registry, an identifier that one entity claims, or an identifier whose check
digits hold (which mints an entity that no seed describes). Everything else is a *candidate mention*: the name of several
entities, an identifier that nobody claims, what patterns and models propose, what sounds or looks like a name. Mentions are
served and shape what is published; candidates wait for resolution and review and shape nothing, so models may be switched on
and off without making anything again.

A known name inside a longer one is not meant: `星瀚` in 深圳市星瀚文具有限公司 is another firm, and in `mail.norrvik.se` nobody
is named.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib.metadata import version

from entities.identifiers import SCHEMES, Found, find, normalised
from entities.mentions.difference import Difference
from entities.mentions.gazetteer import Gazetteer, Hit
from entities.mentions.lookalikes import Lookalikes, has_sounds
from entities.mentions.patterns import spans as form
from entities.mentions.span import Span, disjoint
from entities.mentions.statistical import Models
from ingest.model.canonical import digest_of
from ingest.model.entity import CandidateMention, Entity, Identifier, Mention, Name, Registry, minted_id

VERSION = "2"
"""Of the rules by which mentions are found: what changes the mentions of some text changes it."""

_AMBIGUOUS, _LONGER, _UNCLAIMED, _SUBDOMAIN = 0.9, 0.8, 0.95, 0.6


class Recogniser:
    """Finds mentions of a registry, and candidates. `models`: names of statistical models (see `statistical.MODELS`).

    `fingerprint` changes with everything that could change a mention; it does not know of models, which change none."""

    def __init__(self, registry: Registry, models: Sequence[str] = ()) -> None:
        self._names = tuple(sorted({(name.text, entity.entity_id) for entity in registry.entities for name in entity.names}))
        self._types = {entity.entity_id: entity.type for entity in registry.entities}
        claims: dict[Identifier, set[str]] = defaultdict(set)
        for entity in registry.entities:
            for item in entity.identifiers:
                claims[Identifier(item.scheme, normalised(item.scheme, item.value) or item.value)].add(entity.entity_id)
        self._claims = {item: tuple(sorted(owners)) for item, owners in claims.items()}
        self._claimed = {owner for owners in claims.values() for owner in owners}
        self._gazetteer = Gazetteer(self._names)
        self._models = Models(models)

    @cached_property
    def fingerprint(self) -> str:
        claims = sorted((item.scheme, item.value, owners) for item, owners in self._claims.items())
        return digest_of([VERSION, form.VERSION, f"opencc={version('opencc')}", self._names, claims])

    @cached_property
    def proposing(self) -> str:
        """Changes with everything that could change a candidate."""
        return digest_of([self.fingerprint, self._models.names, has_sounds()])

    def mentions(self, chunk_id: str, text: str, found: Sequence[Found] | None = None) -> tuple[Mention, ...]:
        """Return the mentions in `text`, in order; `start` and `end` are characters of `text` itself. `found`: the identifiers in
        it, where somebody looked for them already: that is most of the work, and the same for every registry."""
        return self._read(chunk_id, text, found)[0]

    def candidates(self, chunk_id: str, text: str) -> tuple[CandidateMention, ...]:
        """Return what waits for review, in order; none shares a character with a mention or with another candidate.

        Raises ExtraMissing when a model needs a package that is not installed, ModelUnavailable when its weights are others."""
        mentions, hits, found = self._read(chunk_id, text)
        proposed = [self._doubtful(hit, text) for hit in hits if not self._is_sure(hit, text)]
        proposed += [self._unclaimed(item) for item in found]
        proposed += form.patterns(text)
        proposed += form.behind(text, [(hit.start, hit.end) for hit in hits if self._type_of(hit.entity_ids) in _VERSIONED])
        proposed += [span._replace(type=self._type_of(span.entity_ids)) for span in self._lookalikes.find(text)]
        proposed += self._models.spans(text)
        free = [
            span for span in proposed
            if all(span.end <= mention.start or mention.end <= span.start for mention in mentions)
        ]
        return tuple(
            CandidateMention(
                chunk_id, span.start, span.end, text[span.start : span.end], *_said(span, text), span.confidence, span.entity_ids
            )
            for span in disjoint(free)
        )

    def since(self, before: Recogniser) -> Difference:
        """Return what may be named differently than by `before`, whose rules are the same."""
        claims = {item for item, _ in self._claims.items() ^ before._claims.items()}
        return Difference({*self._names} ^ {*before._names}, claims)

    def minted(self, mentions: tuple[Mention, ...]) -> Iterator[Entity]:
        """Entities that exist because a valid identifier of theirs was read and no seed claims it."""
        for mention in mentions:
            if mention.method.startswith("identifier:") and mention.entity_id not in self._claimed:
                _, scheme, value = mention.method.split(":", 2)
                yield Entity(mention.entity_id, SCHEMES[scheme].type, (Name(value, "preferred"),), (Identifier(scheme, value),))

    def _read(
        self, chunk_id: str, text: str, found: Sequence[Found] | None = None
    ) -> tuple[tuple[Mention, ...], list[Hit], list[Found]]:
        """Mentions; names that stand for themselves, ambiguous ones too; identifiers that name nobody."""
        found = list(find(text)) if found is None else found
        hits = self._standing(text, found)
        linked: list[Mention] = []
        open: list[Found] = []
        for item in found:
            owner = self._owner(item)
            if owner is None:
                open.append(item)
            else:
                method = f"identifier:{item.scheme}:{item.value}"
                linked.append(Mention(chunk_id, item.start, item.end, text[item.start : item.end], owner, method))
        linked += [
            Mention(chunk_id, hit.start, hit.end, text[hit.start : hit.end], hit.entity_ids[0], "gazetteer")
            for hit in hits if self._is_sure(hit, text)
        ]
        return tuple(sorted(linked, key=lambda mention: (mention.start, mention.end, mention.entity_id))), hits, open

    def _standing(self, text: str, found: Sequence[Found]) -> list[Hit]:
        """Names of the registry that are no mere part of an identifier or of a longer name of an organisation."""
        hits = self._gazetteer.find(text)
        if not hits:
            return []
        ends = {hit.end for hit in hits}
        longer = [(span.start, span.end) for span in form.organisations(text) if span.end not in ends]
        longer += [(item.start, item.end) for item in found if item.scheme not in ("version", "product-code", "error-code")]
        return [
            hit for hit in hits
            if not any(start <= hit.start and hit.end <= end and (start, end) != (hit.start, hit.end) for start, end in longer)
        ]

    def _owner(self, item: Found) -> str | None:
        owners = self._claims.get(Identifier(item.scheme, item.value), ())
        if item.scheme == "email-domain" and not owners:
            owners = self._claims.get(Identifier("domain", item.value), ())
        if len(owners) == 1:
            return owners[0]
        scheme = SCHEMES[item.scheme]
        return minted_id(scheme.type, scheme.name, item.value) if scheme.mints and not owners else None

    def _unclaimed(self, item: Found) -> Span:
        """An identifier that nobody owns, or several do. A host below a claimed domain may be its owner's, or a tenant's."""
        method = f"identifier:{item.scheme}:{item.value}"
        owners = self._claims.get(Identifier(item.scheme, item.value), ())
        if SCHEMES[item.scheme].normalise is SCHEMES["domain"].normalise and not owners:
            labels = item.value.split(".")
            for at in range(1, len(labels) - 1):
                owners = self._claims.get(Identifier("domain", ".".join(labels[at:])), ())
                if owners:
                    return Span(item.start, item.end, "", method, _SUBDOMAIN, owners)
        return Span(item.start, item.end, "", method, _UNCLAIMED, owners)

    def _is_sure(self, hit: Hit, text: str) -> bool:
        return len(hit.entity_ids) == 1 and hit.end == self._end(hit, text)

    def _doubtful(self, hit: Hit, text: str) -> Span:
        """The name of several entities, or the beginning of a longer one that nobody registered."""
        end = self._end(hit, text)
        surety = _AMBIGUOUS if end == hit.end else _LONGER
        return Span(hit.start, end, self._type_of(hit.entity_ids), "gazetteer", surety, hit.entity_ids)

    def _end(self, hit: Hit, text: str) -> int:
        """Where the name ends: a short one of an organisation goes on over words that firms are named by, and is then another's,
        as 星瀚环保科技 is not 星瀚."""
        if self._type_of(hit.entity_ids) != "organization" or not form.is_short(text[hit.start : hit.end]):
            return hit.end
        return form.named_on(text, hit.end)

    def _type_of(self, entity_ids: tuple[str, ...]) -> str:
        """The type of entities that a name may mean, `other` where they are not of one."""
        types = {self._types[id] for id in entity_ids}
        return types.pop() if len(types) == 1 else "other"

    @cached_property
    def _lookalikes(self) -> Lookalikes:
        return Lookalikes(self._names)


_VERSIONED = ("product", "system", "interface")


def _said(span: Span, text: str) -> tuple[str, str]:
    """Type and method of a candidate; identifiers, and versions behind names, are of the type that their scheme names."""
    if span.type == "version":
        value = normalised("version", text[span.start : span.end])
        return SCHEMES["version"].type, f"identifier:version:{value}"
    if span.method.startswith("identifier:"):
        return SCHEMES[span.method.split(":", 2)[1]].type, span.method
    return span.type, span.method
