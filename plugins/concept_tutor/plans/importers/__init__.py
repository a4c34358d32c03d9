"""Plans from lists, JSON, CSV and JSON lines, from a wiki page, or by a language model."""

from .assembly import Imported, assemble
from .formats import FORMATS, read_plan, read_plan_file
from .schema import PlanShape

__all__ = ["FORMATS", "Imported", "PlanShape", "assemble", "read_plan", "read_plan_file"]
