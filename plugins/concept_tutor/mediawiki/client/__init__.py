"""A client of MediaWiki's REST API: ``search`` and ``page``, polite, bounded, and kept on disk for the time offline."""
