"""The reader of mail: headers decoded, the best part read, quotes split off, malformed mail of any kind."""

from __future__ import annotations

import os
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.schema import Document

from ragstone.core import SourceError
from ragstone.plugins.iris_memory import MailReader
from tests.support.patience import grows_linearly


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


def test_a_mail_has_the_beginning_of_its_quote_and_no_signature(read: Any) -> None:
    asked = "On Mon, 2 Feb 2026 at 10:00, Bob <bob@y.org>\nwrote:\n> Shall I paint it?\n>> Paint what?"
    body = f"Yes, do it.\n\n{asked}\n-- \nAnn\nX Ltd"
    mail = read(f"Subject: Paint\n\n{body}")
    assert mail.text.endswith(
        "Yes, do it.\n\n> On Mon, 2 Feb 2026 at 10:00, Bob <bob@y.org> wrote:\n> Shall I paint it?"
    )
    assert "X Ltd" not in mail.text


def test_a_short_quote_stays_above_its_answer(read: Any) -> None:
    long = "\n".join(f"> {number} boats are in the harbour." for number in range(12))
    body = f"Hello,\n\n{long}\n\nThat many?\n\nOn 1 May, Bob wrote:\n>> Ask.\n> Which rope?\nThe red one.\n\n> Bob"
    text = read(f"Subject: Rope\n\n{body}").text
    assert text.startswith("Subject: Rope\n\nHello,\n\n\nThat many?\n\n> Which rope?\n\nThe red one.\n\n> 0 boats")
    assert text.endswith("> 11 boats are in the harbour.\n> Bob")


@pytest.mark.parametrize(
    ("body", "own"),
    [
        ("Fine.\n\n-----Original Message-----\nFrom: Bob\nSent: now\n\nShall I?", "Fine."),
        ("Fine.\n\n________________\nFrom: Bob <b@y>\nSent: Monday\nTo: Ann\n\nShall I?", "Fine."),
        ("> only a quote", "only a quote"),
        ("-- \nonly a signature", "-- \nonly a signature"),
        ("Look:\n---------- Forwarded message ---------\nThe news.", None),
        ("Sent from my phone shop", "Sent from my phone shop"),
        ("On Monday we wrote:\nnothing quoted here", None),
    ],
)
def test_whose_words_they_are(read: Any, body: str, own: str | None) -> None:
    text = read(f"Subject: Paint\n\n{body}").text.removeprefix("Subject: Paint\n\n")
    assert text.partition("\n> ")[0].strip() == (body if own is None else own)


@pytest.mark.parametrize(
    ("subject", "body"),
    [
        (
            "Fwd: News",
            "---------- Forwarded message ---------\nFrom: Cy <c@z.org>\nDate: {date}\nSubject: News\n\nRain.",
        ),
        (
            "News",
            "-------- Forwarded Message --------\nSubject: News\nDate: {date}\nFrom: Cy\n <c@z.org>\n\nRain.\n-- \nCy",
        ),
        ("Fwd: News", "Begin forwarded message:\n\n> From: Cy <c@z.org>\n> Date: {date}\n> Subject: News\n>\n> Rain."),
        ("FW: News", "________________________________\nFrom: Cy <c@z.org>\nSent: {date}\nSubject: News\n\nRain."),
        ("WG: News", "-----Ursprüngliche Nachricht-----\nVon: Cy <c@z.org>\nGesendet: {date}\nBetreff: News\n\nRain."),
    ],
)
def test_what_a_mail_forwards_is_a_mail_of_its_writer(read: Any, subject: str, body: str) -> None:
    sent = "Mon, 2 Feb 2026 10:00:00 +0000"
    head = f"From: Ann <a@x.org>\nMessage-ID: <1@x>\nDate: Tue, 3 Feb 2026 10:00:00 +0000\nSubject: {subject}"
    mail = read(f"{head}\nContent-Type: text/plain; charset=utf-8\n\nLook:\n\n{body.format(date=sent)}\n")
    own, forwarded = mail.metadata["indexing"]["mails"]
    assert mail.text[own["start"] : forwarded["start"]].endswith("\n\nLook:\n\n")
    assert mail.text[forwarded["start"] :] == f"From: Cy <c@z.org>\nDate: {sent}\nSubject: News\n\nRain."
    assert (own["sender"], own["title"], mail.metadata["title"]) == ("a@x.org", subject, subject)
    assert (forwarded["sender"], forwarded["title"], forwarded["message_id"]) == ("c@z.org", "News", "")
    assert own["date"] - forwarded["date"] == 86_400


