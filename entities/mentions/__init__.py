"""Spans of a text that name something: what names and identifiers prove becomes a mention, what only looks like a name becomes
a candidate mention that waits for resolution and review.

`recogniser.Recogniser` is the whole of it: gazetteer (names of the registry), identifiers (`entities.identifiers`), patterns
(organisations, products, standards, in Chinese and English), statistical models by setting, and names one slip away.
"""
