"""What a request may reach."""

from __future__ import annotations

from dataclasses import dataclass

#: Ways in that a key can be for: ``web`` is the pages and the JSON that they use.
DOORS = ("web", "openai", "mcp")


@dataclass(frozen=True)
class Access:
    """What a key opens; ``None`` stands for all there is, also what comes later."""

    doors: frozenset[str] | None = None
    assistants: frozenset[str] | None = None

    def opens(self, door: str) -> bool:
        """Whether one may come in by this door."""
        return self.doors is None or door in self.doors

    def may_ask(self, *assistants: str) -> bool:
        """Whether all of these may be asked. What belongs to no assistant only an unlimited key opens."""
        return self.assistants is None or (bool(assistants) and self.assistants.issuperset(assistants))


EVERYTHING = Access()


def access() -> Access:
    """What the current request may reach; everything, where nobody needs a key."""
    from flask import g, has_request_context  # commands have keys too, and need no Flask

    found: Access = g.get("ragstone_access", EVERYTHING) if has_request_context() else EVERYTHING
    return found
