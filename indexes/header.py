"""The header of a sealed build: what it is, and which files of which size it consists of.

In: a folder whose files are all written. Out: `<kind>.json` beside them. Whoever opens the build compares sizes first, so a
missing or cut file is an error that names it, rather than whatever an engine makes of it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ingest.errors import BuildCorrupt, StorageFailed
from ingest.model.canonical import canonical
from ingest.model.gate import Gates

REMEDY = "run: ingest verify --repair"


def write_header(folder: Path, kind: str, format: int, fields: dict[str, Any]) -> None:
    """Write `<kind>.json` into `folder`, listing every file that is there by now."""
    files = {path.relative_to(folder).as_posix(): path.stat().st_size for path in folder.rglob("*") if path.is_file()}
    (folder / f"{kind}.json").write_bytes(canonical({**fields, "kind": kind, "format": format, "files": files}))


def read_header(folder: Path, kind: str, format: int, *, grown: bool = False) -> dict[str, Any]:
    """Return the header of a build after checking that every file is there in full. `grown`: some may be larger than they should,
    for who looks at what somebody else wrote into them.

    Raises BuildCorrupt naming the first file that is missing, cut, or of another kind or format; StorageFailed where the
    system cannot say.
    """
    path = folder / f"{kind}.json"
    try:
        header: dict[str, Any] = json.loads(path.read_bytes())
        known = header["kind"] == kind and header["format"] == format
        files: dict[str, int] = dict(header["files"])
    except FileNotFoundError:
        raise BuildCorrupt(f"{path} is missing: not a sealed {kind} build; {REMEDY}") from None
    except (ValueError, TypeError, KeyError) as error:
        raise BuildCorrupt(f"{path} is damaged ({error}); {REMEDY}") from error
    except OSError as error:
        raise StorageFailed(f"{path} cannot be read: {error.strerror}") from error
    if not known:
        raise BuildCorrupt(f"{path} is of another kind or format than {kind} {format}; {REMEDY}")
    for name, size in files.items():
        _check_size(folder / name, size, grown)
    return header


def read_gates(path: Path) -> Gates:
    """Read a gates.json. Raises BuildCorrupt naming it."""
    try:
        return Gates.loaded(path.read_bytes())
    except (OSError, ValueError) as error:
        raise damaged(path, error) from error


def damaged(path: Path, error: object) -> BuildCorrupt:
    """Return the error for a file of a build that does not say what it must."""
    return BuildCorrupt(f"{path} is damaged ({error}); {REMEDY}")


def _check_size(path: Path, size: int, grown: bool) -> None:
    try:
        found = path.stat().st_size
    except FileNotFoundError:
        raise BuildCorrupt(f"{path} is missing; {REMEDY}") from None
    except OSError as error:
        raise StorageFailed(f"{path} cannot be read: {error.strerror}") from error
    if found != size and not (grown and found > size):
        raise BuildCorrupt(f"{path} has {found} bytes instead of {size}; {REMEDY}")
