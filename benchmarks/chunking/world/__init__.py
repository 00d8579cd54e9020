"""A made company's papers with questions to them: for every right passage there are dozens that say the same of something else.

`zh.yaml` and `en.yaml` hold the words, `papers` fills them in. Forty-five products a language, three versions each of a manual,
release notes, an FAQ, a guide with code, two tables, and catalogues in which a chapter names its product once: about five
thousand children of 200 tokens. Everything is drawn with one seed: the same set on every machine and with every splitter.
"""
