"""How well files are parsed, beside others: `python -m benchmarks.parse`. What is measured and how: docs/parsing-quality.md."""
