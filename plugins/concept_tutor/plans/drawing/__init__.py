"""A plan as a layered drawing: concepts are boxes in rows, and curves lead from prerequisites to dependents."""

from .drawing import Box, Curve, Drawing, draw

__all__ = ["Box", "Curve", "Drawing", "draw"]
