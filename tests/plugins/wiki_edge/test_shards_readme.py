"""What the README says of shards on disk is so."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature

import ragstone.plugins.wiki_edge
from ragstone.core import Host
from ragstone.plugins.wiki_edge import Manifest, ShardEntry
from tests.support.third_party_fakes import Here

from .search.tools import TOOLS, write
from .shards.samples import ID, edit, make

README = Path(ragstone.plugins.wiki_edge.__file__).parent / "README.md"
FORMAT = README.with_name("FORMAT.md").read_text("utf-8")


def _fences(kind: str, text: str = FORMAT) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def test_the_way_from_a_folder_to_a_robot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make(tmp_path / "my-shards")
    (script,) = _fences("sh", README.read_text("utf-8"))
    for line in script.splitlines():
        program, *arguments = shlex.split(line)
        if program == "ragstone":
            done = Here(capsys)(*arguments)
            assert (done.code, done.err) == (0, ""), line
        else:
            subprocess.run([program, *arguments], check=True)
    assert ID in done.out


def test_the_check_of_a_signature(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, here = make(tmp_path / "my-shards"), Here(capsys)
    here("wiki", "keygen", "key.pem")
    here("wiki", "sign", "my-shards", "--key", "key.pem")
    names: dict[str, Any] = {}
    exec(compile(_fences("python")[0], str(README), "exec"), names)
    names["check"](folder)
    edit(folder, lambda raw: raw.update(size=7))
    with pytest.raises(InvalidSignature):
        names["check"](folder)


def test_every_side_file_is_reported(fast_host: Host, tmp_path: Path) -> None:
    made = write(fast_host, tmp_path / "tools", sides=True, domains=["kitchen"] * len(TOOLS)).side_files
    assert made
    assert [name for name in made if f"`{name}`" not in FORMAT] == []


def test_the_manifest_loads() -> None:
    (example,) = _fences("json")
    assert Manifest.of(json.loads(example)).shards[0].id == ID


def test_every_field_that_is_added_is_reported() -> None:
    ours = [name for name, field in ShardEntry.model_fields.items() if not field.is_required()]
    assert [name for name in ours if f"| `{name}` |" not in FORMAT] == ["language", "domain"]
