"""The host: one open deployment."""
