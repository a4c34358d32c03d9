"""A conversation that a page's form carries along."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import BadRequest, RagstoneError
from ..retrieval.follow_up import Turn
from ..runtime import parse_json
from .answer import Answer, Citation
from .assistant import Assistant
from .question import Question

#: Earlier turns with which a follow-up is read, and characters of the answer of one.
_MOST_TURNS, _LONGEST_TURN = 8, 4_000


@dataclass(frozen=True)
class Exchange:
    """A question of a conversation with its answer, or with the problem details of what went wrong."""

    question: str
    answer: Answer | None = None
    problem: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Conversation:
    """A conversation whose earlier turns a page's form carries along: follow-ups need no JavaScript and no storage."""

    exchanges: tuple[Exchange, ...] = ()
    #: The HTTP status of the page.
    status: int = 200

    @classmethod
    def ask(cls, assistant: Assistant, fields: Mapping[str, str], filters: Mapping[str, str]) -> Conversation:
        """Ask the field ``q``, if it holds anything, after the turns in the field ``history``.

        What goes wrong with the question is in its exchange. Raises ``BadRequest`` for a history of another form.
        """
        earlier, question = _carried(assistant, fields.get("history", "")), fields.get("q", "").strip()
        if not question:
            return cls(earlier)
        asked = [(each.question, each.answer) for each in earlier if each.answer][-_MOST_TURNS:]
        history = tuple(Turn(before, "" if answer.refused else answer.text[:_LONGEST_TURN]) for before, answer in asked)
        try:
            answer = assistant.ask(Question(question, filters=filters, history=history))
        except RagstoneError as error:
            problem = error.to_problem() | {"detail": error.to_reader()}
            return cls((*earlier, Exchange(question, problem=problem)), error.status)
        return cls((*earlier, Exchange(question, answer)))

    @property
    def carried(self) -> str:
        """The answered turns as the field ``history`` of the page's form."""
        answered = [(each.question, each.answer) for each in self.exchanges if each.answer]
        return json.dumps([{"question": question, "answer": answer.to_dict()} for question, answer in answered[-20:]])


def _carried(assistant: Assistant, text: str) -> tuple[Exchange, ...]:
    """Read the field ``history``. It is untrusted input: a page shows its words as text, and its addresses checked."""
    form = assistant.profile.citations

    def citation(known: dict[str, Any]) -> Citation:
        fields = {name: value for name, value in known.items() if name not in {"n", "chunk_id", "url", "quote", "note"}}
        words = {name: str(known.get(name) or "") for name in ("chunk_id", "quote", "url", "note")}
        return Citation(int(known["n"]), fields=fields, place=form.place(fields), **words)

    def answer(known: dict[str, Any]) -> Answer:
        cited = tuple(citation(each) for each in known["citations"])
        return Answer(str(known["answer"]), cited, bool(known["refused"]), bool(known["closest"]))

    try:
        turns = parse_json(text or "[]")[-20:]
        return tuple(Exchange(str(turn["question"]), answer(turn["answer"])) for turn in turns)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadRequest("the earlier questions cannot be read", hint="begin a new conversation") from error
