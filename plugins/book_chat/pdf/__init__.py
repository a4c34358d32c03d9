"""PDF books: a page's glyphs as clean Markdown, made in a process that can be killed."""
