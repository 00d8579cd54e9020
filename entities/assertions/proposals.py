"""What the wording of a text proposes about the entities that it mentions. Never asserted: it waits for a person.

In: a text, and the spans of it that name entities. Out: assertions that a pattern of words between two spans, or behind one,
suggests, where types fit the relation. Patterns are few and plain, because every wrong one costs a reviewer's time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from entities.relations import Vocabulary
from ingest.model.entity import Assertion, Mention

PROPOSED = "urn:kb:assertion:"
"""How the id of a proposed assertion begins, under which people accept and reject it."""

CONFIDENCE = 0.5
"""Of what only a pattern says; who accepts it takes it for sure."""

_GAP = 24
"""Characters between two spans at most."""

_BETWEEN: tuple[tuple[str, str, str, bool], ...] = (
    # relation, words between the spans, words behind the second, whether the second span is the subject
    ("developer", r"(?:系统|平台|产品)?(?:是|系)?由", r"\s*(?:自主|联合)?(?:研发|开发|研制)", False),
    ("developer", r"(?:自主|联合)?(?:研发|开发|研制|推出)的", "", True),
    ("developer", r"\s+(?:is|was|are|were|has been)\s+(?:developed|built|created|written)\s+by\s+(?:the\s+)?", "", False),
    ("developer", r",?\s+developed\s+by\s+(?:the\s+)?", "", False),
    ("manufacturer", r"(?:是|系)?由", r"\s*(?:生产|制造)", False),
    ("manufacturer", r"(?:生产|制造)的", "", True),
    ("manufacturer", r"\s+(?:is|was|are|were)\s+(?:made|manufactured|produced)\s+by\s+(?:the\s+)?", "", False),
    ("parentOrganization", r"是", r"\s*的(?:全资|控股)?(?:子公司|分公司|下属单位)", False),
    ("parentOrganization", r"(?:隶属于|系)", r"(?:的(?:全资|控股)?子公司)?", False),
    ("parentOrganization", r"(?:,|\s+is)\s+an?\s+(?:wholly[- ]owned\s+)?subsidiary\s+of\s+(?:the\s+)?", "", False),
    ("memberOf", r"是", r"\s*的?(?:会员|成员)单位", False),
    ("memberOf", r"\s+is\s+an?\s+member\s+of\s+(?:the\s+)?", "", False),
    ("worksFor", r"(?:任职于|就职于)", "", False),
    ("worksFor", r"\s+works\s+(?:for|at)\s+(?:the\s+)?", "", False),
    ("locatedIn", r"(?:位于|坐落于|坐落在|总部设在|总部位于)", "", False),
    ("locatedIn", r"\s+is\s+(?:located|based|headquartered)\s+in\s+", "", False),
    ("conformsTo", r"(?:符合|遵循|遵守|满足)", "", False),
    ("conformsTo", r"\s+(?:conforms|complies)\s+(?:to|with)\s+", "", False),
    ("dependsOn", r"(?:依赖于|依赖)", "", False),
    ("dependsOn", r"\s+depends\s+on\s+(?:the\s+)?", "", False),
    ("partOf", r"是", r"\s*的(?:一部分|组成部分|子系统|模块)", False),
    ("partOf", r"\s+is\s+(?:an?\s+)?part\s+of\s+(?:the\s+)?", "", False),
)
_COMPILED = tuple(
    (relation, re.compile(rf"\s*{between}\s*"), re.compile(behind), turned) for relation, between, behind, turned in _BETWEEN
)
_VERSION = re.compile(
    r"\s*(?:[（(]\s*)?(?:version\s+|版本\s*|v)?(\d{1,3}(?:\.\d{1,4}){1,3})(?![\d.]*\d)(?!\s*[%％])", re.IGNORECASE
)
_QUOTES = "“”\"'《》「」（）()"


def proposed(
    text: str, mentions: Sequence[Mention], types: Mapping[str, str], vocabulary: Vocabulary, evidence: str
) -> Iterator[Assertion]:
    """Yield what `text` proposes, in order, each once. `mentions`: its spans; `types`: id -> type; `evidence`: its source."""
    ordered = sorted(mentions, key=lambda mention: (mention.start, -mention.end))
    seen: set[str] = set()
    for number, mention in enumerate(ordered):
        for made in (*_pairs(text, mention, ordered[number + 1 :], types, vocabulary, evidence),
                     *_version(text, mention, types, vocabulary, evidence)):
            if made.assertion_id not in seen:
                seen.add(made.assertion_id)
                yield made


def _pairs(
    text: str, first: Mention, others: Sequence[Mention], types: Mapping[str, str], vocabulary: Vocabulary, evidence: str
) -> Iterator[Assertion]:
    for other in others:
        if other.start - first.end > _GAP:
            return
        if other.start < first.end or other.entity_id == first.entity_id:
            continue
        between, behind = text[first.end : other.start].strip(_QUOTES), text[other.end :].lstrip(_QUOTES)
        for relation, inside, after, turned in _COMPILED:
            if inside.fullmatch(between) and after.match(behind):
                subject, object_ = (other, first) if turned else (first, other)
                if _fits(relation, subject.entity_id, object_.entity_id, types, vocabulary):
                    yield Assertion(subject.entity_id, relation, object_.entity_id, None, evidence, confidence=CONFIDENCE)
                    break


def _version(
    text: str, mention: Mention, types: Mapping[str, str], vocabulary: Vocabulary, evidence: str
) -> Iterator[Assertion]:
    found = _VERSION.match(text, mention.end)
    relation = vocabulary.get("softwareVersion")
    if found and relation is not None and types.get(mention.entity_id) in relation.domain:
        yield Assertion(mention.entity_id, relation.name, None, found[1], evidence, confidence=CONFIDENCE)


def _fits(relation: str, subject: str, object_: str, types: Mapping[str, str], vocabulary: Vocabulary) -> bool:
    known = vocabulary.get(relation)
    return known is not None and types.get(subject) in known.domain and types.get(object_) in known.range
