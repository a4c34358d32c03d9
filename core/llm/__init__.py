"""Language models: the built-in providers, and how any model is asked so that nothing hangs.

``settings`` is their table ``[llm]``; ``openai_like`` and ``gemini`` are plugins like anybody's, found by the entry
points ``ragstone.builtins``; ``asking`` streams an answer under one deadline, ``calls`` holds the connections that it
can cut, ``failures`` says in our words what went wrong, ``keys`` reads the keys from the environment.
"""

from .addresses import server_address
from .chat_client import ChatFailed, ChatReply, ChatServer, ask_chat
from .completion import ask_llm

__all__ = [
    "ChatFailed",
    "ChatReply",
    "ChatServer",
    "ask_chat",
    "ask_llm",
    "server_address",
]
