"""What names of organisations, products and standards look like, in Chinese and English.

Each module yields spans of a text that was folded in width (`entities.folding.WIDTH`); `spans.patterns` puts them together. The
rules are about kinds of names: legal forms, nouns at the end of a name, versions behind one, the bodies that number standards.
Ordinary words they need are in `words.toml`.
"""
