"""Book chat's pages: the chat and what citations open, the shelf, and books over HTTP with the admin key."""
