"""Whether texts are in a language that the encoder does not know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ..text.languages import language_of

#: Of some fifty languages, small, and used without a prefix before questions.
MULTILINGUAL = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"


@dataclass(frozen=True)
class LanguageMismatch:
    """``count`` of ``of`` texts are in languages that the encoder is not made for."""

    #: The most frequent of them.
    language: str
    count: int
    of: int
    encoder: str
    known: str

    @property
    def is_most(self) -> bool:
        """Whether that holds for at least half of the texts."""
        return 2 * self.count >= self.of

    @property
    def detail(self) -> str:
        many = "it seems" if self.of == 1 else f"{self.count} of {self.of} samples seem"
        return (
            f"{many} to be {self.language}; the encoder {self.encoder} is made for {self.known}, and finds less of it"
        )

    def remedy(self, corpus: str) -> str:
        return (
            f'pip install \'ragstone[huggingface]\'; [encoder] provider = "huggingface", model = "{MULTILINGUAL}"; '
            f"ragstone corpus rebuild {corpus}"
        )


def language_mismatch(encoder: str, known: Sequence[str], texts: Sequence[str]) -> LanguageMismatch | None:
    """What is in other languages than the ``known`` ones of the encoder of that name; ``None`` where none is known."""
    if not known:
        return None
    found = Counter(language for text in texts if (language := language_of(text)) is not None)
    others = Counter({name: count for name, count in found.items() if name not in known})
    if not others:
        return None
    language = others.most_common(1)[0][0]
    return LanguageMismatch(language, others.total(), len(texts), encoder, " and ".join(known))
