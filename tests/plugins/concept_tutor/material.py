"""A small plan with sources of the tests' own, as a wiki would have given them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from ragstone.core import Corpus, Host
from ragstone.plugins import concept_tutor
from ragstone.plugins.concept_tutor import Edge, NewChunk, NewConcept, NewPlan, PlanStore
from tests.support import commands

SAMPLE = Path(concept_tutor.__file__).parent / "sample" / "elementary-statistics.json"
SLUG, TITLE = "how-networks-learn", "How networks learn"
NAMES = {
    "derivative": "Derivative",
    "gradient": "Gradient",
    "loss": "Loss function",
    "chain-rule": "Chain rule",
    "gradient-descent": "Gradient descent",
    "backpropagation": "Backpropagation",
    "weight-decay": "Weight decay",
}
EDGES = (
    ("derivative", "gradient"),
    ("derivative", "chain-rule"),
    ("gradient", "gradient-descent"),
    ("loss", "gradient-descent"),
    ("chain-rule", "backpropagation"),
    ("gradient-descent", "backpropagation"),
    ("gradient-descent", "weight-decay"),
)
#: By concept: page, section, words. Weight decay has none.
SOURCES: dict[str, tuple[tuple[str, str, str], ...]] = {
    "derivative": (
        (
            "Derivative",
            "",
            (
                "The derivative is a number that tells how quickly a function changes at a point. For a "
                r"function $f$ it is the limit $$f'(x)=\lim_{h\to 0}\frac{f(x+h)-f(x)}{h}$$ where it exists. A "
                "positive derivative means that the function rises there, and a negative one that it falls. The "
                "notation $f'$ was introduced by Joseph-Louis Lagrange in 1770. At the top of a smooth hill the "
                "derivative is zero, since the slope changes from rising to falling."
            ),
        ),
    ),
    "gradient": (
        (
            "Gradient",
            "Definition",
            (
                "The gradient is the vector of all partial derivatives of a function of several variables. It "
                "points in the direction in which the function rises most steeply, and its length is the slope "
                r"in that direction. It is written $\nabla f$ with the sign nabla, which William Rowan Hamilton "
                "introduced in 1837. Where the gradient is zero, the function has a stationary point."
            ),
        ),
    ),
    "loss": (
        (
            "Loss function",
            "Purpose",
            (
                "A loss function is a function that measures how far the output of a model is from what was "
                "wanted. The squared error is the loss function that is used most often in regression, and the "
                "cross-entropy is used in classification. Training a model means to make the mean of its loss "
                "over the examples small."
            ),
        ),
    ),
    "chain-rule": (
        (
            "Chain rule",
            "",
            (
                "The chain rule is a formula for the derivative of a function that is made of two functions, "
                r"one inside the other. For $h(x)=f(g(x))$ it says $$h'(x)=f'(g(x))\,g'(x).$$ Gottfried Wilhelm "
                "Leibniz used it in a memoir of 1676. With more functions inside one another there are as many "
                "factors as functions."
            ),
        ),
    ),
    "gradient-descent": (
        (
            "Gradient descent",
            "Description",
            (
                "Gradient descent is a method that finds a minimum of a function by small steps against its "
                r"gradient. Each step is $$x_{n+1}=x_n-\eta\,\nabla f(x_n)$$ where the learning rate $\eta$ sets "
                "how long the step is. If the learning rate is too large, the steps jump over the minimum and "
                "may diverge. If it is too small, the method needs very many steps."
            ),
        ),
        (
            "Gradient descent",
            "History",
            (
                "The method was suggested by Augustin-Louis Cauchy in 1847. Jacques Hadamard proposed a similar "
                "one in 1907 by himself. Haskell Curry was the first who studied in 1944 when it converges. "
                "Stochastic gradient descent is a variant of it that takes each step from a few examples only, "
                "chosen at random."
            ),
        ),
    ),
    "backpropagation": (
        (
            "Backpropagation",
            "Overview",
            (
                "Backpropagation is an algorithm that computes the gradient of the loss with respect to every "
                "weight of a neural network. It applies the chain rule layer by layer, from the output back to "
                "the input, so that no product is computed twice. Seppo Linnainmaa published its modern form in "
                "1970. The weights are then changed by gradient descent."
            ),
        ),
    ),
}


def corpus_of(host: Host) -> Corpus:
    """The chunks of all plans."""
    return host.assistant("concept_tutor").corpus


def chunks_of(sources: Sequence[tuple[str, str, str]], base: str = "https://wiki.example/wiki/") -> list[NewChunk]:
    """As they come from a wiki, the most relevant first."""
    return [
        NewChunk(
            source="wikipedia",
            page_title=page,
            page_url=f"{base}{page.replace(' ', '_')}{'#' if section else ''}{section}",
            section=section,
            revision="17",
            licence="CC BY-SA 4.0",
            retrieved=datetime(2026, 11, 1, tzinfo=UTC),
            relevance=1.0 - 0.1 * number,
            content=words,
            language="en",
        )
        for number, (page, section, words) in enumerate(sources)
    ]


def put_plan(
    host: Host,
    *,
    slug: str = SLUG,
    title: str = TITLE,
    names: Mapping[str, str] = NAMES,
    edges: Sequence[tuple[str, str]] = EDGES,
    sources: Mapping[str, Sequence[tuple[str, str, str]]] = SOURCES,
) -> None:
    """Store the plan with its sources."""
    store = host.once(PlanStore)
    concepts = tuple(NewConcept(key, name) for key, name in names.items())
    store.add(NewPlan(slug, title, concepts, tuple(Edge(*each) for each in edges), origin="Written for the tests"))
    for key in names:
        store.put_sources(slug, key, chunks_of(sources.get(key, ())))


def run(host: Host, *arguments: str, typed: str = "") -> str:
    """What ``ragstone tutor`` prints on this host; raises its error."""
    return commands.run(host, "tutor", *arguments, typed=typed)
