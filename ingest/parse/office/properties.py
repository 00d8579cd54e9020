"""What an Office file says of itself: title, author, dates; company and manager; properties that its owner made up."""

from __future__ import annotations

from typing import Any

from lxml import etree

from ingest.parse.office.package import Package

_CORE = {
    "title": "title", "creator": "author", "created": "created", "modified": "modified", "language": "authoring_language",
    "subject": "subject", "description": "description", "keywords": "keywords", "lastModifiedBy": "modified_by",
    "category": "category", "version": "version", "contentStatus": "status", "lastPrinted": "printed",
}
_EXTENDED = {"Company": "company", "Manager": "manager", "Application": "application"}
_NO_TITLES = frozenset(
    {"powerpoint presentation", "powerpoint 演示文稿", "presentation", "演示文稿", "untitled", "word document"}
)
MOST_CUSTOM = 100


def properties(package: Package) -> dict[str, Any]:
    """Return what is said of the file, as written; what is not said is left out. Own properties are a dictionary,
    `meta`, as the tags of a web page are.

    The language there is that of the program's dictionary, not of the text, hence its name `authoring_language`. A title that
    every new file of a program bears is none.
    """
    found: dict[str, Any] = {}
    for kind, names in (("core-properties", _CORE), ("extended-properties", _EXTENDED)):
        for part in package.related("", kind):
            for element in package.xml(part):
                name = names.get(_local(element))
                text = (element.text or "").strip() if name else ""
                if name and text and not (name == "title" and text.lower() in _NO_TITLES):
                    found[name] = text
    for part in package.related("", "custom-properties"):
        own = dict(list(_custom(package.xml(part)))[:MOST_CUSTOM])
        if own:
            found["meta"] = own
    return found


def _custom(root: Any) -> Any:
    for element in root:
        name = element.get("name") or ""
        value = "".join(element.itertext()).strip()
        plumbing = name.startswith(("_", "xd_", "ContentTypeId", "Tfs.", "MSIP_Label_"))  # what servers leave
        if name and value and not plumbing and _local(element) == "property":
            yield name, value


def _local(element: Any) -> str:
    return str(etree.QName(element).localname) if isinstance(element.tag, str) else ""
