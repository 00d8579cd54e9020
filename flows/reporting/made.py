"""What a generation was made with, beside the one before it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flows.reporting.record import MadeWith
from ingest.model.generation import Manifest


def made_with(manifest: Manifest, before: Manifest | None) -> MadeWith:
    """Return what a manifest records of settings and code, beside the generation before it."""
    altered: dict[str, str] = {}
    if before is not None:
        for name, fingerprint in manifest.fingerprints.items():
            if before.fingerprints.get(name) != fingerprint:
                altered[f"fingerprints.{name}"] = f"was {before.fingerprints.get(name, 'absent')}"
        for name, digest in manifest.settings.items():
            if before.settings.get(name) != digest:
                altered[f"settings.{name}"] = _differing(manifest.values.get(name, {}), before.values.get(name, {}))
        if manifest.registry != before.registry:
            altered["registry"] = f"was {before.registry}"
    return MadeWith(manifest.settings, manifest.fingerprints, manifest.engines, manifest.registry, manifest.values, altered)


def _differing(values: Mapping[str, Any], before: Mapping[str, Any]) -> str:
    """Which settings of a stage had other values, in words."""
    return ", ".join(
        f"{name} was {before[name]}" if name in before else f"{name} was not there"
        for name in sorted(values) if name not in before or before[name] != values[name]
    )
