"""Books put on the shelf over HTTP: by whoever has the key, one after the other, from uploaded files."""
