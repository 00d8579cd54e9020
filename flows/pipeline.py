"""The order of things, in plain Python: from roots to a published generation."""
