"""The prompt templates: answers from the encyclopedia, and the planner's."""

from llama_index.core.prompts import BasePromptTemplate

from ragstone.core.answering import answer_prompt

ANSWER = "wiki_edge/answer"


def prompts() -> dict[str, BasePromptTemplate]:
    """The plugin's prompt templates by name."""
    from .planner.prompt import planner_prompts

    return {ANSWER: answer_prompt("You answer from an encyclopedia.", "the encyclopedia"), **planner_prompts()}
