"""Book chat's hooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ragstone.core import hookimpl

if TYPE_CHECKING:
    import click
    from llama_index.core.node_parser import NodeParser
    from llama_index.core.prompts import BasePromptTemplate
    from llama_index.core.readers.base import BaseReader
    from pydantic import BaseModel

    from ragstone.core import Assistant, Check, Host


@hookimpl
def ragstone_settings() -> type[BaseModel]:
    """The options of ``[plugins.book_chat]``."""
    from .settings import BookChatSettings

    return BookChatSettings


@hookimpl
def ragstone_readers(host: Host) -> Mapping[str, BaseReader]:
    """Markdown and its dialects, PDFs, EPUBs, pages of HTML, Word's documents, reStructuredText and plain text."""
    from .library.files import ASCIIDOC, MARKDOWN
    from .library.shelf import Shelf
    from .markdown.html.worker import READERS
    from .readers import FormatReader, MarkdownReader, PdfReader, PlainTextReader
    from .settings import BookChatSettings

    options = host.hooks.options(BookChatSettings)
    return {
        **dict.fromkeys((*MARKDOWN, *ASCIIDOC), MarkdownReader()),
        **dict.fromkeys(READERS, host.once(lambda _host: FormatReader())),
        ".pdf": PdfReader(
            seconds=options.pdf_seconds, megabytes=options.pdf_megabytes, ocr=Shelf(host).ocr if options.ocr else None
        ),
        ".txt": PlainTextReader(),
    }


@hookimpl
def ragstone_node_parsers(host: Host) -> Mapping[str, NodeParser]:
    """Books, cut into chunks of their sections."""
    from .parsers import BookNodeParser
    from .settings import BookChatSettings

    options = host.hooks.options(BookChatSettings)
    return {
        "book": BookNodeParser(
            max_tokens=options.chunk_tokens,
            min_tokens=options.min_chunk_tokens,
            overlap_tokens=options.overlap_tokens,
            count_tokens=host.hooks.encoder.count_tokens,
        )
    }


@hookimpl
def ragstone_prompts() -> Mapping[str, BasePromptTemplate]:
    """The template ``book_chat/answer``."""
    from .prompts import prompts

    return prompts()


@hookimpl
def ragstone_assistants(host: Host) -> Sequence[Assistant]:
    """The assistant ``book_chat``."""
    from .assistant import assistant

    return [assistant(host)]


@hookimpl
def ragstone_pages(host: Host) -> Any:
    """The chat page and the pages that citations open."""
    from .pages.chat import blueprint

    return blueprint(host)


@hookimpl
def ragstone_serving(host: Host) -> None:
    """Put the sample book on an unused shelf, and resume the uploads of the last server."""
    from .library.sample import put_sample_on_empty_shelf
    from .library.uploads.jobs import resume_uploads

    put_sample_on_empty_shelf(host)
    resume_uploads(host)


@hookimpl
def ragstone_commands(cli: click.Group) -> None:
    """``ragstone book``."""
    from ragstone.core.cli import LazyGroup

    functions = {"add": "books.add", "diff": "books.diff_books", "list": "books.list_books", "remove": "books.remove"}
    functions |= {"queue": "queue.queue", "watch": "watch.watch", "work": "queue.work"}
    paths = {name: f"{__package__}.commands.{function}" for name, function in functions.items()}
    text = "Put books on the shelf, look at it, take books off."
    cli.add_command(LazyGroup("book", help=text, lazy_subcommands=paths))


@hookimpl
def ragstone_checks(host: Host) -> Sequence[Check]:
    """How many books there are to ask."""
    from .checks import checks

    return checks(host)
