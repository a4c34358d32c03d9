"""Concept tutor: study plans whose questions and explanations are proved by pages that one can open."""

from typing import TYPE_CHECKING

from ragstone.core.runtime import lazy_names

if TYPE_CHECKING:
    from .learning.export import export_questions
    from .learning.lessons import Lessons
    from .learning.progress import Progresses
    from .learning.sessions import Sessions
    from .parsers import ParsoidNodeParser
    from .plans.editor import ConceptChange, PlanEditor
    from .plans.gathering import Gathering, Progress
    from .plans.importers import ImportedPlan, read_plan, read_plan_file
    from .plans.importers.corpus import plan_from_corpus
    from .plans.records import Concept, Edge, NewChunk, NewConcept, NewPlan, Plan, SourceChunk
    from .plans.sample import add_sample
    from .plans.store import PlanStore
    from .readers import WikiReader

__all__ = [
    "Concept",
    "ConceptChange",
    "Edge",
    "Gathering",
    "ImportedPlan",
    "Lessons",
    "NewChunk",
    "NewConcept",
    "NewPlan",
    "ParsoidNodeParser",
    "Plan",
    "PlanEditor",
    "PlanStore",
    "Progress",
    "Progresses",
    "Sessions",
    "SourceChunk",
    "WikiReader",
    "add_sample",
    "export_questions",
    "plan_from_corpus",
    "read_plan",
    "read_plan_file",
]

__getattr__, __dir__ = lazy_names(__name__)
