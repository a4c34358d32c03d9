"""What every table of the settings file is made of."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Table(BaseModel):
    """A table of the settings file: an unknown key is an error. Values stay out of errors: one may be a key."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)
