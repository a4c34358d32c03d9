"""Wiki pages as Parsoid writes them: HTML to sections, in a process that can be killed, and sections to chunks."""
