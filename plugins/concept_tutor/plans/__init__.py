"""Study plans: concepts, which of them to learn before which, and the sources of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragstone.core import Corpus, Host

#: The corpus of their passages, and the kind of its documents.
NAME = "concept_tutor"
KIND = "tutor_passage"


def corpus_of(host: Host) -> Corpus:
    """The passages of all plans. A chunk's id is its ``chunk_id``; its metadata are those of ``corpus.document_of``."""
    return host.corpus(NAME, kind=KIND, hint="ragstone tutor plan add, then ragstone tutor sources PLAN")
