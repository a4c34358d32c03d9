"""Caches a language model's checked answers: the same question over the same passages has the same answer."""

from __future__ import annotations

import json
import logging
import re
from contextlib import closing, suppress
from dataclasses import asdict
from hashlib import sha256
from typing import TYPE_CHECKING

from llama_index.core.schema import MetadataMode

from ..runtime.owned_files import remove_own_file, write_atomically
from .draft import Draft, Sentence

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from llama_index.core.prompts import BasePromptTemplate

    from ..llm.settings import LLMSettings
    from ..retrieval.models import Retrieval
    from .synthesis import Synthesizer

_log = logging.getLogger(__name__)

#: Raised whenever another check would let other sentences through: what was remembered then counts no more.
_VERSION = 2
#: Answers that are kept; of more, the ones that were written first go. About 2 kB each.
_MOST = 10_000
_LOOKED_AFTER_EVERY = 256
#: Its files' names: others in the folder are not its own.
_NAMES = r"[0-9a-f]{64}\.json"


class AnswerCache:
    """A synthesizer that asks another one only what it has not been asked.

    An answer is known by the question in its context, the passages (and so by the corpus's state as far as it concerns
    the answer), the prompt, and the model with its settings. Only answers that came to their end are kept. The folder
    is a cache: it may be deleted at any time, and whatever goes wrong with it is none of the answer's business.
    """

    def __init__(self, inner: Synthesizer, folder: Path, prompt: BasePromptTemplate, settings: LLMSettings) -> None:
        self._inner = inner
        self._folder = folder
        self._prompt = prompt
        self._settings = settings

    def sentences(self, retrieval: Retrieval, draft: Draft) -> Generator[Sentence, None, None]:
        """The sentences, remembered or new. Raises ``LLMError``."""
        place = self._folder / f"{self._key(retrieval)}.json"
        known = _read(place)
        if known is not None:
            found, dropped = known
            draft.dropped.extend(dropped)
            yield from found
            return
        given: list[Sentence] = []
        with closing(self._inner.sentences(retrieval, draft)) as sentences:
            for sentence in sentences:
                given.append(sentence)
                yield sentence
        if given:
            self._keep(place, given, draft)

    def _key(self, retrieval: Retrieval) -> str:
        shown = [(node.node.node_id, node.node.get_content(MetadataMode.LLM)) for node in retrieval.nodes]
        prompt = self._prompt.format(context_str="{context}", query_str=retrieval.question)
        model = self._settings.model_dump(mode="json", exclude={"timeout", "remember"})
        return sha256(json.dumps([_VERSION, prompt, shown, model], sort_keys=True, default=str).encode()).hexdigest()

    def _keep(self, place: Path, given: list[Sentence], draft: Draft) -> None:
        told = json.dumps({"sentences": [asdict(sentence) for sentence in given], "dropped": draft.dropped})
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_atomically(place, told.encode())
            if int(place.name[:8], 16) % _LOOKED_AFTER_EVERY == 0:
                _forget_the_oldest(self._folder, _MOST)
        except OSError as error:
            _log.warning("an answer was not remembered: %s", error.strerror or error)


def _read(place: Path) -> tuple[list[Sentence], list[str]] | None:
    try:
        told = json.loads(place.read_text("utf-8"))
        sentences = [
            Sentence(each["text"], tuple(each["passages"]), tuple(each["quotes"]), bool(each["opens_paragraph"]))
            for each in told["sentences"]
        ]
        return sentences, [str(each) for each in told["dropped"]]
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        _log.warning("a remembered answer cannot be read and is asked anew: %s", type(error).__name__)
        return None


def _forget_the_oldest(folder: Path, most: int) -> None:
    own = (path for path in folder.iterdir() if re.fullmatch(_NAMES, path.name))
    kept = sorted(own, key=lambda path: path.lstat().st_mtime)
    for path in kept[: max(0, len(kept) - most)]:
        with suppress(OSError):
            remove_own_file(path, _NAMES)
