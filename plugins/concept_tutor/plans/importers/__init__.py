"""Plans from lists, JSON, CSV and JSON lines, from a wiki page, or by a language model."""

from .assembly import ImportedPlan, assemble
from .formats import FORMATS, read_plan, read_plan_file
from .schema import PlanSchema

__all__ = ["FORMATS", "ImportedPlan", "PlanSchema", "assemble", "read_plan", "read_plan_file"]
