"""A plan's concepts as a drawing: boxes in layers, curves between them, as few crossings as a few sweeps leave."""

from .drawing import Box, Curve, Drawing, draw
from .neighbourhood import Neighbourhood, neighbourhood

__all__ = ["Box", "Curve", "Drawing", "Neighbourhood", "draw", "neighbourhood"]
