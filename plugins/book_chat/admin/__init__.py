"""Adding and removing books over HTTP with the admin key."""
