"""``ragstone book``: add, list, compare and remove books."""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragstone.core import BadRequest, NotFound
from ragstone.core.cli import Deployment, json_option, printable, show_json, show_progress, show_table
from ragstone.core.text import counted

from ..library.editions import diff
from ..library.layouts.sites import SeveralBooks
from ..library.shelf import CORPUS, Shelf
from ..pdf.page_map import ranges

if TYPE_CHECKING:
    from ..library.books import AddReport
    from ..library.layouts.layout import BookLayout

_REASONS_SHOWN, _NAMES_SHOWN, _SAMPLES = 8, 3, 20


@click.command(epilog='Example: ragstone book add ./my-book --title "My Book" --edition "Second Edition"')
@click.argument("path")
@click.option("--title", help="The book's title; otherwise its own (of its configuration, first heading, folder).")
@click.option("--edition", help="The edition; several of one book stand side by side.")
@click.option("--site", metavar="FOLDER", help="Which book of a repository that holds several, by its folder there.")
@click.option("--queue", "queued", is_flag=True, help="Only queue it, or each book of a folder: ragstone book work.")
@json_option()
@click.pass_obj
def add(deployment: Deployment, /, path: str, queued: bool, as_json: bool, **options: str | None) -> None:
    """Put a book on the shelf, or bring it up to date. It is a PDF, an EPUB, a DOCX, a file of Markdown, HTML,
    reStructuredText, AsciiDoc or plain text, a folder of them, or a repository with a book in it.

    The book of a repository is found by its mdBook, Docusaurus, MkDocs, Jupyter Book, Quarto or Sphinx configuration.

    Adding it again under the same title and edition updates it: unchanged files are not embedded again, removed ones
    go. An interrupted run goes on where it was.

    With --queue each file and each folder in PATH is one book, which any number of "ragstone book work" read. The
    catalog must be in PostgreSQL.
    """
    if not path.strip():
        raise BadRequest("the path is empty", hint="give a book's folder or one of its files")
    if queued:
        from .queue import add_to_queue

        add_to_queue(deployment.host(), Path(path), options, as_json=as_json)
        return
    shelf = Shelf(deployment.host())
    layout = _plan(shelf, Path(path), options.pop("site"), asks=not as_json and sys.stdin.isatty())
    with show_progress("reading", len(layout.files)) as on_progress:
        report = shelf.add(layout, on_progress=on_progress, title=options["title"], edition=options["edition"])
    if as_json:
        show_json(asdict(report))
    else:
        _summarise(report, layout)
    if report.chunks:
        _warn_of_language(shelf, report.book)


def _warn_of_language(shelf: Shelf, slug: str) -> None:
    """Print to stderr where most of the book is in a language that the encoder is not made for."""
    from ..library.chapters import of_book

    corpus = shelf.corpus
    mismatch = corpus.encoder.language_mismatch(corpus.contents.samples(_SAMPLES, of_book(slug)))
    if mismatch is not None and mismatch.is_most:
        click.echo(printable(f"Note: {mismatch.detail}. -> {mismatch.remedy(CORPUS)}"), err=True)


def _plan(shelf: Shelf, path: Path, site: str | None, *, asks: bool) -> BookLayout:
    """The files of the book; of several in a repository, of the one that the user chooses."""
    try:
        return shelf.plan(path, site)
    except SeveralBooks as several:
        if not asks:
            raise
        for folder, name in several.sites.items():
            click.echo(printable(f"  {folder}: {name}"))
        site = click.prompt("Which one", type=click.Choice(list(several.sites)), default=next(iter(several.sites)))
        return shelf.plan(path, site)


@click.command("list", epilog="Example: ragstone book list --json")
@json_option()
@click.pass_obj
def list_books(deployment: Deployment, as_json: bool) -> None:
    """List the books, with the slug by which each is named."""
    books = Shelf(deployment.host()).counted()
    if as_json:
        show_json([asdict(one) for one in books])
        return
    show_table(
        ("slug", "title", "edition", "chapters", "passages"),
        [(one.slug, one.title, one.edition, one.chapters, one.chunks) for one in books],
        empty="The shelf is empty. Put a book on it: ragstone book add PATH",
    )


