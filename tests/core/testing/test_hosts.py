"""The kit for plugin authors."""

from ragstone.core import Host
from ragstone.core.testing import ScriptedLLM, open_host
from tests.support.third_party_fakes import add_book


def test_a_host_in_a_folder_answers(fast_host: Host, small_book):  # type: ignore[no-untyped-def]
    from ragstone.plugins.book_chat import Shelf

    shelf = Shelf(fast_host)
    report = shelf.add(shelf.plan(small_book), title="Robot parts")
    assert report.chunks == 4
    answer = fast_host.assistant("book_chat").ask("What is a caster wheel?")
    assert answer.text.startswith("A caster is a wheel that swivels about a vertical axis. [1]")


def test_scripted_model(tmp_path, small_book):  # type: ignore[no-untyped-def]

    llm = ScriptedLLM()
    with open_host(tmp_path, llm=llm) as host:
        add_book(host, small_book)
        llm.enqueue("A caster is a wheel that swivels about a vertical axis [1]. Casters cost 20 euros [1].")
        answer = host.assistant("book_chat").ask("What is a caster wheel?")
    assert answer.text == "A caster is a wheel that swivels about a vertical axis. [1]"
    assert "20" in answer.dropped[0]
    assert "A caster is a wheel" in llm.prompts[0]
