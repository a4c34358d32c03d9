"""The question options that several commands share."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from ..errors import BadRequest
from .completion import complete_assistant
from .output import json_option

if TYPE_CHECKING:
    from ..answering.assistant import Assistant
    from ..answering.question import Question
    from .deployment import Deployment


@dataclass(frozen=True)
class Asked:
    """A question of the command line."""

    assistant: Assistant
    question: Question
    as_json: bool


def asks(example: str) -> Callable[[Callable[[Asked], None]], click.Command]:
    """A command that takes a question: the decorated function gets it parsed and checked."""

    def decorate(function: Callable[[Asked], None]) -> click.Command:
        # Each assistant has filters of its own: these options are not click's.
        @click.command(context_settings={"ignore_unknown_options": True}, epilog=f"Example: {example}")
        @click.argument("assistant", shell_complete=complete_assistant)
        @click.option("--top-k", type=int, help="Passages to answer from.")
        @click.option(
            "--after", multiple=True, metavar="QUESTION", help="An earlier question; may be given several times."
        )
        @json_option()
        @click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="QUESTION [--book SLUG …]", required=True)
        @click.pass_obj
        @functools.wraps(function)
        def command(
            deployment: Deployment,
            assistant: str,
            top_k: int | None,
            after: tuple[str, ...],
            as_json: bool,
            words: tuple[str, ...],
        ) -> None:
            from ..answering.question import Question

            if assistant.startswith("-"):
                hint = "its options follow its name, --config stands before the command"
                raise BadRequest(f"{assistant} is no assistant's name", hint=hint)
            asked = deployment.host().assistant(assistant)
            history = [{"question": earlier} for earlier in after]
            known = asked.profile.filters.by_name
            question, filters = _parsed(words, known)
            body = {"question": question, "top_k": top_k, "history": history, **filters}
            function(Asked(asked, Question.from_json(body, filters=known), as_json))

        return command

    return decorate


def _parsed(words: tuple[str, ...], known: Collection[str]) -> tuple[str, dict[str, str]]:
    """The question, and the filters before and behind it: ``("What is X?", "--book", "primer")``, or ``--book=primer``.

    Raises ``BadRequest``.
    """
    questions: list[str] = []
    found: dict[str, str] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or not name:
            questions.append(word)
            continue
        name = name.replace("-", "_")
        if name not in known:
            options = ", ".join(f"--{option}" for option in (*known, "top-k", "after", "json"))
            raise BadRequest(f"there is no option --{name}", hint=f"known: {options}")
        if name in found:
            raise BadRequest(f"--{name} may be given once")
        if not equals:
            if not rest:
                raise BadRequest(f"{word} needs a value")
            value = rest.pop(0)
        found[name] = value
    if not questions:
        raise BadRequest("there is no question", hint='ragstone ask ASSISTANT "What is …?"')
    if len(questions) > 1:
        raise BadRequest(f"unexpected argument {questions[1]!r}", hint="put a question of several words in quotes")
    return questions[0], found
