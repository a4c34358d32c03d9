"""A learner's questions, attempts and reviews, in the catalog's database."""
