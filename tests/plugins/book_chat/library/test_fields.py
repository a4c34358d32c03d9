"""TOML and YAML that a book brings: what is small on disk stays small in memory, and what is broken is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ragstone.core import SourceError
from ragstone.plugins.book_chat.library.fields import LONGEST_TOML, LONGEST_YAML, read_toml, read_yaml
from ragstone.plugins.book_chat.library.layouts.layout import read_layout
from ragstone.plugins.book_chat.library.manifest import read_manifest
from tests.support.allocations import peak_bytes

if TYPE_CHECKING:
    from pathlib import Path


def dotted(parts: int, first: str = "a") -> str:
    return ".".join([first] + ["a"] * (parts - 1))


HOSTILE_TOML = {
    "a dotted key": dotted(5_000) + "=1",
    "a table": f"[{dotted(5_000)}]",
    "a dotted key in an inline table": f"a={{{dotted(5_000)}=1}}",
    "many dotted keys": "\n".join(f"{dotted(200, f'b{n}')}=1" for n in range(100)),
    "keys below a deep table": f"[{dotted(500)}]\n" + "\n".join(f"b{n}=1" for n in range(1_000)),
    "arrays": "a=" + "[" * 10_000,
    "inline tables": "a=" + "{a=" * 10_000,
    "a long number": "a=" + "9" * 10_000,
    "a long text": "a='" + "a" * LONGEST_TOML + "'",
}


@pytest.mark.parametrize("name", HOSTILE_TOML)
def test_a_book_toml_takes_little_memory(tmp_path: Path, name: str) -> None:
    (tmp_path / "book.toml").write_text(HOSTILE_TOML[name])
    (tmp_path / "a.md").write_text("# A\n")

    def read() -> None:
        with pytest.raises(SourceError, match="is not valid TOML"):
            read_manifest(tmp_path)
        assert read_layout(tmp_path, frozenset({".md"})).title is None

    assert peak_bytes(read) < 40_000_000  # 20 of them are the room for a file


def test_a_book_toml_with_the_addresses_of_a_thousand_chapters_is_read() -> None:
    addresses = {f"part-{n // 40}/chapter.{n}.md": f"https://www.book.example/v2.1/{n}.html" for n in range(1_000)}
    text = "[output.html.playground]\na = 1\n[ragstone.urls]\n" + "\n".join(
        f'"{path}" = "{address}"' for path, address in addresses.items()
    )
    assert read_toml(text)["ragstone"]["urls"] == addresses


HOSTILE_YAML = {
    "merged aliases": "a0: &a0 {x: 1, y: 1}\n"
    + "".join(f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 9)),
    "aliases": "a: &a [1]\nb: [*a, *a]",
    "lists": "[" * 10_000,
    "maps": "{" * 10_000,
    "many small maps": "a: [" + "{b: 1}," * 1_000 + "]",
    "a long integer": "title: 0x" + "f" * 10_000,
    "a long text": "title: " + "a" * LONGEST_YAML,
    "a time that is none": "title: !!timestamp x",
    "an integer that is none": 'title: !!int ""',
    "a truth that is none": "title: !!bool x",
    "a date that is none": "title: 2020-13-45",
    "a list as a key": "{[1]: 2}",
    "a list": "- a",
    "Python": "!!python/object/apply:os.getcwd []",
    "nothing": "",
}


@pytest.mark.parametrize("name", HOSTILE_YAML)
def test_yaml_takes_little_memory_and_counts_as_none(tmp_path: Path, name: str) -> None:
    text = HOSTILE_YAML[name]
    assert peak_bytes(lambda: read_yaml(text)) < 5_000_000
    assert read_yaml(text) == {}
    (tmp_path / "docs" / "part").mkdir(parents=True)
    (tmp_path / "docs" / "part" / "_category_.json").write_text(text)
    (tmp_path / "docs" / "part" / "a.md").write_text(f"---\n{text}\n---\n# Wheels\n")
    (tmp_path / "docs" / "b.md").write_text("---\nsidebar_position: 1e400\n---\n# Arms\n")
    assert [file.title for file in read_layout(tmp_path, frozenset({".md"})).files] == ["Arms", "Wheels"]


def test_the_fields_of_front_matter_are_read() -> None:
    text = "title: Wheels\nsidebar_position: 2\ntags: [a, b]\nopened: 0x1F\nwhen: 2026-01-02"
    found = read_yaml(text)
    assert (found["title"], found["sidebar_position"], found["tags"], found["opened"]) == ("Wheels", 2, ["a", "b"], 31)
    assert read_yaml("position: 1.5") == {"position": 1.5}
