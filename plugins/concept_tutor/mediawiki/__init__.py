"""MediaWiki: a client of its REST API, a reader of Parsoid's HTML, and the gathering of sources from its pages."""
