"""The sample and its template: the committed edition, and another one."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import pytest

from ragaliq.build.edition.draw import Facts, draw_facts
from ragaliq.build.edition.refresh import edition_differences, read_head, refresh
from ragaliq.build.edition.render import anchor_queries, taken_words
from ragaliq.build.edition.template import Template
from ragaliq.build.edition.template_reader import read_template
from ragaliq.cli import main


@pytest.fixture(scope="module")
def template() -> Template:
    folder = Path(__file__).parents[4] / "data" / "velmora"
    return read_template(folder, read_head(folder)["languages"])


def facts(template: Template, seed: int) -> Facts:
    return draw_facts(template.slots, template.pools, seed, frozenset(taken_words(template)))


@pytest.mark.slow
def test_the_committed_edition_is_what_the_template_makes(sample: Path) -> None:
    assert edition_differences(sample, 0, sample) == []


@pytest.mark.slow
def test_another_edition_is_clean(sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refresh(sample, 9, tmp_path / "nine")
    assert main(["validate", str(tmp_path / "nine")]) == 0, capsys.readouterr().out


def test_what_is_asked_for_is_there(template: Template) -> None:
    plans = template.plans
    types = [plan.type for plan in plans]
    assert len(plans) == 174 and types.count("unanswerable") == 26 and types.count("multi-hop") == 21
    assert sum(plan.exam for plan in plans) == 70
    assert len(anchor_queries(template)) == 46
    assert all(1 <= len(plan.nuggets) <= 5 for plan in plans if plan.answerable)
    assert all(plan.difficulty in ("easy", "medium", "hard") for plan in plans)


@pytest.mark.slow
def test_two_editions_share_few_answers(template: Template) -> None:
    page = template.pages["en"]
    answers = [(words.reference, *words.aliases) for words in page.words.values()]
    # Slots that stand with their right value.
    names = [set(re.findall(r"\{\^?([a-z][a-z0-9_]*)", " ".join(texts))) for texts in answers]
    slotted = [own for own in names if own]
    editions = [facts(template, seed).right for seed in (0, 1, 7)]
    for one, other in combinations(editions, 2):
        apart = [not {str(one[name]) for name in own} & {str(other[name]) for name in own} for own in slotted]
        assert sum(apart) / len(apart) >= 0.9
