"""The layout of a book on the disk: which files are read and in which order, as its tool's configuration says."""
