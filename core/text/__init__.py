"""Text: stems, sentences, untrusted input made harmless, instructions in it, and the terms of a chunk."""
