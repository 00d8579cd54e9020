"""Office files made with the libraries that people make them with, and a way to change a part of one."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture(scope="session")
def saved() -> Callable[[Any], bytes]:
    """Bytes of a document of python-docx or python-pptx."""

    def save(document: Any) -> bytes:
        out = io.BytesIO()
        document.save(out)
        return out.getvalue()

    return save


@pytest.fixture(scope="session")
def patched() -> Callable[..., bytes]:
    """`patched(data, part, old, new)`: the file with the text of one part replaced; `old=None` writes the whole part."""

    def patch(data: bytes, part: str, old: str | None, new: str) -> bytes:
        out = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
            for info in source.infolist():
                content = source.read(info)
                if info.filename == part:
                    assert old is None or old.encode() in content
                    content = new.encode() if old is None else content.replace(old.encode(), new.encode())
                target.writestr(info.filename, content)
            if part not in source.namelist():
                target.writestr(part, new)
        return out.getvalue()

    return patch