def test_a_mail_without_words_and_subject_of_its_own_forwards_another(read: Any) -> None:
    mail = read(
        "From: Ann <a@x.org>\nDate: Tue, 3 Feb 2026 10:00:00 +0000\n\n---------- Forwarded message ---------\n"
        "From: Cy <c@z.org>\nDate: Mon, 2 Feb 2026 10:00:00 +0000\n\nRain."
    )
    assert (mail.metadata["sender"], mail.metadata["title"]) == ("a@x.org", "")
    assert mail.text.endswith("\n\nRain.")


def test_many_forwarded_mails_are_split_in_linear_time(read: Any) -> None:
    def split(number: int) -> None:
        read("Subject: x\n\n" + "---- Forwarded message ----\nFrom: a\n\n" * number)

    assert grows_linearly(split, 1_000)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"=?utf-8?q?K=C3=A4se?= <a@x.org>", "K\u00e4se <a@x.org>"),
        (b"=?utf-8?b?S8M=?=\n =?utf-8?b?pHNl?=", "K\u00e4se"),
        ("K\u00e4se =?iso-8859-1?q?K=E4se?= \u20ac".encode(), "K\u00e4se K\u00e4se \u20ac"),
        (b"K\xe4se", "K\u00e4se"),
        (b"=?utf-8?b?A?= =?utf-8?b?S8Okc2U=?=", "=?utf-8?b?A?= K\u00e4se"),
        (b"Re: a\n\tb", "Re: a b"),
    ],
    ids=["encoded", "a character in two words", "encoded and raw", "Latin-1", "one broken word", "folded"],
)
def test_words_of_a_header_are_decoded(read: Any, raw: bytes, words: str) -> None:
    assert read(b"Subject: " + raw + b"\n\nx").metadata["subject"] == words


def test_html_alone_becomes_words(read: Any) -> None:
    html = "<html><head><title>x</title><style>p{}</style></head><body><p>Dear&nbsp;Ann,<br>the <b>kettle</b> is red."
    html += "<script>steal()</script><ul><li>one<li>two</ul><!-- no --></body>"
    text = read(f"Subject: Tea\nContent-Type: text/html\n\n{html}<blockquote>You asked</blockquote>").text
    output = [line for line in text.split("\n") if line]
    assert output == ["Subject: Tea", "Dear Ann,", "the kettle is red.", "- one", "- two", "> You asked"]


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


RAW = (
    "From: Ann <ann@x.org>\nTo: bob@y.org\nSubject: =?utf-8?b?S8Okc2U=?=\nDate: Sat, 5 Jan 2002 12:30:00 +0000\n"
    "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nVGhlIGvDpHNlIGlzIHJlYWR5Lg==\n"
)


@pytest.mark.parametrize(
    "above",
    [
        "",
        "From ann@x.org Sat Jan  5 12:30:00 2002\n",
        "From - Sat Jan  5 12:30:00 2002\nX-Mozilla-Status: 0001\n",
        "From ann@x.org 2002-01-05 12:30\n",
        "Return-Path: <ann@x.org>\n",
        "Return-Path: <>\nX-Original-To: bob@y.org\n",
        "Received: from a.x.org (a.x.org [10.0.0.1])\n\tby b.y.org; Sat, 5 Jan 2002 12:30:01 +0000\n",
        "Delivered-To: bob@y.org\n",
        "MIME-Version: 1.0\n",
        "DKIM-Signature: v=1; a=rsa-sha256;\n b=AAAA\n",
        "Authentication-Results: b.y.org; spf=pass\nX-Spam-Status: No\nSomething-Else: yes\n",
        "Thread-Topic: Cheese\nList-Id: <cheese.y.org>\n",
    ],
)
def test_a_raw_mail_in_a_text_file_is_read_as_mail(read: Any, above: str) -> None:
    plain = read(RAW)
    for data in (above + RAW, "\ufeff\n" + above + RAW, (above + RAW).replace("\n", "\r\n")):
        mail = read(data, "a.txt")
        assert (
            mail.text
            == plain.text
            == (
                "From: Ann <ann@x.org>\nTo: bob@y.org\nDate: Sat, 5 Jan 2002 12:30:00 +0000\nSubject: Käse\n\n"
                "The käse is ready."
            )
        )
        assert (mail.metadata["sender"], mail.metadata["date"]) == ("ann@x.org", 1010233800.0)


