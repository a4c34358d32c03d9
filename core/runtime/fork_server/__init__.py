"""A process that has imported what some work needs and forks a child for each piece of it: ``apart``, but cheaper."""

from .owner import Ended, ForkServer

__all__ = ["Ended", "ForkServer"]
