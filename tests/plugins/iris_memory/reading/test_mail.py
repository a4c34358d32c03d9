"""Mail as it is meant: headers decoded, the best part read, what was quoted told apart, whatever strangers sent."""

from __future__ import annotations

from email.message import EmailMessage
from typing import TYPE_CHECKING, Any

import pytest

from ragstone.core import SourceError
from ragstone.plugins.iris_memory.reading.html import text_of_html
from ragstone.plugins.iris_memory.reading.mail import MailReader
from ragstone.plugins.iris_memory.reading.replies import tell_apart

if TYPE_CHECKING:
    from pathlib import Path

    from llama_index.core.schema import Document


@pytest.fixture
def read(tmp_path: Path) -> Any:
    def reading(data: bytes | str, name: str = "a.eml") -> Document:
        file = tmp_path / name
        file.write_bytes(data if isinstance(data, bytes) else data.encode())
        return MailReader().load_data(file)[0]

    return reading


def test_who_to_whom_when_and_what(read: Any) -> None:
    mail = read(
        "From: =?utf-8?q?Ann_B=C3=A4r?= <Ann@X.org>\r\nTo: Bob <bob@y.org>,\r\n Cy <cy@y.org>\r\nCc: dee@z.org\r\n"
        "Subject: =?iso-8859-1?q?The_k=E4se?= is\r\n =?utf-8?b?aGVyZQ==?=\r\nDate: Sun, 1 Feb 2026 10:00:00 +0100\r\n"
        "Message-ID: <1@x>\r\nIn-Reply-To: <0@x>\r\n\r\nIt is on the table.\r\n"
    )
    assert mail.text.splitlines()[:4] == [
        "From: Ann Bär <Ann@X.org>",
        "To: Bob <bob@y.org>, Cy <cy@y.org>",
        "Cc: dee@z.org",
        "Date: Sun, 1 Feb 2026 10:00:00 +0100",
    ]
    assert mail.text.endswith("Subject: The käse is here\n\nIt is on the table.")
    known = mail.metadata
    assert (known["sender"], known["recipients"]) == ("ann@x.org", "bob@y.org cy@y.org dee@z.org")
    assert (known["date"], known["message_id"], known["in_reply_to"]) == (1769936400.0, "<1@x>", "<0@x>")
    assert known["indexing"]["lines"] == 11


def test_the_best_part_is_read_and_attachments_are_named(read: Any) -> None:
    mail = EmailMessage()
    mail["Subject"] = "Plans"
    mail.set_content("The plain words.")
    mail.add_alternative("<p>The HTML words.</p>", subtype="html")
    mail.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="pläne.pdf")
    mail.add_attachment("hidden words", filename="../../etc/notes.txt")
    found = read(mail.as_bytes())
    assert found.text == "Subject: Plans\nAttached: pläne.pdf, notes.txt\n\nThe plain words."
    assert found.metadata["attachments"] == "pläne.pdf, notes.txt"


def test_html_alone_becomes_words() -> None:
    html = "<html><head><title>x</title><style>p{}</style></head><body><p>Dear&nbsp;Ann,<br>the <b>kettle</b> is red."
    html += "<script>steal()</script><ul><li>one<li>two</ul><blockquote>You asked</blockquote><!-- no --></body>"
    said = [line for line in text_of_html(html).split("\n") if line]
    assert said == ["Dear Ann,", "the kettle is red.", "- one", "- two", "> You asked"]


def test_quotes_and_signatures_are_told_apart(read: Any) -> None:
    asked = "On Mon, 2 Feb 2026 at 10:00, Bob <bob@y.org>\nwrote:\n> Shall I paint it?\n>> Paint what?"
    body = f"Yes, do it.\n\n{asked}\n-- \nAnn\nX Ltd"
    reply = tell_apart(body)
    assert (reply.own, reply.signature) == ("Yes, do it.", "-- \nAnn\nX Ltd")
    assert reply.quoted == "On Mon, 2 Feb 2026 at 10:00, Bob <bob@y.org> wrote:\nShall I paint it?"
    mail = read(f"Subject: Paint\n\n{body}")
    assert mail.text.endswith(
        "Yes, do it.\n\n> On Mon, 2 Feb 2026 at 10:00, Bob <bob@y.org> wrote:\n> Shall I paint it?"
    )
    assert "X Ltd" not in mail.text


