"""Ways to break a plugin: the code of a module each, and what is to be said of it."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

_HEAD = """
import time

import click
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.prompts import PromptTemplate
from llama_index.core.readers.base import BaseReader
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import Document, NodeWithScore, TextNode
from llama_index.core.tools import FunctionTool
from ragstone.core import Assistant, Check, CitationFormat, Profile, Table, hookimpl
from ragstone.core.answering import AssistantPaths, QuestionFilters
from ragstone.core.retrieval import Retrieval, ScoredRetriever, Scores


def profile(**more):
    form = {"fields": ("title",), "url": lambda node: "/"}
    form |= {name: more.pop(name) for name in ("fields", "url", "shown") if name in more}
    known = {"name": "broken", "title": "Broken", "description": "Broken.", "prompt": "broken/a"}
    known |= {"refusal": lambda filters: "no", "citations": CitationFormat(**form)}
    return Profile(**{**known, **more})


class Odd(Exception):
    def __str__(self):
        raise KeyError("no words")
"""


@dataclass(frozen=True)
class Broken:
    """A plugin that fails."""

    code: str
    #: What its state says; a part of it.
    reason: str
    #: Whether a look at the plugins finds it, without a question, a page or a tool that is asked for.
    at_a_look: bool = True
    #: What makes it fail: ``page``, ``tool``, ``command``, ``close`` or nothing else than to be used.
    by: str = ""
    state: str = "failed"

    @property
    def is_slow(self) -> bool:
        """Whether it takes its whole time."""
        return "time.sleep(20)" in self.code


def _module(code: str) -> str:
    return _HEAD + "\n\n" + textwrap.dedent(code)


def _hook(name: str, body: str, *arguments: str) -> str:
    return (
        f"@hookimpl\ndef ragstone_{name}({', '.join(arguments)}):\n{textwrap.indent(textwrap.dedent(body), '    ')}\n"
    )


def _of(hook: str, body: str, reason: str, *arguments: str, before: str = "", **more: object) -> Broken:
    return Broken(_module(f"{textwrap.dedent(before)}\n\n{_hook(hook, body, *arguments)}"), reason, **more)  # type: ignore[arg-type]


def _postprocessor(body: str, reason: str) -> Broken:
    before = f"""
class Mine(BaseNodePostprocessor):
    def _postprocess_nodes(self, nodes, query_bundle=None):
{textwrap.indent(textwrap.dedent(body), "        ")}
"""
    return _of("postprocessors", "return [Mine()]", reason, "corpus", before=before)


def _retriever(body: str, reason: str, *, kind: str = "BaseRetriever", method: str = "_retrieve") -> Broken:
    before = f"""
class Mine({kind}):
    def {method}(self, asked):
{textwrap.indent(textwrap.dedent(body), "        ")}
"""
    return _of("retriever", "return Mine()", reason, "corpus", before=before, at_a_look=False)


def _scored(returned: str, reason: str) -> Broken:
    body = f"""
    node = NodeWithScore(node=TextNode(id_="mine", text="A caster is made of rubber.", metadata={{}}), score=1.0)
    return {returned}
    """
    return _retriever(body, reason, kind="ScoredRetriever", method="search")


def _pages(body: str, reason: str, *, name: str = "broken", **more: object) -> Broken:
    code = f"""
from flask import Blueprint, Response

