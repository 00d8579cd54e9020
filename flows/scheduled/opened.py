"""How a flow reads its settings: the file and the knowledge base that its parameters name, and the environment of its worker."""

from __future__ import annotations

from pathlib import Path

from ingest.settings import Settings, load


def settings_of(config: str | None, kb: str | None) -> Settings:
    """Return the settings of a flow run. Raises SettingsInvalid. The worker's INGEST_* variables count, as for the command."""
    return load(Path(config) if config else None, {"kb": kb})
