"""The example in book chat's README runs."""

import re
from pathlib import Path

import ragstone.plugins.book_chat
from ragstone.core import read_settings
from ragstone.plugins.book_chat import BookChatSettings

README = Path(ragstone.plugins.book_chat.__file__).parent / "README.md"
REPOSITORY = Path(__file__).parents[3]


def test_the_example_runs() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    exec(compile(example, str(README), "exec"), {})


def test_the_package_exports_what_the_readme_uses() -> None:
    names = re.findall(r"^from ragstone\.plugins\.book_chat(\S*) import (.+)$", README.read_text("utf-8"), re.MULTILINE)
    assert names
    assert all(not module and name in ragstone.plugins.book_chat.__all__ for module, name in names)
    assert ragstone.plugins.book_chat.__all__ == sorted(ragstone.plugins.book_chat.__all__)
    assert all(hasattr(ragstone.plugins.book_chat, name) for name in ragstone.plugins.book_chat.__all__)


def test_every_setting_is_reported() -> None:
    text = README.read_text("utf-8")
    for name, field in BookChatSettings.model_fields.items():
        default = str(field.default).lower()
        assert f"| `{name}` | {default} |" in text


def test_the_server_profile_is_a_deployment() -> None:
    settings = read_settings(REPOSITORY / "deploy" / "server" / "ragstone.toml")
    assert settings.plugins.enabled == ("book_chat",)
