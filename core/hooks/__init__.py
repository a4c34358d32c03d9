"""Hooks: their specification, the loaded plugins, one typed method for each hook, and the check of results."""
