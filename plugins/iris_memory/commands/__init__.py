"""``ragstone memory``."""
