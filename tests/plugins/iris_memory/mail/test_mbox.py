"""Mails found in linear time."""

from __future__ import annotations

import pytest

from ragstone.plugins.iris_memory.mail.mbox import mail_of, messages_of
from tests.support.patience import grows_linearly


@pytest.mark.parametrize("begin", [b"", b"From a@x.org Sat Jan  5 12:30:00 2002\nSubject: a\n"])
@pytest.mark.parametrize(
    "unit",
    [b"From a@x.org Sat Jan 5 2002\n\n", b"Subject: a\n", b"*", b"-", b"a:", b"To: @", b"> From ", b" \n", b"\n\n"],
)
def test_finding_mails_takes_time_that_grows_as_the_text_does(begin: bytes, unit: bytes) -> None:
    def find(size: int) -> object:
        return list(messages_of(mail_of(begin + unit * (size // len(unit))) or b""))

    assert grows_linearly(find, 50_000)