@pytest.mark.parametrize(
    "note",
    [
        "From Monday on the shop is closed.\n\nIt opens again in 2027.",
        "From Ana came 3 letters in 2026.\n\nThey are on the table.",
        "From ana@home.org 3 letters came.\n\nThey are on the table.",
        "Subject: to change without notice\n\nBread costs 3.",
        "Subject: to change\nall prices of 2026\n\nBread: 3",
        "To: be or not to be\n\nthat is the question.",
        "Received: 3 boxes from Ana\n\nThanks.",
        "Date: not yet known\n\nWe shall see.",
        "Title: Cheese\nAuthor: Ann\nDate: 2026\nSubject: milk\n\nIt is made of milk.",
        "Bread: 3\nMilk: 2\nFrom: the shop\n\nNothing else.",
        "References: see the end\n\nAs Ann wrote.",
        "Please ask: who it was\nReturn-Path: <a@x.org>\n\nThe header of a mail.",
    ],
)
def test_a_note_that_begins_like_a_mail_stays_a_note(read: Any, note: str) -> None:
    found = read(note, "a.txt")
    assert (found.text, found.metadata["sender"], found.metadata["subject"]) == (note, "", "")
    assert found.metadata["date"] == found.metadata["mtime"]


def test_a_mail_whose_only_header_is_the_line_of_its_mbox_file(read: Any) -> None:
    mail = read("From ann@x.org Sat Jan  5 12:30:00 2002\n\nIt is ready.\n", "a.txt")
    assert (mail.metadata["sender"], mail.metadata["date"]) == ("ann@x.org", 1010233800.0)
    assert mail.text == "From: ann@x.org\n\nIt is ready."


@pytest.mark.parametrize("name", ["a.txt", "a.mbox", "a.eml"])
def test_every_mail_of_an_mbox_file_is_one_of_its_own(read: Any, name: str) -> None:
    second = (
        "From: Bob <bob@y.org>\nSubject: Tea\nDate: Sun, 6 Jan 2002 12:30:00 +0000\n\nIt is hot.\n\n>From here on too."
    )
    separators = "From ann@x.org Sat Jan  5 12:30:00 2002\n", "From bob@y.org Sun Jan  6 12:30:00 2002\n"
    found = read(f"{separators[0]}{RAW}\n{separators[1]}{second}\n", name)
    assert found.metadata["date"] == 1010320200.0, "of the newest"
    mails = found.metadata["indexing"]["mails"]
    texts = [found.text[mails[0]["start"] : mails[1]["start"]], found.text[mails[1]["start"] :]]
    assert [mail["sender"] for mail in mails] == ["ann@x.org", "bob@y.org"]
    assert "The käse is ready." in texts[0]
    assert texts[1].startswith("From: Bob <bob@y.org>\n")
    assert texts[1].endswith("It is hot.\n\nFrom here on too.")
    lines = found.metadata["indexing"]["lines"]
    assert len(lines) == found.text.count("\n") + 1 + 1
    assert (lines[0], lines[found.text.count("\n", 0, mails[1]["start"])], lines[-1]) == (1, 11, 18)


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
        b"Content-Type: text/plain; charset=idna\n\n\xff\xfe words",
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


@pytest.mark.parametrize("begin", [b"", b"From a@x.org Sat Jan  5 12:30:00 2002\nSubject: a\n"])
@pytest.mark.parametrize(
    "unit",
    [b"From a@x.org Sat Jan 5 2002\n\n", b"Subject: a\n", b"*", b"-", b"a:", b"To: @", b"> From ", b" \n", b"\n\n"],
)
def test_reading_takes_time_that_grows_as_the_file_does(begin: bytes, unit: bytes) -> None:
    def read(size: int) -> None:
        MailReader().parse(begin + unit * (size // len(unit)) + b"x", Path("a.txt"), 1e9)

    assert grows_linearly(read, 40_000)


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
def test_all_real_mails_are_read(data: Path, tmp_path: Path) -> None:
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
    other = []
    for file in files:  # the same bytes under a name that says nothing of mail
        copy = tmp_path / f"{file.stem}.txt"
        copy.write_bytes(file.read_bytes())
        os.utime(copy, ns=(file.stat().st_atime_ns, file.stat().st_mtime_ns))
        as_text, as_mail = MailReader().load_data(copy)[0], MailReader().load_data(file)[0]
        if (as_text.text, as_text.metadata) != (as_mail.text, as_mail.metadata):
            other.append(file.name)
    assert other == []
    japanese = MailReader().load_data(data / "memory" / "mail" / "multi_charset" / "japanese_shift_jis.eml")[0]
    assert "あいうえお" in japanese.text
