"""The parts of `benchmarks.entities`: labelled sets, scores, a large registry, and a peer."""