pages = Blueprint({name!r}, __name__, url_prefix="/broken")
{textwrap.dedent(body)}
return pages
"""
    return _of("pages", code, reason, "host", **{"at_a_look": False, **more})  # type: ignore[arg-type]


def _page(body: str, reason: str) -> Broken:
    return _pages(body, reason, by="page", state="loaded")


_SLOW = "time.sleep(20)"
_EXIT = "raise SystemExit(0)"
_READER = "class Mine(BaseReader):\n    pass"

PLUGINS: dict[str, Broken] = {
    # loading
    "import raises": Broken("raise ValueError('no import today')", "ValueError: no import today"),
    "import exits": Broken("import sys; sys.exit()", "SystemExit(None): a plugin must not end the process"),
    "import is slow": Broken(f"import time\n{_SLOW}", "its import took more than 1 s"),
    "import of what is not there": Broken("import no_such_package_anywhere", "ModuleNotFoundError"),
    "no Python": Broken("def (", "SyntaxError"),
    "an error without words": Broken(_module("raise Odd"), "its import raised Odd"),
    "an error of a megabyte": Broken("raise ValueError('x' * 1_000_000)", "x…"),
    # settings and life
    "settings are a number": _of("settings", "return 7", "not a class of pydantic models"),
    "settings have to be set": _of(
        "settings", "return Mine", "size: Field required", before="class Mine(Table):\n    size: int"
    ),
    "settings exit": _of(
        "settings",
        "return Mine",
        "SystemExit",
        before="""
            from pydantic import model_validator

            class Mine(Table):
                @model_validator(mode="after")
                def check(self):
                    raise SystemExit(0)
        """,
    ),
    "opened raises without words": _of("opened", "raise Odd", "ragstone_opened raised Odd", "host"),
    "opened is slow": _of("opened", _SLOW, "ragstone_opened took more than 1 s", "host"),
    "opened is slow with the host's lock": _of(
        "opened", "host.once(lambda host: time.sleep(20))", "ragstone_opened took more than 1 s", "host"
    ),
    "closing raises": _of("closing", "raise Odd", "ragstone_closing raised Odd", "host", by="close"),
    "closing is slow": _of("closing", _SLOW, "ragstone_closing took more than 1 s", "host", by="close"),
    # readers and parsers
    "readers are a list": _of("readers", "return [Mine()]", "not a Mapping", before=_READER),
    "readers are numbers": _of("readers", "return {'.txt': 7}", "not a BaseReader"),
    "readers have no suffix": _of("readers", "return {7: Mine()}", "not a str", before=_READER),
    **{
        f"a reader for {key}": _of("readers", f"return {{{key!r}: Mine()}}", "no lower-case suffix", before=_READER)
        for key in ("srt", ".SRT")
    },
    "readers are slow": _of("readers", _SLOW, "ragstone_readers took more than 1 s"),
    "a reader of others": _of(
        "readers", "return {'.md': Mine()}", "both book_chat and aaa_broken give readers for '.md'", before=_READER
    ),
    "a parser of others": _of(
        "node_parsers",
        "return {'book': SentenceSplitter()}",
        "both book_chat and aaa_broken give node_parsers for 'book'",
        before="from llama_index.core.node_parser import SentenceSplitter",
        at_a_look=False,
    ),
    "parsers are numbers": _of("node_parsers", "return {'broken': 7}", "not a NodeParser", at_a_look=False),
    # retrieval
    "a retriever is a number": _of("retriever", "return 7", "not a BaseRetriever", "corpus", at_a_look=False),
    "a retriever's hook is slow": _of("retriever", _SLOW, "took more than 1 s", "corpus", at_a_look=False),
    "a retriever gives nothing": _retriever("return None", "its retriever raised TypeError"),
    "a retriever gives a number": _retriever("return 7", "its retriever raised TypeError"),
    "a retriever gives texts": _retriever("return ['a caster']", "its retriever raised"),
    "a retriever gives a bad score": _retriever(
        "node = NodeWithScore(node=TextNode(text='A caster.'))\nnode.score = 'high'\nreturn [node]", "the score str"
    ),
    "a retriever gives no ids": _retriever(
        "return [NodeWithScore(node=TextNode(id_='', text='A caster.'), score=1.0)]", "a passage without an id"
    ),
    "a retriever exits": _retriever(_EXIT, "its retriever raised SystemExit(0)"),
    "scores of nothing": _scored("None", "not a Retrieval"),
    "scores of texts": _scored("Retrieval(asked, ('a caster',))", "not a NodeWithScore"),
    "scores that are none": _scored(
        "Retrieval(asked, (node,), {'mine': Scores(float('nan'), 1.0, 1.0)})", "it gives Scores"
    ),
    "a vector of another length": _scored("Retrieval(asked, (node,), vector=[1.0, 2.0])", "it gives a vector"),
    "cosines that are texts": _scored(
        "Retrieval(asked, (node,), sentence_cosines={'mine': ['high']})", "cosines of sentences that are no list"
    ),
    "cosines that are a number": _scored("Retrieval(asked, (node,), sentence_cosines=7)", "not a Mapping"),
    "terms that are texts": _scored("Retrieval(asked, (node,), stored_terms={'mine': 'a caster'})", "not a ChunkTerms"),
    "a threshold that is a text": _scored("Retrieval(asked, (node,), threshold='low')", "the threshold str"),
    # postprocessors
    "postprocessors are a number": _of("postprocessors", "return 7", "not a Sequence", "corpus"),
    "postprocessors are numbers": _of("postprocessors", "return [7]", "not a BaseNodePostprocessor", "corpus"),
    "a postprocessor gives nothing": _postprocessor("return None", "NoneType None, not a Sequence"),
    "a postprocessor gives a number": _postprocessor("return 7", "int 7, not a Sequence"),
    "a postprocessor gives texts": _postprocessor("return ['a']", "not a NodeWithScore"),
    "a postprocessor gives no ids": _postprocessor(
        "return [NodeWithScore(node=TextNode(id_='', text='a'))]", "a passage without an id"
    ),
    "a postprocessor gives bad scores": _postprocessor(
        "nodes[0].score = float('nan')\nreturn nodes", "the score float nan"
    ),
    "a postprocessor exits": _postprocessor(_EXIT, "Mine raised SystemExit(0)"),
    "a postprocessor empties the list": _postprocessor(
        "nodes.clear()\nraise ValueError('late')", "Mine raised ValueError: late"
    ),
    "a postprocessor spoils the texts": _postprocessor(
        "for each in nodes:\n    each.node.text = ''\n    each.node.metadata = {}\nraise ValueError('late')", "late"
    ),
    # prompts and models
    "prompts are texts": _of("prompts", "return {'broken/a': 'Answer'}", "not a BasePromptTemplate"),
    "a prompt leaves out the passages": _of(
        "prompts",
        "return {'book_chat/answer': PromptTemplate('Answer {query_str}')}",
        "its prompt 'book_chat/answer' leaves out {context_str}",
    ),
    "an encoder is a number": _of("embed_model", "return 7", "not a BaseEmbedding", "settings", at_a_look=False),
    "an encoder exits": _of(
        "embed_model",
        "return Mine(embed_dim=8)",
        "its encoder cannot be used",
        "settings",
        before="""
            from llama_index.core.embeddings import MockEmbedding

            class Mine(MockEmbedding):
                def _get_query_embedding(self, query):
                    raise SystemExit(0)
        """,
        at_a_look=False,
    ),
    # assistants
    "assistants are a number": _of("assistants", "return 7", "not a Sequence", "host"),
    "assistants are numbers": _of("assistants", "return [7]", "not a Assistant", "host"),
    "assistants are slow": _of("assistants", _SLOW, "ragstone_assistants took more than 1 s", "host"),
    "assistants of assistants": _of("assistants", "return [*host.hooks.assistants.values()]", "RecursionError", "host"),
    **{
        f"an assistant {what}": _of(
            "assistants", f"return [Assistant(host, host.corpus('broken', kind='book'), {given})]", reason, "host"
        )
        for what, given, reason in (
            ("of others", "profile(name='book_chat')", "both book_chat and aaa_broken give an assistant 'book_chat'"),
            ("without a name", "profile(name=None)", "as name of an assistant NoneType"),
            ("at no path", "profile(paths=AssistantPaths(query='broken'))", "which has no / first"),
            ("without functions", "profile(refusal='no')", "as refusal of an assistant str"),
            ("without an overview", "profile(overview=None)", "as overview of an assistant NoneType"),
            ("without a profile", "None", "AttributeError"),
        )
    },
    "an assistant without examples": _of(
        "assistants",
        "mine = profile(examples=lambda: [7])\nreturn [Assistant(host, host.corpus('broken', kind='book'), mine)]",
        "its examples: AttributeError",
        "host",
        at_a_look=False,
        state="loaded",
    ),
    "an assistant that exits": _of(
        "assistants",
        "mine = profile(filters=QuestionFilters({}, lambda filters: exit(0)))\n"
        "return [Assistant(host, host.corpus('broken', kind='book'), mine)]",
        "POST /assistants/broken/query raised SystemExit",
        "host",
        at_a_look=False,
        by="assistant",
        state="loaded",
    ),
    # tools
    "tools are a number": _of("tools", "return 7", "not a Sequence", "host"),
    "tools have one name": _of(
        "tools", "return [FunctionTool.from_defaults(lambda: 1, name='a')] * 2", "two tools with the name 'a'", "host"
    ),
    "a tool exits": _of(
        "tools",
        "return [FunctionTool.from_defaults(lambda: exit(0), name='broken')]",
        "its tool broken raised SystemExit",
        "host",
        at_a_look=False,
        by="tool",
        state="loaded",
    ),
    # pages
    "pages are a number": _of("pages", "return 7", "not a flask.Blueprint", "host", at_a_look=False),
    "pages cannot be mounted": _pages("pages.record_once(lambda state: 1 / 0)", "ZeroDivisionError"),
    "pages exit when mounted": _pages("pages.record(lambda state: exit(0))", "SystemExit"),
    "pages of others": _pages("", "both name their blueprint 'book_chat'", name="book_chat"),
    "health of others": _pages(
        "pages.url_prefix = ''\npages.add_url_rule('/health', 'h', lambda: 'ill')", "both want GET /health"
    ),
    **{
        f"pages with {decorator}": _pages(f"{call}(lambda *_: 1 / 0)", f"for every page of the server ({decorator})")
        for decorator, call in (
            ("before_app_request", "pages.before_app_request"),
            ("after_app_request", "pages.after_app_request"),
            ("teardown_app_request", "pages.teardown_app_request"),
            ("app_errorhandler", "pages.app_errorhandler(404)"),
            ("app_context_processor", "pages.app_context_processor"),
            ("app_url_defaults", "pages.app_url_defaults"),
            ("app_url_value_preprocessor", "pages.app_url_value_preprocessor"),
        )
    },
    "pages with a filter of others": _pages(
        "pages.app_template_filter('upper')(lambda text: 1 / 0)", "changes upper of the whole server"
    ),
    "pages with settings of others": _pages(
        "pages.record(lambda state: state.app.config.update(MAX_CONTENT_LENGTH=1))", "changes MAX_CONTENT_LENGTH"
    ),
    "a page raises": _page("@pages.get('/')\ndef mine():\n    return {}['axle']", "GET /broken/ raised KeyError"),
    "a page exits": _page("@pages.get('/')\ndef mine():\n    exit(0)", "GET /broken/ raised SystemExit"),
    "what comes before a page exits": _page(
        "@pages.before_request\ndef mine():\n    exit(0)\n@pages.get('/')\ndef page():\n    return 'page'",
        "GET /broken/ raised SystemExit",
    ),
    "the error of a page cannot be shown": _page(
        "@pages.context_processor\ndef mine():\n    raise Odd\n@pages.get('/')\ndef page():\n    raise KeyError",
        "GET /broken/ raised KeyError",
    ),
    # commands and checks
    "commands are numbers": _of("commands", "cli.commands['broken'] = 7", "not a Command", "cli"),
    "a command of Ragstone": _of(
        "commands",
        "cli.command('ask')(lambda: 1)",
        "both ragstone and aaa_broken give a command 'ask'",
        "cli",
        by="help",
    ),
    "a command of others": _of(
        "commands", "cli.command('serve')(lambda: 1)", "both web and aaa_broken give a command 'serve'", "cli"
    ),
    "a command exits": _of(
        "commands", "cli.command('broken')(lambda: exit(0))", "", "cli", at_a_look=False, by="command", state="loaded"
    ),
    "a group cannot be shown": _of(
        "commands",
        "group = click.Group('broken')\ngroup.get_short_help_str = lambda: 1 / 0\ncli.add_command(group)",
        "its command 'broken' raised ZeroDivisionError",
        "cli",
        at_a_look=False,
        by="help",
    ),
    "checks are a number": _of("checks", "return 7", "not a Sequence", "host"),
    "checks are texts": _of("checks", "return ['well']", "not a Check", "host"),
    "checks say nothing": _of("checks", "return [Check('mine', True, None)]", "as detail of a check NoneType", "host"),
    "checks raise": _of("checks", "raise Odd", "ragstone_checks raised Odd", "host"),
    "checks are slow": _of("checks", _SLOW, "ragstone_checks took more than 1 s", "host"),
    "checks are a coroutine": Broken(
        _module("@hookimpl\nasync def ragstone_checks(host):\n    return []"), "not async ones"
    ),
}
