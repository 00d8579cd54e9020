"""Do the published indexes hold what they claim? Nothing is changed here."""

from indexes.generation.verify.findings import Drift
from indexes.generation.verify.levels import Level, verify

__all__ = ["Drift", "Level", "verify"]
