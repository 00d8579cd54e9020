"""The nouns of Concord: frozen, standard library only, knowing nobody.

Import from the file that owns the noun (`from ingest.model.document import Block`); this package re-exports nothing, so
that importing one noun never loads the others.
"""
