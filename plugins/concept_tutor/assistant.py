"""The assistant ``concept_tutor``: its profile, its refusals and its citations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragstone.core import Assistant, CitationFormat, NotFound, Profile, QuestionFilter
from ragstone.core.answering import EmptyState

from .plans import NAME
from .plans.addresses import PAGES, page_address
from .plans.corpus import corpus_of
from .plans.store import PlanStore
from .prompts import CHAT
from .settings import ConceptTutorSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from llama_index.core.schema import BaseNode

    from ragstone.core import Host

#: What a citation shows of its passage, in this order.
_FIELDS = ("page_title", "section", "source", "licence", "revision", "plan")
_LEARNER = re.compile(r"[\w.@-]{1,64}")
_SAMPLE = "elementary-statistics"
_SAMPLE_QUESTIONS = (
    "What does a confidence interval say?",
    "When are the mean and the median far apart?",
    "What should I practise?",
)


def assistant(host: Host) -> Assistant:
    """The assistant ``concept_tutor`` over all study plans of the host."""

    def refusal(filters: Mapping[str, str]) -> str:
        plans = [
            size.plan for size in host.once(PlanStore).plans() if filters.get("plan", size.plan.slug) == size.plan.slug
        ]
        if not plans:
            return "There is no study plan yet: make one at /concept_tutor/, or with ragstone tutor plan add."
        named = f"the plan “{plans[0].title}”" if len(plans) == 1 else "your study plans"
        return f"The sources of {named} do not answer this. I explain only what they contain."

    def conditions(filters: Mapping[str, str]) -> Mapping[str, str | tuple[str, ...]]:
        if (slug := filters.get("plan")) is not None:
            host.once(PlanStore).plan(slug)  # raises NotFound
        if (learner := filters.get("learner")) is not None and not _LEARNER.fullmatch(learner):
            raise NotFound("there is no such learner", hint="a name has 1 to 64 letters, digits and . _ - @")
        return dict(filters)

    def examples() -> tuple[str, ...]:
        plans = host.once(PlanStore).plans()
        if not plans:
            return ()
        if plans[0].plan.slug == _SAMPLE:
            return _SAMPLE_QUESTIONS
        found = [each for each in host.once(PlanStore).concepts(plans[0].plan.slug) if each.state == "found"]
        return tuple(f"What is “{each.name[:60]}”?" for each in found[:2]) + (
            ("What should I practise?",) if found else ()
        )

    def empty() -> EmptyState | None:
        words = "There is no study plan yet. Make one from a list of concepts, a wiki page or a file."
        return None if host.once(PlanStore).plans() else EmptyState(words, f"{PAGES}/", "Make a plan")

    return Assistant(
        host,
        corpus_of(host),
        Profile(
            name=NAME,
            title="Concept tutor",
            description="Study plans whose every question and explanation is proved by a page that you can open.",
            citations=CITATIONS,
            refusal=refusal,
            prompt=CHAT,
            examples=examples,
            empty=empty,
            filters={
                "plan": QuestionFilter("slug of one study plan; see ragstone tutor plan list; default: all"),
                "learner": QuestionFilter("whose last answers are meant by “my answer”"),
            },
            conditions=conditions,
            top_k=host.options(ConceptTutorSettings).top_k,
            page=f"{PAGES}/",
        ),
    )


def _url(node: BaseNode) -> str:
    return page_address(str(node.metadata.get("url") or ""), node.node_id)


#: What the citations of the chat, and the sources of questions, have.
CITATIONS = CitationFormat(_FIELDS, url=_url, title="page_title", parts=("section",))
