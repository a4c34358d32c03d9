"""Wiki pages as Parsoid writes them: HTML to sections, in a worker process, and sections to chunks."""
