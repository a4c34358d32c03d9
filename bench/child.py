"""``python -m bench.child MODULE.FUNCTION ARGUMENTS``: one measurement, its result as JSON on the last line."""

from __future__ import annotations

import json
import sys
from importlib import import_module


def main(function: str, arguments: str) -> None:
    """Call the function with the arguments, a JSON object."""
    module, _, name = function.rpartition(".")
    result = getattr(import_module(f"bench.{module}"), name)(**json.loads(arguments))
    sys.stdout.flush()
    print(f"\n{json.dumps(result)}")


if __name__ == "__main__":
    main(*sys.argv[1:3])
