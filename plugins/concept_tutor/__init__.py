"""Concept tutor: study plans whose questions and explanations are proved by pages that one can open."""

from typing import TYPE_CHECKING

from ragstone.core.runtime import lazy_names

if TYPE_CHECKING:
    from .learning.lessons import Lessons
    from .mediawiki.gathering import Gathering, Progress
    from .mediawiki.wikis import Wikis
    from .plans.corpus import add_plan, update_corpus
    from .plans.graph import study_order
    from .plans.importers import ImportedPlan, read_plan, read_plan_file
    from .plans.importers.export import export_plan
    from .plans.importers.llm import plan_by_model
    from .plans.importers.wiki_page import plan_from_page
    from .plans.records import Concept, Edge, NewChunk, NewConcept, NewPlan, Plan, SourceChunk
    from .plans.sample import add_sample
    from .plans.store import PlanStore

__all__ = [
    "Concept",
    "Edge",
    "Gathering",
    "ImportedPlan",
    "Lessons",
    "NewChunk",
    "NewConcept",
    "NewPlan",
    "Plan",
    "PlanStore",
    "Progress",
    "SourceChunk",
    "Wikis",
    "add_plan",
    "add_sample",
    "export_plan",
    "plan_by_model",
    "plan_from_page",
    "read_plan",
    "read_plan_file",
    "study_order",
    "update_corpus",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "learning.lessons": "Lessons",
        "mediawiki.gathering": "Gathering Progress",
        "mediawiki.wikis": "Wikis",
        "plans.corpus": "add_plan update_corpus",
        "plans.graph": "study_order",
        "plans.importers": "ImportedPlan read_plan read_plan_file",
        "plans.importers.export": "export_plan",
        "plans.importers.llm": "plan_by_model",
        "plans.importers.wiki_page": "plan_from_page",
        "plans.records": "Concept Edge NewChunk NewConcept NewPlan Plan SourceChunk",
        "plans.sample": "add_sample",
        "plans.store": "PlanStore",
    },
)
