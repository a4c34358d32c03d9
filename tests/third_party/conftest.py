"""Packages of others, as they come: wheels from outside. Their own tests are run with the wheels."""

collect_ignore_glob = ["*/tests"]
