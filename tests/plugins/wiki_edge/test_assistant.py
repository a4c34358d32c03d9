"""The encyclopedia's assistant: what a question may be narrowed to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ragstone.core import NotFound, Question

if TYPE_CHECKING:
    from ragstone.core import Host


@pytest.mark.parametrize("name", ["domain", "language"])
@pytest.mark.parametrize("value", ["", " ", "x" * 201], ids=["nothing", "a space", "much"])
def test_a_narrowing_that_no_shard_can_have(name: str, value: str, fast_host: Host) -> None:
    with pytest.raises(NotFound, match=rf"^there is no {name} '.{{0,40}}' \(ragstone wiki info lists them\)$"):
        fast_host.assistant("wiki_edge").ask(Question("What is a whisk?", filters={name: value}))
