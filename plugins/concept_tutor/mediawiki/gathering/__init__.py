"""Sources for the concepts of a plan: found in the wikis, all concepts at once, whoever watches or goes away."""

from .finder import Finder
from .job import Gathering
from .progress import Progress

__all__ = ["Finder", "Gathering", "Progress"]
