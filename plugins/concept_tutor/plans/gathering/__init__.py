"""Gathers sources for the concepts of a plan from the wikis, several concepts at once."""

from .finder import SourceFinder
from .job import Gathering, Progress

__all__ = ["Gathering", "Progress", "SourceFinder"]
