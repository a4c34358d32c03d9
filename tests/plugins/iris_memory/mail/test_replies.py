"""A reply split into its own text, the quote and the signature."""

from __future__ import annotations

import pytest

from ragstone.plugins.iris_memory.mail.replies import split_reply


def test_quotes_and_signatures_are_distinguished() -> None:
    asked = "On Mon, 2 Feb 2026 at 10:00, Bob <bob@y.org>\nwrote:\n> Shall I paint it?\n>> Paint what?"
    body = f"Yes, do it.\n\n{asked}\n-- \nAnn\nX Ltd"
    reply = split_reply(body)
    assert reply.own == "Yes, do it."
    assert reply.quoted == "On Mon, 2 Feb 2026 at 10:00, Bob <bob@y.org> wrote:\nShall I paint it?"


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
    assert split_reply(body).own == (body if own is None else own)
