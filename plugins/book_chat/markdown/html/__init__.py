"""What becomes normalized Markdown by way of a tree of HTML: EPUB, HTML, DOCX and reStructuredText."""
