"""What a plugin's pages need of the web front: the options of a view. Imports no Flask."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    View = TypeVar("View", bound=Callable[..., Any])

__all__ = ["Reach", "ViewOptions"]

Reach = Literal["own", "listed", "any"]
_ATTRIBUTE = "__ragstone_view_options__"


@dataclass(frozen=True)
class ViewOptions:
    """Options of a Flask view function, and the decorator that attaches them: ``@ViewOptions(reach="any")``."""

    #: Pages that may load the view: this server's own, also those of the listed ``origins``, or any (reading only).
    reach: Reach = "own"
    #: The interface that a key must be for: ``web``, ``openai`` or ``mcp``.
    interface: str = "web"
    #: The assistant that a limited key must be for; without one, all assistants of the view's plugin.
    assistant: str | None = None
    #: A key for any assistant will do: the view shows nothing of one, or checks itself which ones the key is for.
    any_assistant: bool = False
    #: Raises for a request without the view's own key. Called in place of the check of the server's keys.
    own_key: Callable[[], object] | None = None
    #: A request's body may have ``max_upload_bytes``.
    takes_files: bool = False
    #: The operation in ``/openapi.json``; a view without one is a page for people.
    openapi: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.reach not in get_args(Reach):
            raise ValueError(f"reach must be one of {', '.join(get_args(Reach))}, not {self.reach!r}")

    def __call__(self, view: View) -> View:
        """Attach these options to ``view`` and return it."""
        setattr(view, _ATTRIBUTE, self)
        return view

    @classmethod
    def of(cls, view: object) -> ViewOptions:
        """Return the options of a view; the defaults for one that has none, and for ``None``."""
        found = getattr(view, _ATTRIBUTE, None)
        return found if isinstance(found, cls) else cls()