@pytest.mark.parametrize(
    ("body", "own"),
    [
        ("Fine.\n\n-----Original Message-----\nFrom: Bob\nSent: now\n\nShall I?", "Fine."),
        ("Fine.\n\n________________\nFrom: Bob <b@y>\nSent: Monday\nTo: Ann\n\nShall I?", "Fine."),
        ("> only a quote", "only a quote"),
        ("-- \nonly a signature", "-- \nonly a signature"),
        ("Look:\n---------- Forwarded message ---------\nFrom: Cy\n\nThe news.", None),
        ("Sent from my phone shop", "Sent from my phone shop"),
        ("On Monday we wrote:\nnothing quoted here", None),
    ],
)
def test_whose_words_they_are(body: str, own: str | None) -> None:
    assert tell_apart(body).own == (body if own is None else own)


def test_mails_archived_as_text(read: Any) -> None:
    plain = "From: Joshua <j@x.org>\nTo: Iris\nDate: 2026-02-18 09:30\nSubject: Käse\n\nPlease buy it.\n"
    for data in (
        plain,
        f"\ufeff\n{plain}",
        f"=====\n{plain}",
        plain.replace("From:", "**From:**").replace("To:", "**To:**"),
    ):
        mail = read(data, "a.txt")
        assert (mail.metadata["subject"], mail.metadata["sender"]) == ("Käse", "j@x.org")
        assert mail.metadata["date"] == 1771407000.0
        assert mail.text.endswith("Please buy it.")
    bare = read("Please note: buy milk.\nThanks", "a.txt")
    assert (bare.text, bare.metadata["subject"]) == ("Please note: buy milk.\nThanks", "")
    latin = read("From: a@x.org\nSubject: K\xe4se\n\nK\xe4se".encode("latin-1"), "a.txt")
    assert (latin.metadata["subject"], latin.text.splitlines()[-1]) == ("Käse", "Käse")


@pytest.mark.parametrize(
    "date", ["Mon, 30 Jun 3609 15:33:50 +0600", "Thu, 1 Jan 1970 00:00:00 +0000", "<HR>", "", "0" * 9999]
)
def test_a_date_that_cannot_be_true_is_that_of_the_file(read: Any, date: str) -> None:
    mail = read(f"From: a@x.org\nDate: {date}\n\nwords")
    assert mail.metadata["date"] == mail.metadata["mtime"]


def test_what_breaks_parsers_breaks_nothing(read: Any) -> None:
    nested = b""
    for level in range(300):
        nested += b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (level, level)
    hostile = [
        nested + b"\nwords",
        b"Subject: =?nonsense?b?////?=\nContent-Type: text/plain; charset=nonsense\n\n\xff\xfe words",
        b"Subject: =?utf-8?b?" + b"A" * 99_999 + b"?=\n\nwords",
        b"Content-Transfer-Encoding: base64\n\n!!! not base64 words",
        b"Content-Type: text/html\n\n" + b"<a" * 50_000 + b" words",
        b"Content-Type: text/html\n\nwords " + b"<![" * 50_000,
        b"To: " + b"a@b.c, " * 50_000 + b"\n\nwords",
        b"Subject: a\x1b]0;title\x07b\n\nwords \x1b[31m",
        b"From: \xf0\x28\x8c\x28 <a@x>\n\nwords",
        b"Content-Type: multipart/mixed\n\nwords",
        b"Content-Type: message/rfc822\n\n" * 200 + b"words",
        b"\n\nwords",
    ]
    for data in hostile:
        try:
            mail = read(data)
        except SourceError:
            continue
        assert "\0" not in mail.text
        assert "\x1b" not in mail.metadata["subject"]
        mail.text.encode()


def test_what_is_no_mail_is_refused(read: Any) -> None:
    with pytest.raises(SourceError, match="holds no words"):
        read("")
    with pytest.raises(SourceError, match="holds no words"):
        read("From: a@x.org\n\n")
    with pytest.raises(SourceError, match="too many parts"):
        read(b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * 20_001)
    with pytest.raises(SourceError, match="is binary"):
        read(b"\0\1\2", "a.txt")


@pytest.mark.data
def test_all_real_mails_are_read(data: Path) -> None:
    files = sorted((data / "memory" / "mail").rglob("*.eml"))
    assert len(files) == 103
    refused, replaced = {}, []
    for file in files:
        try:
            mail = MailReader().load_data(file)[0]
        except SourceError as error:
            refused[file.name] = error.what
            continue
        assert mail.text.strip()
        assert mail.metadata["subject"] == " ".join(mail.metadata["subject"].split())
        if "\ufffd" in mail.text:
            replaced.append(file.name)
    assert refused == {}
    assert len(replaced) <= 5, replaced  # what their writers had broken already
    japanese = MailReader().load_data(data / "memory" / "mail" / "multi_charset" / "japanese_shift_jis.eml")[0]
    assert "あいうえお" in japanese.text
