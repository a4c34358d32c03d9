"""The options of ``[plugins.concept_tutor]``: wikis, pages, sources and learning."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote, urlsplit

from pydantic import Field, field_validator, model_validator

from ragstone.core import Table

#: Characters of a page's key that its address has as they are.
_UNQUOTED = "!$&'()*+,;=:@/-._~"
_CONTACT = re.compile(r"[!-~]+@[!-~]+\.[!-~]+|https?://[!-~]+")


class SiteSettings(Table):
    """``[plugins.concept_tutor.wikis.sites.NAME]``: one MediaWiki."""

    #: Scheme and host, ``https://en.wikipedia.org``.
    url: str
    language: str = Field(default="en", pattern=r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$")
    #: The pages' licence, as readers see it.
    licence: str = Field(min_length=1, max_length=200)
    #: Path of MediaWiki's REST API, and what comes before a page's key in the address that a reader opens.
    api_path: str = "/w/rest.php"
    page_path: str = "/wiki/"
    #: A file of certificates to trust in the place of the usual ones, for a school's own wiki.
    certificates: Path | None = None

    @field_validator("url")
    @classmethod
    def _only_a_host(cls, value: str) -> str:
        parts = urlsplit(value)
        if parts.scheme not in {"http", "https"} or not parts.hostname or not value.isascii():
            raise ValueError("must be http:// or https:// and a host")
        if parts.username is not None or parts.path.strip("/") or parts.query or parts.fragment:
            raise ValueError("must be a scheme and a host alone; paths are api_path and page_path")
        parts.port  # noqa: B018 - raises ValueError where it is none
        return f"{parts.scheme}://{parts.netloc}".lower()

    @field_validator("api_path", "page_path")
    @classmethod
    def _path(cls, value: str) -> str:
        if not re.fullmatch(r"/[!-~]*", value) or "#" in value or "/../" in f"{value}/":
            raise ValueError("must begin with / and hold no blanks, no # and no ..")
        return value

    @property
    def page_base(self) -> str:
        """What a page's key is put behind in the address that a reader opens."""
        slash = "" if self.page_path.endswith(("/", "=")) else "/"
        return f"{self.url}{self.page_path}{slash}"

    def page_url(self, key: str) -> str:
        """The address that a reader opens."""
        safe = "/:" if "?" in self.page_path else _UNQUOTED
        return self.page_base + quote(key, safe=safe)


def _wikimedia() -> dict[str, SiteSettings]:
    licence = "CC BY-SA 4.0"
    return {
        "wikipedia": SiteSettings(url="https://en.wikipedia.org", licence=licence),
        "wikibooks": SiteSettings(url="https://en.wikibooks.org", licence=licence),
    }


class WikiSettings(Table):
    """``[plugins.concept_tutor.wikis]``: which wikis, and how they are asked."""

    sites: dict[str, SiteSettings] = Field(default_factory=_wikimedia)
    #: An e-mail or web address of the operator, sent with every request: Wikimedia requires one.
    contact: str | None = Field(default=None, max_length=200)
    #: Seconds that one search or one page may take, with all its tries.
    seconds: float = Field(default=20.0, gt=0, le=600)
    #: Seconds without a byte after which a try is given up, so that another one has its chance.
    patience: float = Field(default=10.0, gt=0, le=600)
    #: Megabytes that one answer may have, as it is sent and unpacked.
    sent_mb: float = Field(default=8.0, gt=0, le=1024)
    unpacked_mb: float = Field(default=32.0, gt=0, le=1024)
    #: Megabytes of pages and searches kept on disk.
    cache_mb: float = Field(default=256.0, gt=0, le=1_048_576)
    #: Hours for which a kept page or search is served without asking the wiki whether there is a newer one.
    fresh_hours: float = Field(default=24.0, ge=0, le=87_600)
    #: Names of hosts that may lie in a private network: a school's own wiki.
    private_hosts: tuple[str, ...] = ()
    #: Go by the proxies of the environment (``HTTPS_PROXY``); they then find the hosts' addresses.
    environment_proxies: bool = False

    @field_validator("sites")
    @classmethod
    def _names(cls, value: dict[str, SiteSettings]) -> dict[str, SiteSettings]:
        for name in value:
            if not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,63}", name):
                raise ValueError(f"the name {name[:64]!r} must be of a-z, 0-9, _ and -")
        return value

    @field_validator("contact")
    @classmethod
    def _contact(cls, value: str | None) -> str | None:
        if value is not None and not _CONTACT.fullmatch(value):
            raise ValueError("must be an e-mail address or a web address")
        return value

    @field_validator("private_hosts")
    @classmethod
    def _hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(host.lower() for host in value)


