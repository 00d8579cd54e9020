"""One script an engine: files in, Markdown out, each engine in a process of its own (see `turn`)."""
