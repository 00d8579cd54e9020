"""From a parsed document to the parents and children that are retrieved: `structure.chunk` is the way in."""
