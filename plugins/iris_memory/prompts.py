"""The instructions of a language model that answers from the memory."""

from llama_index.core.prompts import BasePromptTemplate

from ragstone.core.answering import answer_prompt

ANSWER = "iris_memory/answer"


def prompts() -> dict[str, BasePromptTemplate]:
    """The plugin's prompt templates by name."""
    return {
        ANSWER: answer_prompt(
            "You answer from an agent's own files: its prompts, notes, logs, and mail from any sender.",
            "the files",
            "Who said something belongs to it.",
            "Where passages contradict each other, say so, with their dates.",
        )
    }
