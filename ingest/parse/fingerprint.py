"""What a parser's output depends on, as one short string that enters cache keys and manifests.

Every parser module of this package has `version(settings) -> str` made with `stamp`: its own version, counted up whenever its
output changes, the versions of the libraries that shape the output, and the settings that shape this format and no other.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version


def stamp(name: str, own: int, libraries: tuple[str, ...] = (), **settings: object) -> str:
    """Return e.g. `html 1; lxml 6.1.3; trafilatura 2.3.1; keep_all_html=False`. Libraries are read, never imported."""
    parts = [f"{name} {own}"]
    parts += [f"{library} {_installed(library)}" for library in libraries]
    parts += [f"{key}={value}" for key, value in sorted(settings.items())]
    return "; ".join(parts)


@lru_cache(maxsize=64)
def _installed(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "absent"
