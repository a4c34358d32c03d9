"""How files become chunks: each kind into its sections, and these into sizes that can be found and read."""
