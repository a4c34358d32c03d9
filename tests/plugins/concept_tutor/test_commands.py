"""``ragstone tutor plan | sources | seed | export``: what each prints, where, and with which exit code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.plugins.concept_tutor.material import SAMPLE
from tests.plugins.concept_tutor.plans.gathering.small_wiki import SmallWiki, page
from tests.support.third_party_fakes import Here


@pytest.fixture
def wiki(tmp_path: Path) -> Iterator[SmallWiki]:
    """A wiki that the deployment in this folder asks."""
    with SmallWiki({name: page(name, "History") for name in ("Mean", "Variance")}) as running:
        site = f'[plugins.concept_tutor.wikis.sites.wiki]\nurl = "{running.url}"\nlicence = "CC BY-SA 4.0"\n'
        (tmp_path / "ragstone.toml").write_text(site, "utf-8")
        yield running


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    file = tmp_path / "statistics.csv"
    file.write_text("name,needs\nMean,Variance\nVariance,Mean\nZyzzyva,Mean;Variance\n", "utf-8")
    return file


def test_from_a_file_to_sources_and_away_again(here: Here, wiki: SmallWiki, plan: Path) -> None:
    done = here("tutor", "plan", "add", str(plan), "--title", "Statistics")
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "'Statistics' is there as statistics: 3 concepts, 3 prerequisites.\n"
        "A circle: Variance → Mean → Variance. That Variance needs Mean is left out.\n"
        "Find its sources: ragstone tutor sources statistics\n"
    )
    done = here("tutor", "sources", "statistics")
    assert (done.code, done.err) == (1, "")
    assert sorted(line.split(" ", 1)[1] for line in done.out.splitlines()) == [
        "Mean: 2 passages",
        "Variance: 2 passages",
        "Zyzzyva: none (no page of the wikis is about it)",
    ]
    assert here("tutor", "sources", "statistics").out.startswith("There was nothing to look for")
    result = json.loads(here("tutor", "sources", "statistics", "--retry", "--json").out)
    assert (result["states"], [one["state"] for one in result["concepts"]]) == ({"found": 2, "none": 1}, ["none"])
    assert here("tutor", "sources", "statistics", "--concept", "mean").code == 0
    shown = json.loads(here("tutor", "plan", "show", "statistics", "--json").out)
    assert [(one["key"], one["needs"], one["passages"]) for one in shown["concepts"]] == [
        ("variance", [], 2),
        ("mean", ["variance"], 2),
        ("zyzzyva", ["mean", "variance"], 0),
    ]
    assert "none: no page of the wikis" in here("tutor", "plan", "show", "statistics").out
    (listed,) = json.loads(here("tutor", "plan", "list", "--json").out)
    assert (listed["slug"], listed["concepts"], listed["edges"], listed["passages"]) == ("statistics", 3, 3, 4)
    done = here("tutor", "plan", "remove", "statistics", "--yes")
    assert done.out == "'Statistics' is removed: 3 concepts, 4 passages.\n"
    assert here("tutor", "plan", "list").out.startswith("There is no plan yet.")


def test_a_seed_comes_back_as_it_was_exported(here: Here, tmp_path: Path) -> None:
    done = here("tutor", "seed", str(SAMPLE))
    assert done.code == 0
    assert done.out.endswith("22 passages came with it.\n")
    result = here("tutor", "export", "elementary-statistics").out
    (tmp_path / "again.json").write_text(result, "utf-8")
    assert here("tutor", "plan", "remove", "elementary-statistics", "--json").code == 0
    assert here("tutor", "seed", "again.json", "--json").code == 0
    assert here("tutor", "export", "elementary-statistics").out == result


def test_a_plan_of_a_page(here: Here, wiki: SmallWiki) -> None:
    wiki.pages["Mean"] = page("Mean", links=("Variance",))
    result = json.loads(here("tutor", "plan", "add", "--from-page", "wiki/Mean", "--json").out)
    assert (result["slug"], result["concepts"], result["edges"]) == ("mean", 2, 1)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("plan", "add"), 2, "name one of FILE, --from-page, --topic and --corpus"),
        (("plan", "add", "a.csv", "--topic", "x"), 2, "name one of FILE, --from-page, --topic and --corpus"),
        (("plan", "add", "nothing.csv"), 1, "nothing.csv: cannot be read"),
        (("plan", "add", "bad.json"), 2, "bad.json, line 1, column 2: is no JSON"),
        (("plan", "add", "--topic", "Statistics"), 1, "no language model is set"),
        (("plan", "add", "--from-page", "wikipedia/Mean"), 2, "contact is not set"),
        (("plan", "show", "nothing"), 2, "there is no plan 'nothing'"),
        (("plan", "remove", "nothing", "--yes"), 2, "there is no plan 'nothing'"),
        (("sources", "nothing"), 2, ""),
        (("export", "nothing"), 2, "there is no plan 'nothing'"),
        (("seed", "list.json"), 2, "no concept of it has sources"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    here: Here, tmp_path: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    (tmp_path / "bad.json").write_text("{", "utf-8")
    (tmp_path / "list.json").write_text('["Mean"]', "utf-8")
    done = here("tutor", *arguments)
    assert (done.code, done.out) == (code, "")
    assert message in done.err
    assert done.err.count("\n") == 1


def test_what_is_piped_in_is_read(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO("# Numbers\nMean\n"))
    assert here("tutor", "plan", "add", "-").out.startswith("'Numbers' is there as numbers: 1 concept, 0 prerequ")


def test_control_characters_do_not_reach_the_terminal(here: Here, tmp_path: Path) -> None:
    (tmp_path / "evil.json").write_text('{"title": "T", "concepts": ["A\\u009b31m\\u202eB"]}', "utf-8")
    done = here("tutor", "plan", "add", "evil.json")
    shown = here("tutor", "plan", "show", "t")
    assert not {"\x9b", "\u202e"} & set(done.out + done.err + shown.out + shown.err)
