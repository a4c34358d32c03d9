"""Gathers sources for the concepts of a plan from the wikis, several concepts at once."""

from .finder import SourceFinder
from .job import Gathering
from .progress import Progress

__all__ = ["Gathering", "Progress", "SourceFinder"]
