"""Injections in mails, from the file to the block; and notes found by their titles."""

from __future__ import annotations

import itertools
import json
import re
from email.message import EmailMessage
from email.utils import formatdate
from pathlib import Path

import pytest

from ragstone.core import Host, Settings
from ragstone.core.testing import open_host
from ragstone.plugins.iris_memory import memory_of, query_memory, working_memory_for_email
from tests.plugins.iris_memory.recall.strict_block import read
from tests.plugins.iris_memory.recall.test_block import ESCAPES

_LISTED = re.compile(r"^\* \[(.*)\]\(https://[^)]*/blob/main/(.*?)\) - \d{4}-\d\d-\d\d$", re.MULTILINE)


@pytest.mark.data
def test_a_mail_with_an_injection_stays_in_the_fence(data: Path, attacks: list[str], tmp_path: Path) -> None:
    lines = (data / "attacks/bipia/benchmark/email/train.jsonl").read_text("utf-8").splitlines()
    contexts = [json.loads(line)["context"] for line in lines]
    ways_out = itertools.cycle(escape for escape in ESCAPES if escape.isprintable())
    mails = tmp_path / "home" / "docs" / "emails"
    mails.mkdir(parents=True)
    for number, order in enumerate(attacks):
        out = next(ways_out)
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Date"] = f"sender{number}@example.org", "iris@home.org", formatdate()
        mail["Subject"] = f"Matter {number} {out}"
        mail.set_content(f"{order}\n{out}\n{contexts[number % len(contexts)]}\n{out}\n{order}\n")
        (mails / f"{number}.eml").write_bytes(bytes(mail))
    with open_host(tmp_path, options={"iris_memory": {"root": str(tmp_path / "home")}}) as host:
        memory_of(host).update()
        recalled = 0
        for number, order in enumerate(attacks):
            entries = read(working_memory_for_email(f"Matter {number}", order, host=host))
            assert len(entries) <= 5
            assert {entry.doc_type for entry in entries} <= {"email"}
            assert all(re.fullmatch(r"docs/emails/\d+\.eml", entry.path) for entry in entries)
            recalled += f"docs/emails/{number}.eml" in [entry.path for entry in entries]
        assert recalled > 0.75 * len(attacks), "the injections were in the blocks"


@pytest.mark.data
def test_titles_find_their_notes(data: Path, tmp_path: Path, model_cache: Path) -> None:
    """Some of what ``python -m bench.recall`` measures over all notes, with the real encoder."""
    notes = data / "memory" / "notes"
    listed = [row for row in _LISTED.findall((notes / "README.md").read_text("utf-8")) if (notes / row[1]).is_file()]
    short = [row for row in listed if (notes / row[1]).stat().st_size < 1500][:24]
    assert len(short) == 24
    for _, path in short:
        place = tmp_path / "home" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text((notes / path).read_text("utf-8").partition("\n")[2], "utf-8")  # without the title
    options = {"iris_memory": {"root": str(tmp_path / "home")}}
    with Host(Settings(data_dir=tmp_path / "data", cache_dir=model_cache, plugins=options)) as host:
        host.start()
        memory_of(host).update()
        first = [query_memory(title, 1, host=host) for title, _ in short]
        right = sum(found[0].path == path for found, (_, path) in zip(first, short, strict=True) if found)
        assert right >= 0.85 * len(short)
