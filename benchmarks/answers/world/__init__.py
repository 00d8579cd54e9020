"""A made neighbourhood of fixtures/corpus: other products, versions, months, people and tenants that say almost the same.

`zh.yaml` and `en.yaml` hold the words, `papers` fills them in and keeps what they tell as facts, `products` lends the manuals,
release notes, FAQs, guides and tables of `benchmarks.chunking.world` and dates them, `registry` says who and what is meant.
Everything is drawn with one seed: about five thousand children, the same on every machine.
"""
