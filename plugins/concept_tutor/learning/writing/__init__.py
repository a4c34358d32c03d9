"""Questions, each proved by a span of a source."""
