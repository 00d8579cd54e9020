"""Questions whose truth is known by construction, among documents that say nearly the same; see `__main__`."""
