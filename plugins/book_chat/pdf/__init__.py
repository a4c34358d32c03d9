"""PDF books as normalized Markdown, read in a subprocess."""
