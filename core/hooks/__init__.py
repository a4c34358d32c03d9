"""The hooks: their specification, the plugins that are loaded, one typed method for each hook, the check of results."""
