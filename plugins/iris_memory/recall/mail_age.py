"""Mail that is too old to be remembered, though the index may still have it until the next update."""

from __future__ import annotations

import time
from collections.abc import Callable  # noqa: TC003 - pydantic reads it
from typing import TYPE_CHECKING, Any

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from pydantic import Field

from ..indexing import fields

if TYPE_CHECKING:
    from collections.abc import Mapping

    from llama_index.core.schema import NodeWithScore, QueryBundle

_MAIL = "email"
_DAY = 86_400.0


def is_old_mail(known: Mapping[str, Any], days: int, now: float) -> bool:
    """Whether the chunk with these metadata is of a mail of more than so many days; 0 days are for ever."""
    date = known.get(fields.DATE)
    return (
        bool(days)
        and known.get(fields.DOC_TYPE) == _MAIL
        and isinstance(date, int | float)
        and date < now - days * _DAY
    )


class MailInTime(BaseNodePostprocessor):
    """Takes away mail of more than ``days``; the host keeps it as ``cut``."""

    days: int
    clock: Callable[[], float] = Field(default=time.time, exclude=True)

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex serialises it."""
        return "MailInTime"

    def _postprocess_nodes(
        self,
        nodes: list[NodeWithScore],
        query_bundle: QueryBundle | None = None,  # noqa: ARG002
    ) -> list[NodeWithScore]:
        now = self.clock()
        return [node for node in nodes if not is_old_mail(node.node.metadata, self.days, now)]
