# Everything a user or a CI needs. `make help` lists the targets.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
SETUP  := $(VENV)/.ready
AT_ONCE ?= 3

.DEFAULT_GOAL := help
.PHONY: help setup demo demo-prefect test test-slow lint bench bench-chunk bench-parse bench-tampering bench-mentions bench-entities bench-answers bench-latency bench-serve bench-scale-out bench-catalogs bench-sufficiency check-chunks clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

setup: $(SETUP)  ## build .venv with everything but the benchmark peers

$(SETUP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[all]' --group dev --group speech
	touch $(SETUP)

demo: $(SETUP)  ## ingest fixtures/corpus and ask it three questions
	$(BIN)/python fixtures/demo.py

demo-prefect: $(SETUP)  ## the same on a schedule: a Prefect server, a worker, a run and one that is cancelled, all on loopback
	$(BIN)/python -m fixtures.demo_prefect

test: $(SETUP) lint  ## lint, types, import rules, tests, three files at once
	$(BIN)/python -m pytest -m 'not slow' -n $(AT_ONCE) --dist loadfile

test-slow: $(SETUP)  ## the long suites too: 300 random kills, a kill at every step, every call that writes failed
	$(BIN)/python -m pytest

lint: $(SETUP)  ## ruff, mypy strict, import-linter
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

bench: $(SETUP)  ## benchmarks beside the peers; prints tables (builds .venv-peers)
	$(BIN)/python -m benchmarks

bench-chunk: $(SETUP)  ## how well documents are cut, beside the peers (builds .venv-peers; about an hour)
	$(BIN)/python -m benchmarks.chunking

bench-parse: $(SETUP)  ## how well files are parsed, beside the peers (needs Java for one of them)
	$(BIN)/python -m benchmarks.parse

bench-tampering: $(SETUP)  ## what is noticed of tampering, here and by the peers (builds .venv-peers, .venv-haiku)
	$(BIN)/python -m benchmarks.tampering

check-chunks: $(SETUP)  ## every invariant of chunking on every file of fixtures and ../shared/data/parse
	$(BIN)/python -m benchmarks.chunk_invariants

bench-mentions: $(SETUP)  ## how well mentions are found, by type, with and without statistical models; and how fast
	$(BIN)/python -m benchmarks.mentions

bench-entities: $(SETUP)  ## how well names are resolved, beside rapidfuzz and nomenklatura (CONCORD_PEERS); and 100,000 entities
	$(BIN)/python -m benchmarks.entities

bench-answers: $(SETUP)  ## the golden questions, in nine categories, over the fixtures among 5,000 near misses
	$(BIN)/python -m benchmarks.answers

bench-latency: $(SETUP)  ## how long answers take over 100,000 chunks, beside bm25s and a scan by numpy (some minutes)
	$(BIN)/python -m benchmarks.answer_latency

bench-sufficiency: $(SETUP)  ## how right refusals are, and whether a chance is what it says (ten minutes)
	$(BIN)/python -m benchmarks.sufficiency

bench-scale-out: $(SETUP)  ## 10,000 documents through one process, several, and Ray (twenty minutes)
	$(BIN)/python -m benchmarks.scale_out

bench-catalogs: $(SETUP)  ## 100,000 chunks staged and published with the catalog in SQLite and in PostgreSQL
	$(BIN)/python -m benchmarks.catalogs

bench-serve: $(SETUP)  ## twenty clients for a minute while generations are published, over HTTP and over MCP
	$(BIN)/python -m benchmarks.serving
	$(BIN)/python -m benchmarks.serving_mcp

clean:  ## remove environments and caches
	rm -rf $(VENV) .venv-peers .venv-haiku .mypy_cache .ruff_cache .pytest_cache
