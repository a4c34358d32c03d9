"""Study plans: concepts, which of them to learn before which, and the sources of each."""
