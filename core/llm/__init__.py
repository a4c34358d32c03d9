"""Language models: requests with a deadline, and keys that appear in no log, error or answer.

``settings`` is the table ``[llm]``; ``streaming`` reads a reply under one deadline, ``requests`` opens connections that
can be cut, ``errors`` translates the errors of SDKs, ``keys`` reads the keys from the environment.
"""

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .chat_client import ChatFailed, ChatReply, ChatServer, ask_chat
    from .settings import server_address
    from .streaming import ask_llm

__all__ = [
    "ChatFailed",
    "ChatReply",
    "ChatServer",
    "ask_chat",
    "ask_llm",
    "server_address",
]

__getattr__, __dir__ = lazy_names(__name__)
