"""How well documents are cut, beside the splitters that people would pick instead: `make bench-chunk`."""
