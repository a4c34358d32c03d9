"""Plans from lists, JSON, CSV and JSON lines, from a wiki page, or by a language model."""

from .assembling import Imported, assemble
from .reading import FORMATS, read_plan, read_plan_file
from .shape import PlanShape

__all__ = ["FORMATS", "Imported", "PlanShape", "assemble", "read_plan", "read_plan_file"]
