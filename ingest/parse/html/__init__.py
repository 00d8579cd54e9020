"""Web pages become blocks: the main content as body, everything around it as furniture, what nobody sees left out.

    tree    text -> elements, bounded in depth and size
    main    which element holds the main content
    walk    elements -> blocks
    table   a <table> -> rows with spans repeated
    meta    what the page says of itself: title, <meta>, JSON-LD, language
    page    the parser: all of them in order
"""

from ingest.parse.html.page import parse, version

__all__ = ["parse", "version"]
