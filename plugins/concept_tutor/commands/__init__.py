"""``ragstone tutor``: study plans, their sources, and what is learned from them."""
