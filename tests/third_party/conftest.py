"""A package of others, as it comes: a wheel from outside. Its own tests are run with the wheel."""

collect_ignore_glob = ["*/tests"]
