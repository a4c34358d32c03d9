"""Built-in plugins that provide models and vector stores; each is on where its extra is installed."""
