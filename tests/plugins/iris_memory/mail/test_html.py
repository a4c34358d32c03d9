"""HTML mail as plain text."""

from ragstone.plugins.iris_memory.mail.message import text_of_html


def test_html_alone_becomes_words() -> None:
    html = "<html><head><title>x</title><style>p{}</style></head><body><p>Dear&nbsp;Ann,<br>the <b>kettle</b> is red."
    html += "<script>steal()</script><ul><li>one<li>two</ul><blockquote>You asked</blockquote><!-- no --></body>"
    output = [line for line in text_of_html(html).split("\n") if line]
    assert output == ["Dear Ann,", "the kettle is red.", "- one", "- two", "> You asked"]
