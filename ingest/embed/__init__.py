"""From texts to unit vectors: which engine, how it is run, and how no text is embedded twice."""
