"""The language of a text, guessed by its letters and its most frequent short words."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache

from .stemming import STOP_WORDS

#: Short words that stand in nearly every text of a language written in Latin letters.
_WORDS = {
    "English": "the of and to in is that it for was on are with as be this by at from have not or which an they",
    "German": "der die und das ist nicht mit von den ein eine sich auf für dem des auch im zu werden als sind oder es",
    "French": "le la les de des et un une est dans que qui pour pas du sur avec par sont plus il ne ce au cette",
    "Spanish": "el la los las de que y en un una es por con para se del no lo como más su al son este",
    "Italian": "il la di che e un una è per non con del della le si in sono da come i gli dei nel più alla",
    "Portuguese": "o a de que e do da em um uma para com não os as no na é por mais dos se como são ao",
    "Dutch": "de het een en van is dat niet op te met voor zijn aan er om ook als bij of worden door naar wordt die",
    "Swedish": "och att det som en på är av för med den inte till i ett om har de kan eller från var så vid",
    "Danish": "og at det er som en på af for med den ikke til i et om har de kan eller fra var så ved",
    "Norwegian": "og å det er som en på av for med den ikke til i et om har de kan eller fra var så ved",
    "Finnish": "ja on ei että se oli hän ovat kun mutta myös tai kuin niin joka voi sen ole mitä vain jos",
    "Polish": "i w na z się nie do to że jest jak po od za przez dla są oraz który lub co ale być jego",
    "Czech": "a v na se je že s z do to i o k pro by ve jako které není nebo od po jsou jeho který",
    "Hungarian": "a az és hogy nem is egy van ez meg volt de csak mint vagy már ha el kell még lehet azt",
    "Turkish": "ve bir bu da de için ile olarak daha gibi çok ne en olan var değil kadar sonra ya mi her",
    "Romanian": "și de la în a pe cu nu că o un este din care pentru mai se sau fi sunt ca al dar",
    "Indonesian": "yang dan di dengan untuk dari ini itu pada tidak dalam adalah akan atau oleh juga ke sebagai dapat",
}
#: Words of one letter, and those that English has too, tell nothing: lists of names and code are full of them.
_LISTS = {
    name: frozenset(word for word in words.split() if name == "English" or (len(word) > 1 and word not in STOP_WORDS))
    for name, words in _WORDS.items()
}
#: The first word of a letter's name in Unicode, where one language is by far the most frequent.
_SCRIPTS = {
    "CJK": "Chinese",
    "HIRAGANA": "Japanese",
    "KATAKANA": "Japanese",
    "HANGUL": "Korean",
    "GREEK": "Greek",
    "THAI": "Thai",
    "HEBREW": "Hebrew",
}
_WORD = re.compile(r"[^\W\d_]+")
#: Characters that are looked at; letters and words, and share of listed words, below which nothing is said; how far the
#: best language must be ahead of English; and different words of its list.
_READ, _FEWEST, _LEAST, _AHEAD, _DIFFERENT = 20_000, 40, 0.12, 1.3, 5


def language_of(text: str) -> str | None:
    """The language's English name, such as "German"; ``None`` for too short a text, code, tables, unknown languages.

    Neighbouring languages may be taken for each other (Danish for Norwegian), English for none of the others.
    """
    letters = [char for char in text[:_READ] if char.isalpha()]
    scripts = Counter(map(_script, letters))
    script, count = scripts.most_common(1)[0] if scripts else ("", 0)
    if len(letters) < _FEWEST:
        return None
    if scripts["HIRAGANA"] + scripts["KATAKANA"] > len(letters) / 20:
        return "Japanese"
    if script != "LATIN":
        return (
            _SCRIPTS.get(script, f"a language in {script.capitalize()} letters") if count > len(letters) / 2 else None
        )
    words = [word.casefold() for word in _WORD.findall(text[:_READ])]
    if len(words) < _FEWEST:
        return None
    shares = {name: sum(word in listed for word in words) / len(words) for name, listed in _LISTS.items()}
    best = max(shares, key=shares.__getitem__)
    if shares[best] < _LEAST or len(_LISTS[best].intersection(words)) < _DIFFERENT:
        return None
    return best if best == "English" or shares[best] >= _AHEAD * shares["English"] else None


@lru_cache(maxsize=4096)
def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]
