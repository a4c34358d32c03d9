"""The planner's example in the README runs, from the building of a shard to an answer."""

import re
from pathlib import Path

import ragstone.plugins.wiki_edge

README = Path(ragstone.plugins.wiki_edge.__file__ or "").parent / "README.md"
SECTION = README.read_text("utf-8").partition("\n## The planner\n")[2].partition("\n## ")[0]


def test_the_example_runs() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)
    exec(compile(example, str(README), "exec"), {})
