"""The chat's script against streams that a test makes up."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flask import Flask

from ragstone.core import Answer, Citation, CitationFormat
from ragstone.web import rendering
from tests.browser.audits import Open

pytestmark = pytest.mark.browser

#: Streams the words of ``window.said`` one by one, then its answer or its error; without one it never ends.
STREAM = """
window.fetch = async (url, { signal, body }) => {
  window.sent = { url, body: JSON.parse(body) };
  if (window.said.down) throw new TypeError("Failed to fetch");
  const { words, answer, error } = window.said;
  const encode = (text) => new TextEncoder().encode(text);
  const event = (name, data) => encode(`event: ${name}\\ndata: ${JSON.stringify(data)}\\n\\n`);
  return new Response(new ReadableStream({
    async start(controller) {
      signal.addEventListener("abort", () => controller.error(new DOMException("", "AbortError")));
      for (const text of words) {
        // in two pieces: events do not arrive whole
        const bytes = event("delta", { text });
        controller.enqueue(bytes.slice(0, 20));
        await new Promise((done) => setTimeout(done, 5));
        controller.enqueue(bytes.slice(20));
      }
      if (answer) controller.enqueue(event("answer", answer));
      if (error) controller.enqueue(event("error", error));
      if (answer || error || window.said.cut) controller.close();
    },
  }), { headers: { "Content-Type": "text/event-stream" } });
};
"""
EVIL = "<img src=x onerror=alert(1)>"
FIELDS = {
    "book_title": f"Book {EVIL}",
    "chapter": "One",
    "section": "1.1",
    "page_label": "12",
    "is_simulation": True,
    "licence": f"CC BY {EVIL}",
}
FORMAT = CitationFormat(
    tuple(FIELDS),
    url=lambda node: f"/book_chat/source/{node.node_id}",
    title="book_title",
    parts=("edition", "chapter", "section"),
    tags={"is_simulation": "Simulation"},
)


def _citation(n: int, chunk_id: str, quote: str, url: str, fields: dict[str, Any]) -> Citation:
    return Citation(n, chunk_id, quote, url, fields, place=FORMAT.place(fields))


ANSWER = Answer(
    f"WARNING: Hold **it** [1]. {EVIL}\nfirmly\nWARNING: And wait [2]\n\n"
    f"Nodes run [1]. {EVIL}\nNext line with `code [1]` and **bold** [2][9].\n\n- one [1]\n* two\n\n"
    "For $5 and US$6, $100 million to $200 million.\n\n4. four\n5. five\n> [!NOTE]\n> noted\n> 99. not a list\n"
    f"```python\nx = [1]\n\n{EVIL}\n```\n| a | b |\n|---|:--|\n| c [1] | d |\n"
    "last `open **mark\n~~~\nnever closed",
    (
        _citation(1, "c1", f"A `quote`, (well-known)! {EVIL}", "/book_chat/source/c1", FIELDS),
        _citation(2, "c2", "", "javascript:alert(1)", {"book_title": "Elsewhere"}),
        _citation(3, "c3", "It's one of **more** words\n\nthan twelve, é *so* cut & short in - the middle", "/3", {}),
        _citation(4, "c4", "Plain", "https://example.org/page#there", {}),
        _citation(5, "c5", "", "/5", {}),
        _citation(6, "c6", "Plain words", "https://example.org/page", {}),
        _citation(7, "c7", "", "https://example.org/page", {}),
    ),
)


def ask(page: Any, output: dict[str, Any]) -> None:
    page.evaluate("said => { window.said = said; }", {"words": [], **output})
    page.get_by_role("textbox", name="Your question").fill("What?")
    page.keyboard.press("Enter")


def test_the_script_draws_what_the_server_draws(open_page: Open) -> None:
    page = open_page(script=STREAM)
    ask(page, {"words": ["Nodes ", "run [1]", ". "], "answer": ANSWER.to_dict()})
    page.locator(".sources").wait_for()
    app = Flask("ragstone.web")
    rendering.install(app)
    with app.test_request_context():
        macros: Any = app.jinja_env.get_template("ragstone/answer.html").module
        drawn = macros.exchange("What?", ANSWER, None)
    normal = """html => {
        const box = new DOMParser().parseFromString(html, "text/html");
        for (const e of box.querySelectorAll("*")) {
            e.removeAttribute("id");
            e.removeAttribute("aria-describedby");
        }
        const walk = (e) => [e.tagName, [...e.attributes].map((a) => `${a.name}=${a.value}`).sort(),
            [...e.childNodes].filter((n) => n.nodeType === 1 || n.textContent.trim()).map((n) =>
                n.nodeType === 1 ? walk(n) : n.textContent)];
        return walk(box.querySelector(".answer"));
    }"""
    ours = page.evaluate(normal, page.locator(".exchange").evaluate("e => e.outerHTML"))
    theirs = page.evaluate(normal, str(drawn))
    assert json.dumps(ours, indent=1) == json.dumps(theirs, indent=1)
    assert page.locator(".answer img, .answer script").count() == 0
    assert page.locator(".text a[href^=javascript]").count() == 0


def test_an_answer_can_be_stopped(open_page: Open) -> None:
    page = open_page(script=STREAM)
    ask(page, {"words": ["It ", "starts "]})
    page.get_by_text("It starts").wait_for()
    assert page.locator(".answer").get_attribute("aria-busy") == "true"
    assert page.locator("[data-status]").inner_text() == "", "not every token is read out"
    page.get_by_role("button", name="Stop").click()
    page.locator(".state", has_text="Stopped").wait_for()
    assert "It starts" in page.locator(".text").inner_text()
    assert page.get_by_role("button", name="Ask").is_visible()
    assert page.locator(":focus").get_attribute("name") == "q"


def test_starting_over_stops_and_forgets(open_page: Open) -> None:
    page = open_page(script=STREAM)
    ask(page, {"words": ["It ", "starts "]})
    page.get_by_text("It starts").wait_for()
    page.get_by_role("button", name="New conversation").click()
    page.get_by_role("button", name="Ask").wait_for()
    page.reload()
    assert page.locator(".exchange").count() == 0


def test_a_second_question_waits_for_the_first(open_page: Open) -> None:
    page = open_page(script=STREAM)
    ask(page, {"words": ["one "]})
    ask(page, {"words": ["two "]})
    assert page.locator(".exchange").count() == 1


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ({"down": True}, "Ragstone cannot be reached. Is it still running?"),
        ({"words": ["It "], "cut": True}, "The answer broke off before its end. Please ask again."),
        ({"words": ["It "], "error": {"title": "t", "detail": "the model is gone"}}, "The model is gone"),
    ],
)
def test_what_goes_wrong_is_reported_in_words(open_page: Open, output: dict[str, Any], words: str) -> None:
    page = open_page(script=STREAM)
    ask(page, output)
    failed = page.locator(".answer.failed")
    failed.wait_for()
    assert words in failed.inner_text()
    assert page.locator("[data-status]").inner_text() == words
    assert page.get_by_role("textbox", name="Your question").input_value() == "What?", "ready to be asked again"


def test_the_conversation_survives_leaving_the_page(open_page: Open) -> None:
    page = open_page(script=STREAM)
    ask(page, {"answer": ANSWER.to_dict()})
    page.locator(".sources").wait_for()
    page.goto("/")
    page.go_back()
    assert page.locator(".exchange .text").inner_text().startswith("Warning\nHold it")
    assert page.locator("[data-status]").inner_text() == ""


def test_what_was_answered_goes_along_with_the_next_question(open_page: Open) -> None:
    page = open_page(script=STREAM)
    ask(page, {"answer": Answer("Nodes run. [1]", ANSWER.citations[:1]).to_dict()})
    page.locator(".sources").wait_for()
    assert page.evaluate("window.sent.body.history") == []
    ask(page, {"answer": Answer("I do not know that.", refused=True, reason="nothing").to_dict()})
    page.locator(".refused").wait_for()
    assert page.evaluate("window.sent.body.history") == [{"question": "What?", "answer": "Nodes run. [1]"}]
    ask(page, {"down": True})
    page.locator(".failed").wait_for()
    assert page.evaluate("window.sent.body.history")[1] == {
        "question": "What?",
        "answer": "",
    }  # a refusal answers nothing
