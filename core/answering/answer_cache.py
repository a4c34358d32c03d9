"""Caches a language model's checked answers: the same question over the same chunks has the same answer."""

from __future__ import annotations

import json
import logging
from collections.abc import Generator
from contextlib import closing
from dataclasses import astuple
from hashlib import sha256

from llama_index.core.prompts import BasePromptTemplate
from llama_index.core.schema import MetadataMode
from sqlalchemy import Column, Integer, MetaData, Table, Text, delete, func, insert, select

from ..catalog import Catalog, PluginTables
from ..errors import RagstoneError
from ..llm.settings import LLMSettings
from ..retrieval.models import Retrieval
from .answer import Draft, Sentence
from .synthesis import Synthesizer

_log = logging.getLogger(__name__)

#: Increased when the citation check changes, so that earlier answers are not found.
_VERSION = 2
#: Answers that are kept, about 2 kB each; older ones are deleted.
_MOST = 10_000

_metadata = MetaData()
_answer = Table(
    "ragstone_answer",
    _metadata,
    Column("id", Integer, primary_key=True),
    #: Not unique: of several rows the newest counts, such as the one behind a damaged row.
    Column("key", Text, nullable=False, index=True),
    #: JSON: the sentences' values, and what was dropped.
    Column("content", Text, nullable=False),
    Column("checksum", Text, nullable=False),
)


class AnswerCache:
    """A synthesizer that asks another one only when the catalog's table ``ragstone_answer`` does not hold the answer.

    The key is made of the question in its context, the chunks (and so of the corpus's state as far as it concerns
    the answer), the prompt, and the model with its settings. Only complete answers are kept. The table is a cache: its
    rows may be deleted at any time, and no failure of the storage fails an answer.
    """

    def __init__(self, inner: Synthesizer, catalog: Catalog, prompt: BasePromptTemplate, settings: LLMSettings) -> None:
        self._inner = inner
        self._catalog = catalog
        self._prompt = prompt
        self._settings = settings

    def sentences(self, retrieval: Retrieval, draft: Draft) -> Generator[Sentence, None, None]:
        """The sentences, stored or new. Raises ``LLMError``."""
        key = self._key(retrieval)
        stored = self._find(key)
        if stored is not None:
            draft.dropped.extend(stored[1])
            yield from stored[0]
            return
        new: list[Sentence] = []
        with closing(self._inner.sentences(retrieval, draft)) as sentences:
            for sentence in sentences:
                new.append(sentence)
                yield sentence
        if new:
            self._store(key, new, draft)

    def _key(self, retrieval: Retrieval) -> str:
        shown = [(node.node.node_id, node.node.get_content(MetadataMode.LLM)) for node in retrieval.nodes]
        prompt = self._prompt.format(context_str="{context}", query_str=retrieval.question)
        model = self._settings.model_dump(mode="json", exclude={"timeout", "remember"})
        return _hash(json.dumps([_VERSION, prompt, shown, model], sort_keys=True, default=str))

    def _find(self, key: str) -> tuple[list[Sentence], list[str]] | None:
        newest = select(_answer).where(_answer.c.key == key).order_by(_answer.c.id.desc()).limit(1)
        try:
            with self._tables.read() as connection:
                row = connection.execute(newest).first()
        except RagstoneError as error:
            _log.warning("stored answers cannot be read, the model is asked: %s", error)
            return None
        if row is None or _hash(str(row.content)) != row.checksum:
            return None
        stored, dropped = json.loads(row.content)
        return [Sentence(text, tuple(n), tuple(quotes), opens) for text, n, quotes, opens in stored], dropped

    def _store(self, key: str, sentences: list[Sentence], draft: Draft) -> None:
        content = json.dumps([[astuple(each) for each in sentences], draft.dropped])
        too_old = select(func.max(_answer.c.id)).scalar_subquery() - _MOST
        try:
            with self._tables.write(patience=1) as connection:  # the end of the answer waits for this
                connection.execute(insert(_answer).values(key=key, content=content, checksum=_hash(content)))
                connection.execute(delete(_answer).where(_answer.c.id <= too_old))
        except RagstoneError as error:
            _log.warning("an answer was not stored for the next time: %s", error)

    @property
    def _tables(self) -> PluginTables:
        return self._catalog.tables("ragstone", _metadata)


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()
