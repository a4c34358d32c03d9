"""Greetings, thanks, and questions to the assistant itself, such as "Who are you?": they need no search."""

from __future__ import annotations

import re
from collections.abc import Sequence

_GREETING = re.compile(
    r"\W*(?:hello|hi|hey|good (?:morning|afternoon|evening|day)|greetings)(?: (?:there|everyone|you|all))?\W*",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"\W*(?:(?:no[, ]+|many )?(?:thanks|thank you)|thx|cheers|great|ok(?:ay)?|perfect|nice|got it|(?:good)?bye"
    r"|never ?mind|that(?:['’]s| is| was) (?:all|it))"
    r"(?:[ ,]+(?:a lot|so much|very much|again|thanks|thank you|bye))*\W*",
    re.IGNORECASE,
)
_A_PROGRAM = (
    r"(?:an? |the )?(?:real |actual )?(?:ai|bot|chat ?bot|chat ?gpt|gpt|robot|human(?: being)?|person|machine|program"
    r"|computer|assistant|(?:large )?language model|llm|real|alive)"
)
_HAS = r"(?:topics|subjects|questions|things|sort of questions|kinds? of questions)"
_HERE = r"(?: (?:here|there|for (?:me|us)|about|with))?"
#: "Who are you?", "Are you a robot?", "How do you know?", "What can you do?", "Can you help me?"
_OF_ASSISTANT = re.compile(
    rf"\W*(?:(?:so |and |but |ok |please )?(?:(?:who|what)(?: exactly)? are you(?: exactly| for)?"
    rf"|(?:are|aren['’]t) you {_A_PROGRAM}(?: or {_A_PROGRAM})?"
    rf"|am i (?:talking|speaking|chatting) (?:to|with) {_A_PROGRAM}"
    r"|what(?: is|['’]s) your name|do you have a name|introduce yourself|tell me about yourself"
    r"|who (?:made|built|created|programmed|runs) you"
    r"|how do you (?:work|know(?: (?:that|this|it|all (?:that|this)))?)|can i trust you"
    r"|what (?:are|is) your sources?|where do (?:your answers come from|you get your (?:answers|information|knowledge))"
    r"|help(?: me)?|(?:can|could|will|would) you (?:please )?help(?: me| us)?|how can you help(?: me| us)?"
    rf"|(?:what|how) can (?:i|we|one) ask(?: you)?(?: about)?|what (?:can|do|could) you (?:do|know|offer|cover|answer)"
    rf"|(?:what|which) {_HAS} (?:can|do) (?:you|i|we) (?:cover|know|answer|ask)(?: you)?"
    r"|what is this|what is this (?:assistant|site|website|page|bot|chat|app|tool|program)(?: for| about)?)"
    rf"{_HERE}(?:,? please)?)\W*",
    re.IGNORECASE,
)


def is_greeting(question: str) -> bool:
    """Whether it is "hello" or "thanks", and no question on a source."""
    return bool(_GREETING.fullmatch(question) or _THANKS.fullmatch(question))


def is_of_assistant(question: str) -> bool:
    """Whether it asks who the assistant is, how it knows, or what can be asked, and nothing of a source."""
    return bool(_OF_ASSISTANT.fullmatch(question))


def reply_to_greeting(greeting: str, askable: str) -> str:
    """The reply to it, and a sentence on what can be asked."""
    return f"{'You are welcome' if _THANKS.fullmatch(greeting) else 'Hello'}. {askable}"


def introduction(title: str, description: str, askable: str) -> str:
    """What the assistant is, in its own description, and a sentence on what can be asked."""
    return f"This is “{title}”, a program. {description} {askable}"


def what_can_be_asked(examples: Sequence[str]) -> str:
    """A sentence with two of the examples."""
    quoted = str.maketrans("“”", "‘’")
    asked = " ".join(f"“{example.translate(quoted)}”" for example in examples[:2])
    return f"You can ask, for example: {asked}" if asked else "What would you like to know?"
