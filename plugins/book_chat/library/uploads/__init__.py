"""Books that came over HTTP: their files until they are read, and the queue in which they wait."""
