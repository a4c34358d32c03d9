"""The node parser of encyclopedias: chunks of 512 to 1,024 tokens."""
