"""Prompt templates by which a deployment replaces those of plugins."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from llama_index.core.prompts import BasePromptTemplate, PromptTemplate

from ..errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping


def replaced_prompts(
    texts: Mapping[str, str], known: Mapping[str, BasePromptTemplate]
) -> dict[str, BasePromptTemplate]:
    """The deployment's templates. Raises ``SettingsError`` unless each stands for a known one, with its variables."""
    made: dict[str, BasePromptTemplate] = {}
    for name, text in texts.items():
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known) or 'none'}"
            raise SettingsError(f"no plugin gives a prompt named {name!r}", where="[prompts]", hint=hint)
        template = PromptTemplate(text)
        left_out = set(known[name].template_vars) - set(template.template_vars)
        if left_out:
            named = ", ".join(f"{{{variable}}}" for variable in sorted(left_out))
            raise SettingsError(f"leaves out {named}", where=f"[prompts] {name}")
        made[name] = template
    return made