class PageSettings(Table):
    """``[plugins.concept_tutor.pages]``: limits of reading a page, lengths of its chunks, how many are kept."""

    #: Seconds and megabytes of memory that reading one page may take, and bytes that its HTML may have. A tag of 80,000
    #: attributes takes the parser 5 to 20 s, a page of 2.5 MB some 200 MB; the largest pages of Wikipedia have 10 MB.
    seconds: float = Field(default=20.0, gt=0, le=600)
    megabytes: int = Field(default=1000, ge=100, le=64_000)
    page_bytes: int = Field(default=20_000_000, gt=0)
    #: Words of a chunk; a piece below ``shortest`` is joined to a neighbour of its section or left out.
    min_words: int = Field(default=150, gt=0)
    max_words: int = Field(default=250, gt=0)
    shortest: int = Field(default=30, ge=1)
    #: Chunks kept of one page, and of all pages of a concept.
    chunks_a_page: int = Field(default=6, ge=1)
    chunks_a_concept: int = Field(default=8, ge=1)

    @model_validator(mode="after")
    def _in_order(self) -> PageSettings:
        if not self.shortest <= self.min_words <= self.max_words:
            raise ValueError("shortest, min_words and max_words must not fall")
        return self


class SourceSettings(Table):
    """``[plugins.concept_tutor.sources]``: how many pages are read for a concept, and of which wikis."""

    #: Names of the wikis that are searched, in this order; without it all of ``wikis.sites``.
    wikis: tuple[str, ...] | None = None
    #: Pages that are asked of each wiki's search, and pages that are read for a concept, the best of each wiki first.
    hits_a_wiki: int = Field(default=2, ge=1, le=50)
    pages_a_concept: int = Field(default=3, ge=1, le=50)


class LearnSettings(Table):
    """``[plugins.concept_tutor.learn]``: what is asked, how it is graded, when it is asked again."""

    #: Chunks of a concept, the most relevant ones, that its questions are made of.
    chunks: int = Field(default=8, ge=1, le=8)
    #: Questions of one concept at most.
    questions: int = Field(default=12, ge=1, le=40)
    #: Another number gives other wrong options and another order of them.
    seed: int = 0
    #: Whether the deployment's language model, where there is one, writes questions, and feedback to answers.
    llm_questions: bool = True
    llm_feedback: bool = True
    #: Characters that an answer may have.
    longest_answer: int = Field(default=2000, ge=100, le=20_000)
    #: Probability of remembering at which a question is asked again, and days after which it is in any case.
    retention: float = Field(default=0.9, ge=0.7, le=0.97)
    longest_days: int = Field(default=365, ge=1, le=36_500)
    #: Mastery of a concept, 0 to 1, from which on the next one comes.
    mastered: float = Field(default=0.85, gt=0, le=1)


class ConceptTutorSettings(Table):
    """``[plugins.concept_tutor]``."""

    wikis: WikiSettings = Field(default_factory=WikiSettings)
    pages: PageSettings = Field(default_factory=PageSettings)
    sources: SourceSettings = Field(default_factory=SourceSettings)
    learn: LearnSettings = Field(default_factory=LearnSettings)
    #: Whether a first start gets a small plan with sources of its own.
    sample: bool = True
    #: Chunks that a question in the chat is answered from.
    top_k: int = Field(default=6, ge=1, le=50)

    @model_validator(mode="after")
    def _known_wikis(self) -> ConceptTutorSettings:
        for name in self.sources.wikis or ():
            if name not in self.wikis.sites:
                known = ", ".join(self.wikis.sites) or "none"
                raise ValueError(f"sources.wikis names {name!r}, and wikis.sites has {known}")
        return self
