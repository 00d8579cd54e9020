"""What is noticed when a knowledge base is changed behind its owner's back: Concord, and peers of the same tampering.

Every tampering is done to a copy of one published base of Chinese and English documents, with the engines and tools that wrote
it, and then everybody's own means are tried: verify, check, search and repair here; doctors and further runs there. `careful`
means that whoever tampered also brought every hash and stamp in order that a file of the base keeps.

    python -m benchmarks.tampering [--only concord,haiku,cocoindex,llamaindex] [--name PART] [--json FILE]
"""
