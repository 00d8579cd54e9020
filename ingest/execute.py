"""Work spread over processes: `map_unordered` and what comes back of each item."""
