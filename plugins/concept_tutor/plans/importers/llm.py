"""A plan for a topic by the deployment's language model; its reply is untrusted, and checked like a file."""

from __future__ import annotations

import re

from ragstone.core import BadRequest, Host, LLMError
from ragstone.core.llm import ask_llm
from ragstone.core.text import escape_fences

from ...prompts import PLAN
from .assembly import ImportedPlan
from .formats import read_plan

_LONGEST_TOPIC = 500
_LEAST, _MOST = 2, 60
_FENCED = re.compile(r"```(?:json)?\s*+(.*?)```", re.DOTALL)
_AGAIN = """{prompt}

Your last answer could not be used: {fault}
Answer again with the whole JSON object, and nothing else."""


def plan_by_model(host: Host, topic: str, *, most: int, title: str) -> ImportedPlan:
    """A plan of at most ``most`` concepts. What cannot be used is asked for once more, with what was wrong.

    Raises ``LLMError``, without a language model as well, and ``BadRequest`` for a topic that is none.
    """
    topic = " ".join(topic.split())
    if not topic or len(topic) > _LONGEST_TOPIC or not _LEAST <= most <= _MOST:
        raise BadRequest(f"a topic has 1 to {_LONGEST_TOPIC} characters, and its plan {_LEAST} to {_MOST} concepts")
    prompt = host.hooks.prompts[PLAN].format(topic=escape_fences(topic), most=str(most))
    fault = ""
    for asked in (prompt, None):
        reply = ask_llm(host.hooks.llm, host.settings.llm, asked or _AGAIN.format(prompt=prompt, fault=fault))
        try:
            return _read(reply, topic, most, title)
        except BadRequest as error:
            fault = str(error)[:500]
    raise LLMError(f"the language model gave no plan that can be used: {fault}", hint="try again, or write it yourself")


def _read(reply: str, topic: str, most: int, title: str) -> ImportedPlan:
    fenced = _FENCED.search(reply)
    text = (fenced[1] if fenced else reply[reply.find("{") : reply.rfind("}") + 1]) or reply
    made = read_plan(text, format="json", title=title, where="its answer", otherwise=topic[:200])
    if made.sources:
        raise BadRequest("it gives sources, which only the wikis do")
    if len(made.plan.concepts) > most:
        raise BadRequest(f"it has {len(made.plan.concepts)} concepts, and {most} were asked for at most")
    return made
