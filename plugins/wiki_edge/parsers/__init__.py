"""Articles as chunks of 512 to 1,024 tokens."""
