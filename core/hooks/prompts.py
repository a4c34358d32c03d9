"""The deployment's prompt templates, which replace those of plugins."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from llama_index.core.prompts import BasePromptTemplate, PromptTemplate

from ..errors import SettingsError


def replaced_prompts(
    texts: Mapping[str, str], known: Mapping[str, BasePromptTemplate]
) -> dict[str, BasePromptTemplate]:
    """The deployment's templates by name. Raises ``SettingsError`` for an unknown name or a missing variable."""
    made: dict[str, BasePromptTemplate] = {}
    for name, text in texts.items():
        if name not in known:
            closest = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {closest[0]}?" if closest else f"known: {', '.join(known) or 'none'}"
            raise SettingsError(f"no plugin gives a prompt named {name!r}", where="[prompts]", hint=hint)
        template = PromptTemplate(text, metadata=dict(known[name].metadata))
        missing = set(known[name].template_vars) - set(template.template_vars)
        if missing:
            variables = ", ".join(f"{{{variable}}}" for variable in sorted(missing))
            raise SettingsError(f"leaves out {variables}", where=f"[prompts] {name}")
        made[name] = template
    return made