@click.command("diff", epilog="Example: ragstone book diff my-book-first-edition my-book-second-edition")
@click.argument("before", metavar="A")
@click.argument("after", metavar="B")
@json_option()
@click.pass_obj
def diff_books(deployment: Deployment, before: str, after: str, as_json: bool) -> None:
    """Show which sections changed from one edition to another. They are named by their slugs.

    Line breaks do not count.
    """
    shelf = Shelf(deployment.host())
    old, new = shelf.book(before), shelf.book(after)
    found = diff(shelf.corpus, old, new)
    if as_json:
        show_json(asdict(found))
        return
    click.echo(f"From '{old.title}' ({old.edition}) to '{new.title}' ({new.edition}):")
    renamed = tuple(f"{name}, before: {former}" for former, name in found.renamed)
    parts = {"added": found.added, "removed": found.removed, "changed": found.changed, "renamed": renamed}
    for what, names in parts.items():
        for name in names:
            click.echo(printable(f"  {what:8} {name}"))
    click.echo(f"{found.unchanged} sections are as they were.")


@click.command(epilog="Example: ragstone book remove my-book")
@click.argument("slug")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@json_option()
@click.pass_obj
def remove(deployment: Deployment, slug: str, yes: bool, as_json: bool) -> None:
    """Take a book off the shelf. Its files are not touched."""
    shelf = Shelf(deployment.host())
    found = shelf.book(slug)
    chunks = sum(each.chunks for each in shelf.counted() if each.slug == slug)
    if not yes and sys.stdin.isatty():
        click.confirm(f"Take '{found.title}' ({found.edition}) off the shelf?", abort=True)
    with suppress(NotFound):  # another process has removed it in the meantime
        shelf.remove(slug)
    if as_json:
        show_json({"removed": slug, "title": found.title, "edition": found.edition, "chunks": chunks})
    else:
        click.echo(f"'{found.title}' ({found.edition}) is off the shelf: {counted(passage=chunks)}.")


def _summarise(report: AddReport, layout: BookLayout) -> None:
    authors = f" by {', '.join(report.authors)}" if report.authors else ""
    click.echo(printable(f"'{report.title}'{authors} ({report.edition}) is on the shelf as {report.book}."))
    parts = {name: len(getattr(report, name)) for name in ("added", "updated", "unchanged", "removed")}
    counts = [f"{count} {name}" for name, count in parts.items() if count]
    read = layout.description
    if layout.kind not in ("file", "folder"):
        read += f", {counted(page=len(layout.files))} taken"
    click.echo(printable(f"Read as {read}: {', '.join(counts)}; {counted(passage=report.chunks)} embedded."))
    pages = {
        "read by OCR": report.ocr_pages,
        "without text, to be read by OCR": report.needs_ocr,
        "damaged": report.broken_pages,
    }
    for what, files in pages.items():
        for name, page_numbers in files.items():
            click.echo(printable(f"Pages {what} in {name}: {ranges(page_numbers)}"))
    if report.left_out:
        click.echo(f"Left out ({len(report.left_out)}):")
        reasons: dict[str, list[str]] = {}
        for left in report.left_out:
            reasons.setdefault(left.reason, []).append(left.relative)
        for reason, names in list(reasons.items())[:_REASONS_SHOWN]:
            click.echo(printable(f"  {_named(names)}: {reason}"))
        if more := sum(map(len, list(reasons.values())[_REASONS_SHOWN:])):
            click.echo(f"  … and {more} more for {len(reasons) - _REASONS_SHOWN} other reasons; --json names all")
    click.echo(f'Ask it: ragstone ask book_chat "…" --book {report.book}')


def _named(names: list[str]) -> str:
    more = len(names) - _NAMES_SHOWN
    shown = ", ".join(names[:_NAMES_SHOWN])
    return f"{shown} and {more} more" if more > 0 else shown
