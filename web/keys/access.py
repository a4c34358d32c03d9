"""Access: the interfaces, assistants and books that a request may use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

#: Interfaces that a key can be for: ``web`` is the pages and the JSON that they use.
INTERFACES = ("web", "openai", "mcp")


@dataclass(frozen=True)
class Access:
    """What a key is for; ``None`` means all, also those that are added later."""

    interfaces: frozenset[str] | None = None
    assistants: frozenset[str] | None = None
    books: frozenset[str] | None = None
    #: Id of the key; empty where none was needed.
    key: str = field(default="", compare=False)
    #: The documents that may be read, by their metadata; see ``QuestionFilters.scope``.
    scope: Mapping[str, frozenset[str]] | None = field(default=None, compare=False)

    def opens(self, interface: str) -> bool:
        return self.interfaces is None or interface in self.interfaces

    def may_ask(self, *assistants: str) -> bool:
        """Whether all of these may be asked; of none at all, whether every assistant may be."""
        return self.assistants is None or (bool(assistants) and self.assistants.issuperset(assistants))


EVERYTHING, NOTHING = Access(), Access(frozenset(), frozenset())
#: Key of the app's extensions under which is what a request without a key may use.
WITHOUT_KEY = "ragstone.without_key"


def access() -> Access:
    """Return what the current request may use; everything, where no key is needed."""
    from flask import current_app, g, has_request_context  # commands have keys too, and need no Flask

    if not has_request_context():
        return EVERYTHING
    found: Access = g.get("ragstone_access") or current_app.extensions.get(WITHOUT_KEY, EVERYTHING)
    return found
