"""The example in book chat's README runs."""

import re
from pathlib import Path

import ragstone.plugins.book_chat
from ragstone.core import read_settings

README = Path(ragstone.plugins.book_chat.__file__).parent / "README.md"
REPOSITORY = Path(__file__).parents[3]


def test_the_example_runs() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    exec(compile(example, str(README), "exec"), {})


def test_the_server_profile_is_a_deployment() -> None:
    settings = read_settings(REPOSITORY / "deploy" / "server" / "ragstone.toml")
    assert settings.plugins.enabled == ("book_chat",)
