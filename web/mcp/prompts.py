"""The prompts of MCP: each assistant's question for the client's own model, and the templates of plugins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mcp_types as types
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.prompts import BasePromptTemplate

from ragstone.core import Assistant, BadRequest, Host, NotFound, Question
from ragstone.core.answering import ChunkPrompt

from ..keys.access import Access
from .content import contents_of

#: As many as a client may be sent.
_MOST_COMPLETIONS = 100


def prompts(host: Host, access: Access) -> list[types.Prompt]:
    """The prompts that ``access`` allows."""
    found = [_of_assistant(made) for made in _assistants(host, access).values()]
    for name, template in _templates(host, access).items():
        described = str(template.metadata["description"])
        required = [types.PromptArgument(name=each, required=True) for each in dict.fromkeys(template.template_vars)]
        found.append(types.Prompt(name=name, description=described, arguments=required))
    return found


def prompt(host: Host, access: Access, name: str, arguments: Mapping[str, str]) -> list[types.PromptMessage]:
    """The messages of a prompt. Raises ``NotFound``, ``BadRequest``, and what retrieval raises."""
    if assistant := _assistants(host, access).get(name):
        return _messages(_question(host, assistant, arguments))
    template = _templates(host, access).get(name)
    if template is None:
        raise NotFound(f"there is no prompt {name[:80]!r}")
    variables = dict.fromkeys(template.template_vars)
    if wrong := sorted(variables.keys() ^ arguments.keys()):
        known = ", ".join(variables) or "none"
        raise BadRequest(f"the argument {wrong[0][:80]!r} is missing or unknown", hint=f"known: {known}")
    given: dict[str, Any] = dict(arguments)
    return _messages(template.format_messages(**given))


def completions(host: Host, access: Access, argument: types.CompletionArgument, prompt: str | None) -> list[str]:
    """The values that an argument can have and that begin with what is typed; ``prompt``: ``None`` for a chunk."""
    reachable = {name: assistant for name, assistant in host.hooks.assistants.items() if access.may_ask(name)}
    values: tuple[str, ...] = ()
    if prompt is None and argument.name == "assistant":
        values = tuple(name for name, assistant in reachable.items() if assistant.has_chunks)
    elif prompt in reachable and argument.name == "question":
        values = reachable[prompt].examples
    elif prompt in reachable and argument.name in (filters := reachable[prompt].profile.filters.by_name):
        values = filters[argument.name].choices
    typed = argument.value.casefold()
    return [value for value in values if value.casefold().startswith(typed)][:_MOST_COMPLETIONS]


def _assistants(host: Host, access: Access) -> dict[str, Assistant]:
    """The assistants that may be asked and whose template some plugin gives; without a model they do without."""
    given = host.hooks.assistants.items()
    return {name: each for name, each in given if access.may_ask(name) and each.profile.prompt in host.hooks.prompts}


def _templates(host: Host, access: Access) -> dict[str, BasePromptTemplate]:
    """The templates that plugins give for people: those with a description. No plugin's name is known of them."""
    if not access.may_ask(*host.hooks.assistants):
        return {}
    given, own = host.hooks.prompts.items(), host.hooks.assistants
    return {name: each for name, each in given if each.metadata.get("description") and name not in own}


def _of_assistant(assistant: Assistant) -> types.Prompt:
    question = types.PromptArgument(name="question", description="What to ask", required=True)
    filters = assistant.profile.filters.by_name.items()
    return types.Prompt(
        name=assistant.name,
        title=f"Ask {assistant.title} with your own model",
        description=f"{assistant.description} Gives your model the question, the passages and the rules of citing.",
        arguments=[question, *(types.PromptArgument(name=name, description=each.help) for name, each in filters)],
    )


def _question(host: Host, assistant: Assistant, arguments: Mapping[str, str]) -> list[ChatMessage]:
    """The request that a language model of the host's own would get. A refused question gets to no model."""
    given = {name: value for name, value in arguments.items() if value}  # a form sends what was left empty
    question = Question.from_json(given, filters=assistant.profile.filters.by_name)
    found, verdict = assistant.retrieve_for(question)
    if verdict != "answered":
        raise NotFound(assistant.profile.refusal(question.filters))
    return ChunkPrompt(found, host.hooks.prompts[assistant.profile.prompt], host.settings.llm).messages


def _messages(given: list[ChatMessage]) -> list[types.PromptMessage]:
    """One message for each block; MCP knows no system's."""

    def role(message: ChatMessage) -> Any:
        return "assistant" if message.role == MessageRole.ASSISTANT else "user"

    blocks = [(role(message), content) for message in given for content in contents_of(message.blocks)]
    return [types.PromptMessage(role=who, content=content) for who, content in blocks]
