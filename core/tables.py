"""The base class of the settings file's tables."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Table(BaseModel):
    """A table of the settings file. An unknown key is an error. Errors omit values, which may be secrets."""

    # Validators are built when a table is first checked: most commands check few of them.
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, defer_build=True)
