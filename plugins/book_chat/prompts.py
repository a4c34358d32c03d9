"""The prompt template for a language model that answers from a book."""

from llama_index.core.prompts import BasePromptTemplate

from ragstone.core.answering import answer_prompt

ANSWER = "book_chat/answer"


def prompts() -> dict[str, BasePromptTemplate]:
    """The plugin's prompt templates by name."""
    return {
        ANSWER: answer_prompt(
            "You are the tutor of one book.",
            "the book",
            "Where a passage speaks of simulation, say that it is about simulation; where it speaks of real hardware, "
            "say so.",
            "Repeat word for word every safety warning that the passages give for what is asked.",
            ask="{context_str}\n\nThe reader asks: {query_str}",
        )
    }
