"""Books as normalized Markdown: its dialects, AsciiDoc and plain text, and its blocks, sections and chunks."""
