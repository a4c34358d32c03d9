"""The one import name over the folders core, plugins and web."""
