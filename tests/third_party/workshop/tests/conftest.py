"""What the tests share."""

pytest_plugins = ["ragstone.core.testing"]
