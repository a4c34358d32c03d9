"""TOML and YAML that a book brings: what is small on disk stays small in memory, and what is broken is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragstone.core import Host, SourceError
from ragstone.plugins.book_chat import Shelf
from tests.plugins.book_chat.reading import read
from tests.support.allocations import peak_bytes
from tests.support.third_party_fakes import write_pages


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
    "a long text": "a='" + "a" * 500_000 + "'",
}


@pytest.mark.parametrize("name", HOSTILE_TOML)
def test_a_book_toml_takes_little_memory(planning: Shelf, tmp_path: Path, name: str) -> None:
    write_pages(tmp_path, {"book.toml": HOSTILE_TOML[name], "a.md": "# A\n"})

    def plan() -> None:
        layout = planning.plan(tmp_path)
        assert layout.title is None
        with pytest.raises(SourceError, match="is not valid TOML"):
            planning.add(layout)

    assert peak_bytes(plan) < 40_000_000  # 20 of them are the room for a file


def test_a_book_toml_with_the_addresses_of_a_thousand_chapters_is_read(fast_host: Host, tmp_path: Path) -> None:
    addresses = {f"part-{n // 40}/chapter.{n}.md": f"https://www.book.example/v2.1/{n}.html" for n in range(1_000)}
    text = "[output.html.playground]\na = 1\n[ragstone.urls]\n" + "\n".join(
        f'"{path}" = "{address}"' for path, address in addresses.items()
    )
    write_pages(tmp_path, {"book.toml": text, "part-24/chapter.999.md": "# Wheels\n\nWheels turn.\n"})
    shelf = Shelf(fast_host)
    report = shelf.add(shelf.plan(tmp_path))
    (node,) = shelf.corpus.contents.document_nodes(f"{report.book}:part-24/chapter.999.md")
    assert node.metadata["url"] == "https://www.book.example/v2.1/999.html"


HOSTILE_YAML = {
    "merged aliases": "a0: &a0 {x: 1, y: 1}\n"
    + "".join(f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 9)),
    "aliases": "a: &a [1]\nb: [*a, *a]",
    "lists": "[" * 10_000,
    "maps": "{" * 10_000,
    "many small maps": "a: [" + "{b: 1}," * 1_000 + "]",
    "a long integer": "title: 0x" + "f" * 10_000,
    "a long text": "title: " + "a" * 20_000,
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
def test_yaml_takes_little_memory_and_counts_as_none(planning: Shelf, tmp_path: Path, name: str) -> None:
    text = HOSTILE_YAML[name]
    page = f"---\n{text}\n---\n# Wheels\n"
    assert peak_bytes(lambda: read(page)) < 25_000_000  # as above
    assert read(page).metadata["title"] == "Wheels"
    pages = {"part/_category_.json": text, "part/a.md": page, "b.md": "---\nsidebar_position: 1e400\n---\n# Arms\n"}
    write_pages(tmp_path / "docs", pages)
    assert [file.title for file in planning.plan(tmp_path).files] == ["Arms", "Wheels"]


def test_the_fields_of_front_matter_are_read(planning: Shelf, tmp_path: Path) -> None:
    text = "title: Wheels\nsidebar_position: 2\ntags: [a, b]\nopened: 0x1F\nwhen: 2026-01-02"
    first, second = (f"---\n{fields}\n---\n# Other\n" for fields in ("title: Arms\nsidebar_position: 1.5", text))
    write_pages(tmp_path / "docs", {"a.md": second, "b.md": first})
    assert [file.title for file in planning.plan(tmp_path).files] == ["Arms", "Wheels"]
