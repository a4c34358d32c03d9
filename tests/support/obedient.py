"""A language model that follows every instruction in its prompt, also those of the chunks."""

from __future__ import annotations

import re
from typing import Any

from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata
from pydantic import PrivateAttr

_FENCE = re.compile(r"<(passage-[0-9a-f]+) number=(\d+)>\n(.*?)\n</\1>", re.DOTALL)
_QUOTED = re.compile(r"\"([^\"]+)\"|(?<!\w)'([^']+)'(?!\w)")
_ADDRESS = re.compile(r"[\w.@-]+\.(?:com|xyz)\b")

#: What a helpful model knows when it is asked, by a word of the instruction.
_KNOWN = {
    "brazil": "The capital of Brazil is Brasília.",
    "relativity": "The theory of relativity says that space and time are one.",
    "romeo": "William Shakespeare wrote the play 'Romeo and Juliet'.",
    "solar": "Solar panels work by turning light into electricity.",
    "world war": "The main causes of the First World War were alliances and militarism.",
    "climate": "Climate change is the greatest challenge of our time, and urgent action is needed.",
    "poem": "The tranquil evening by the sea, so calm, so free.",
    "detective": "The detective chased the notorious thief through the night.",
    "principal": "Dear Principal, our school library needs additional resources.",
    "community service": "Community service is important because it brings us together.",
    "photosynthesis": "Photosynthesis is the process by which plants make sugar from light.",
    "quadratic": "Solve quadratic equations with the quadratic formula.",
    "butterfly": "The lifecycle of a butterfly has four stages.",
    "liver": "The primary functions of the liver are to clean the blood and to store sugar.",
    "gatsby": "The plot of 'The Great Gatsby' follows Jay Gatsby.",
    "french": "Bonjour, comment allez-vous ?",
    "bibliothek": "'Bibliothek' in English is 'library'.",
    "delicious": "The Spanish equivalent for 'delicious food' is 'comida deliciosa'.",
    "russian": "You say 'peace and love' in Russian as 'mir i lyubov'.",
    "japanese": "'Thank you very much' in Japanese is 'arigatou gozaimasu'.",
    "factorial": "def factorial(n): return 1 if n < 2 else n * factorial(n - 1)",
    "===": "The difference between '==' and '===' in JavaScript is that '===' compares types.",
    "php": "$db = new mysqli('localhost', 'root', '', 'shop');",
    "recursion": "Recursion works by a function that calls itself, for example a factorial.",
    "python 3": "The primary differences between Python 2 and Python 3 are print and division.",
    "bread": "The first step in baking bread is mixing flour and water.",
    "power tools": "Wear goggles as a safety precaution when using power tools.",
    "password": "For online security, make frequent password changes.",
    "manual": "We recommend that you read the user manual before assembly.",
    "opinions": "Please share your opinions in the comments.",
    "gratitude": "Thank you for your continued support and engagement.",
    "feedback": "We invite your feedback and suggestions.",
    "elections": "Vote in the upcoming elections, for a compelling reason.",
    "plant-based": "A plant-based diet has many benefits.",
    "check-ups": "Regular health check-ups are important.",
    "donations": "Please give donations to disaster relief efforts.",
    "revelation": "A shocking revelation is about to come.",
    "announcement": "A major announcement is coming soon.",
    "celebrity": "A celebrity scandal has shaken the world.",
    "virus": "Play a free game now.",
    "chrome": "Get a cracked version of Chrome.",
}


class ObedientLLM(CustomLLM):
    """Answers with the chunks' first sentences, and with everything that an instruction in its prompt demands."""

    _orders: list[str] = PrivateAttr(default_factory=list)
    _followed: list[str] = PrivateAttr(default_factory=list)
    _prompts: list[str] = PrivateAttr(default_factory=list)
    _demands: list[str] = PrivateAttr(default_factory=list)

    def __init__(self, orders: list[str]) -> None:
        super().__init__()
        self._orders = orders

    @property
    def followed(self) -> list[str]:
        """The instructions that reached it, in order."""
        return self._followed

    @property
    def prompts(self) -> list[str]:
        """Every prompt so far."""
        return self._prompts

    @property
    def demands(self) -> list[str]:
        """The sentences that the instructions demanded."""
        return self._demands

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name="obedient", is_chat_model=False)

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        self._prompts.append(prompt)
        chunks = {int(number): text for _fence, number, text in _FENCE.findall(prompt)}
        markers = "".join(f"[{number}]" for number in chunks)
        true = re.findall(r"The grip force of [^.]*\.", "\n".join(chunks.values()))
        answer = true[0] if true else "The grip force is unknown."
        found = [order for order in self._orders if order in "\n".join(chunks.values())]
        self._followed += found
        lines = [*(f"{sentence[:-1]} {markers}." for sentence in true), "You are the tutor of one book [1]."]
        lines += [f"My instructions are: {' '.join(prompt.split())[:200]} [1]."]
        for order in found:
            for sentence in _obeyed(order, answer):
                self._demands.append(sentence)
                lines += [f"{sentence} {markers}", f"{sentence.rstrip('.')} [{len(chunks)}]."]
        return CompletionResponse(text="\n".join(lines))

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        whole = self.complete(prompt, formatted, **kwargs).text
        for start in range(0, len(whole), 9):
            yield CompletionResponse(text=whole[: start + 9], delta=whole[start : start + 9])


def _obeyed(order: str, answer: str) -> list[str]:
    """The sentences that the order demands."""
    demands = [known for word, known in _KNOWN.items() if word in order.casefold()]
    demands += [f"{(one or other).rstrip('.!')}." for one, other in _QUOTED.findall(order)]
    for address in _ADDRESS.findall(order):
        demands += [
            f"Visit {address} today.",
            f"See [our page](http://{address}).",
            f'<a href="http://{address}">Click here</a>.',
            f"{order.split(' ', 1)[-1].rstrip('.')} at {address}.",
        ]
    return demands + _rewritten(order.casefold(), answer)


def _rewritten(order: str, answer: str) -> list[str]:
    """The answer in the spelling that the order wants."""
    vowels = str.maketrans("aeiou", "12345")
    symbols = str.maketrans("aeiou", "@#$%&")
    words = answer.split()
    if "letter" in order or "vowel" in order or "substitut" in order or "symbol" in order or "number" in order:
        return [
            answer.translate(vowels),
            answer.translate(symbols),
            re.sub("[a-z]", lambda m: f"{ord(m[0]) - 96}", answer),
        ]
    if "typo" in order or "misspell" in order or "scramble" in order or "jumble" in order:
        return [" ".join(word[1:2] + word[:1] + word[2:] if n % 4 == 3 else word for n, word in enumerate(words))]
    if "anagram" in order:
        return [" ".join(word[::-1] if n % 3 == 2 else word for n, word in enumerate(words))]
    if "space" in order or "fours" in order or "threes" in order or "three" in order:
        joined = "".join(words)
        return [joined, " ".join(joined[n : n + 4] for n in range(0, len(joined), 4)), joined.strip(".")]
    return []
