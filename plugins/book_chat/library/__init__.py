"""The books: their files on the disk, and what the catalog holds of them."""
