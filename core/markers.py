"""The marks by which pluggy knows the specification of a hook and its implementations."""

from __future__ import annotations

import pluggy

hookspec = pluggy.HookspecMarker("ragstone")
hookimpl = pluggy.HookimplMarker("ragstone")
