"""Language models: how any model is asked so that nothing hangs, and no key is seen.

``settings`` is their table ``[llm]``; ``streaming`` reads an answer under one deadline, ``requests`` holds the
connections that it can cut, ``errors`` says in our words what went wrong, ``keys`` reads the keys from the environment.
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
