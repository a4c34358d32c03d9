"""Questions about a study plan as a whole, and about a concept's place in it, answered from the plan's own graph."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragstone.core.answering import Overview
from ragstone.core.text import WORKS, counted, listed, quoted_title, stems

from .plans.concept_names import concepts_named
from .plans.graph import needs_and_leads, study_order

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .plans.records import Plan
    from .plans.store import PlanStore

_PLAN = rf"(?:this|the|that|my|your)(?: study)? (?:plan|curriculum|{WORKS})"
_I = r"(?:i|we|you|one)"
_CONTENTS = re.compile(
    rf"^\W*(?:what(?:['’]s| is| does| do)? {_PLAN}(?: is)? (?:all )?(?:about|cover|contain|teach|treat)"
    r"|(?:what|which|list the|list all|show the|show me the|how many) (?:concepts|topics|subjects)"
    rf"(?: (?:are|does|do|has))?(?: there| you)?(?: (?:in |of )?{_PLAN})?(?: (?:have|has|cover|contain|teach|know))?"
    rf"|what (?:will|can|do|would) {_I} learn(?: (?:here|(?:in|from|with) {_PLAN}))?"
    rf"|(?:summari[sz]e|describe|explain|outline|overview of|tell me about) {_PLAN})\W*$",
    re.IGNORECASE,
)
_FIRST = re.compile(
    rf"^\W*(?:(?:what|which concept|where) (?:should|do|can|must|shall) {_I} (?:(?:learn|study|do|read) first"
    rf"|(?:start|begin)(?: with)?)|what comes first"
    rf"|(?:in )?(?:what|which) order (?:should|do|must|shall|is|are) .{{1,60}})\W*$",
    re.IGNORECASE,
)
_QUIZ = re.compile(
    r"^\W*(?:please )?(?:quiz me|test me|(?:ask|give) me (?:a|some|another|the next) questions?"
    r"|let(?:['’]s| us|s) practi[sc]e|(?:start|begin) (?:a|the|my) (?:lesson|session|quiz))\b.{0,60}$",
    re.IGNORECASE,
)
_LEARN = r"(?:know|learn|understand|study)(?:ing)?"
_BEFORE = re.compile(
    rf"^\W*(?:what (?:do|must|should) {_I} (?:have to |need to )?{_LEARN} (?:first )?(?:before|for|to {_LEARN})"
    rf"(?: {_I} (?:can )?)?(?: ?(?:{_LEARN}|starting))?|(?:what are |list )?(?:the )?prerequisites (?:of|for)"
    rf"|what (?:comes|do {_I} {_LEARN}) before|what is (?:needed|required) (?:for|to {_LEARN})) (?P<a>.{{2,100}}?)\W*$"
    rf"|^\W*what does (?P<b>.{{2,100}}?) (?:need|require|depend on|build on)\W*$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    rf"^\W*(?:what (?:comes|follows|(?:do|can|should) {_I} {_LEARN}) after|(?:what|why) do {_I} need"
    rf"|why (?:must|should|do) {_I} (?:have to )?{_LEARN}) (?P<a>.{{2,100}}?)(?: for)?\W*$"
    r"|^\W*what (?:is (?P<b>.{2,100}?) (?:needed|necessary|required) for|does (?P<c>.{2,100}?) lead to)\W*$",
    re.IGNORECASE,
)


def overview(store: PlanStore, question: str, filters: Mapping[str, str]) -> Overview | None:
    """What the plan has, with what to begin, where its questions are asked, or what a concept needs and is needed for;
    ``None`` for other questions, and for concepts that no plan has."""
    about = next((pattern for pattern in (_CONTENTS, _FIRST, _QUIZ) if pattern.match(question)), None)
    before, after = _BEFORE.match(question), _AFTER.match(question)
    if not (about or before or after):
        return None
    plans = [size.plan for size in store.plans() if filters.get("plan", size.plan.slug) == size.plan.slug]
    if concept := before or after:
        name = next(filter(None, concept.groups()))
        places = (_place(store, plan, name, is_before=before is not None) for plan in plans)
        return next((place for place in places if place), None)
    if not plans:
        return None
    if len(plans) > 1:
        titles = listed(plan.title for plan in plans)
        return Overview(f"There are {counted(plan=len(plans))}: {titles}. Choose one to ask about it.", ())
    (plan,) = plans
    if about is _QUIZ:
        how = f"choose Learn on the plan's page, or run ragstone tutor learn {plan.slug}"
        return Overview(f"Questions on {quoted_title(plan.title)} are asked in a session: {how}.", ())
    return _of_plan(store, plan, is_first=about is _FIRST)


def _of_plan(store: PlanStore, plan: Plan, *, is_first: bool) -> Overview:
    concepts, edges = store.concepts(plan.slug), store.edges(plan.slug)
    names = {one.key: one.name for one in concepts}
    order = study_order([*names], edges)
    needs, _ = needs_and_leads(edges)
    if is_first:
        first = listed(names[key] for key in order if not needs[key])
        return Overview(f"Begin {quoted_title(plan.title)} with what needs nothing before it: {first}.", ())
    in_order = listed(names[key] for key in order)
    return Overview(
        f"{quoted_title(plan.title)} has {counted(concept=len(names))}, in an order to learn them: {in_order}.", ()
    )


def _place(store: PlanStore, plan: Plan, name: str, *, is_before: bool) -> Overview | None:
    """What the concept with that name needs, or what needs it; ``None`` where the plan has no such concept."""
    concepts = store.concepts(plan.slug)
    concept = next((one for one in concepts_named(name, concepts) if set(stems(name)) <= set(stems(one.name))), None)
    if concept is None:
        return None
    names = {one.key: one.name for one in concepts}
    pairs = ((edge.concept, edge.prerequisite, edge.reason) for edge in store.edges(plan.slug))
    ends = (pair if is_before else (pair[1], pair[0], pair[2]) for pair in pairs)
    beside = [f"{names[end]} ({why})" if why else names[end] for start, end, why in ends if start == concept.key]
    if not beside:
        missing = "needs nothing before it" if is_before else "is needed for nothing else"
        return Overview(f"{quoted_title(concept.name)} {missing} in {quoted_title(plan.title)}.", ())
    what = "needs" if is_before else "is needed for"
    return Overview(f"{quoted_title(concept.name)} {what} {counted(concept=len(beside))}: {listed(beside)}.", ())
