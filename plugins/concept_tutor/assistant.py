"""The assistant ``concept_tutor``: its profile, its refusals and its citations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ragstone.core import Assistant, CitationFormat, Host, NotFound, Profile, QuestionFilter
from ragstone.core.answering import AssistantPaths, EmptyState, QuestionFilters

from .learning.records import ME, is_learner
from .overview import overview
from .plans import NAME, PAGES, corpus_of, page_address
from .prompts import CHAT
from .settings import ConceptTutorSettings

if TYPE_CHECKING:
    from llama_index.core.schema import BaseNode

    from .plans.store import PlanStore

#: What a citation shows of its chunk, in this order.
_FIELDS = ("page_title", "section", "source", "licence", "revision", "plan")
_SAMPLE = "elementary-statistics"
_SAMPLE_QUESTIONS = (
    "What does a confidence interval say?",
    "When are the mean and the median far apart?",
    "What should I practise?",
)


_FILTERS = {
    "plan": QuestionFilter("slug of one study plan; see ragstone tutor plan list; default: all"),
    "learner": QuestionFilter("whose last answers are meant by “my answer”"),
}


def assistant(host: Host, plan: str | None = None, learner: str = ME) -> Assistant:
    """The assistant ``concept_tutor`` over all study plans of the host.

    ``plan``, ``learner``: whose questions it offers to begin with.
    """

    def store() -> PlanStore:
        from .plans.store import PlanStore  # with its tables

        return host.once(PlanStore)

    def refusal(filters: Mapping[str, str]) -> str:
        plans = [size.plan for size in store().plans() if filters.get("plan", size.plan.slug) == size.plan.slug]
        if not plans:
            return "There is no study plan yet: make one at /concept_tutor/, or with ragstone tutor plan add."
        named = f"the plan “{plans[0].title}”" if len(plans) == 1 else "your study plans"
        return f"The sources of {named} do not answer this. I explain only what they contain."

    def conditions(filters: Mapping[str, str]) -> Mapping[str, str | tuple[str, ...]]:
        if (slug := filters.get("plan")) is not None:
            store().plan(slug)  # raises NotFound
        if (learner := filters.get("learner")) is not None and not is_learner(learner):
            raise NotFound("there is no such learner", hint="a name has 1 to 64 letters, digits, blanks and . _ - @")
        return dict(filters)

    def examples() -> tuple[str, ...]:
        plans = [size.plan.slug for size in store().plans()]
        slug = plan or next(iter(plans), None)
        if slug is None:
            return ()
        from .learning.lessons import Lessons

        lessons = host.once(Lessons)
        concepts = {each.key: each for each in store().concepts(slug) if each.state == "found"}
        if not concepts:
            return ()
        last = lessons.last(slug, learner, most=1)
        missed = ("Why was my answer wrong?",) if last and last[0].verdict == "wrong" else ()
        if slug == _SAMPLE and not last:
            return _SAMPLE_QUESTIONS
        # what is known least is asked first: the weakest, then what comes next
        keys = [each.concept for each in lessons.weakest(slug, learner, most=len(concepts)) if each.concept in concepts]
        named = [concepts[key].name[:60] for key in (keys or list(concepts))[: 3 - len(missed)]]
        return (*missed, *(f"What is “{name}”?" for name in named), "What should I practise?")

    def chunk(chunk_id: str) -> BaseNode:
        node = corpus_of(host).contents.node(chunk_id)
        store().plan(node.metadata["plan"])  # raises NotFound where the request may not read its books
        return node

    def empty() -> EmptyState | None:
        words = "There is no study plan yet. Make one from a list of concepts, a wiki page or a file."
        return None if store().plans() else EmptyState(words, f"{PAGES}/", "Make a plan")

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
            overview=lambda question, filters, _earlier: overview(store(), question, filters),
            filters=QuestionFilters(_FILTERS, conditions),
            chunk=chunk,
            top_k=host.hooks.options(ConceptTutorSettings).top_k,
            paths=AssistantPaths(page=f"{PAGES}/"),
        ),
    )


#: What the citations of the chat, and the sources of questions, have.
CITATIONS = CitationFormat(
    _FIELDS,
    url=lambda node: page_address(str(node.metadata.get("url") or ""), node.node_id),
    title="page_title",
    parts=("section",),
)
