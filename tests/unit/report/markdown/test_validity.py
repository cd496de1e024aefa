"""The certificate as Markdown: the card claims what the figures show, and no more."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from ragaliq.build.quality.family_left_out import LeftOutFamily
from ragaliq.build.validity.certificate import ConfigurationMeans, LanguageValidity, ValidityCertificate
from ragaliq.build.validity.discrimination import Discrimination
from ragaliq.build.validity.estimate import Estimate, share_of
from ragaliq.build.validity.human_questions import UnusedQuestion
from ragaliq.build.validity.matching import Balance, Matching
from ragaliq.build.validity.pool_checks import PoolCheck
from ragaliq.build.validity.question_alone import QuestionAlone
from ragaliq.build.validity.rank_agreement import RankAgreement
from ragaliq.report.markdown.build.certificate_block import MARK, with_certificate_of
from ragaliq.report.markdown.validity import card_section, certified_lines, write_validity

TAU = RankAgreement(
    "nDCG@10", "tau", Estimate(0.812, 0.7, 0.9), 30, Estimate(0.85, 0.8, 0.9), Estimate(0.84, 0.75, 0.88),
    Estimate(0.01, -0.02, 0.04), "within",
)  # fmt: skip
ENGLISH = LanguageValidity(
    "en", 40, 60, 2, 29, [TAU, replace(TAU, coefficient="tau_ap", value=None)],
    [Discrimination("nDCG@10", 40, 406, 0.25, 0.3, 0)],
    Matching("human", ("q1",), (Balance("length", 1.5, 0.25), Balance("type", None, None))),
    [ConfigurationMeans("words: a", {"nDCG@10": 0.5}, {"nDCG@10": 0.25}),
     ConfigurationMeans("words: b", {"nDCG@10": 0.4}, {"nDCG@10": 0.75})],
)  # fmt: skip
CERTIFICATE = ValidityCertificate(
    "station", "1", "abc", "human.csv", "def", "openai:m", [ENGLISH], {"de": "3 questions of people"},
    [UnusedQuestion(line, "quote not found") for line in range(2, 14)],
    [QuestionAlone("en", share_of(0, 40), share_of(1, 40), share_of(0, 40), None, None)],
    [PoolCheck("en", 40, {"1": 0.5, "20": 0.975}, share_of(2, 200), 12.5, Estimate(0.9, 0.7, 0.97))],
    [LeftOutFamily("en", "words", ["bm25"], ["char"], 40, 80, 0.05, 2, 1.0, 0)],
)  # fmt: skip


def test_the_card_says_the_verdict_with_its_figures_and_its_bounds() -> None:
    within, not_certified = certified_lines(CERTIFICATE)
    assert within.startswith("en: as close as people's questions are to each other, within the margin: τ of nDCG@10")
    assert "0.812 [0.700–0.900] (40 built and 60 human questions, 29 retrieval configurations)" in within
    assert "at 30 questions a side 0.840 [0.750–0.880], ceiling 0.850 [0.800–0.900]" in within
    assert within.endswith("distance 0.010 [-0.020 … +0.040]")
    assert not_certified == "de: not certified: 3 questions of people"
    assert "It does not cover ranking generators" in " ".join(card_section(CERTIFICATE).split())


@pytest.mark.parametrize(
    ("verdict", "told"), [("beyond", "farther from"), ("undecided", "too few questions to decide")]
)
def test_a_benchmark_that_is_no_match_is_not_called_one(verdict: str, told: str) -> None:
    language = replace(ENGLISH, agreement=[replace(TAU, verdict=verdict)])
    line = certified_lines(replace(CERTIFICATE, languages=[language]))[0]
    assert line.startswith(f"en: {told}") and "within the margin" not in line


def test_rules_make_no_valid_benchmark_whatever_the_figures() -> None:
    assert "not a valid one" in certified_lines(replace(CERTIFICATE, backend="scripted"))[-1]


def test_the_page_and_the_figures_are_written(tmp_path: Path) -> None:
    write_validity(tmp_path, CERTIFICATE)
    content = json.loads((tmp_path / "build" / "certificate.json").read_text(encoding="utf-8"))
    assert content["languages"][0]["agreement"][0]["value"] == {"value": 0.812, "low": 0.7, "high": 0.9}
    page = (tmp_path / "build" / "certificate.md").read_text(encoding="utf-8")
    assert [line for line in page.splitlines() if line.startswith("#")] == [
        "# Certificate of station 1", "## Certificate of validity", "## en", "## The question alone",
        "## Pool and judge", "## Questions of people that could not be used", "## Sources",
    ]  # fmt: skip
    assert "2 built questions that a person asked, too, are left out." in page
    assert "length 1.500 → 0.250, type — → —" in page
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line[:1] == "|"]
    assert ["τ_AP of nDCG@10", "—"] in [row[:2] for row in cells]
    # Configurations stand in the order of the human side, with both means.
    assert [row for row in cells if row[0].startswith("words")] == [
        ["words: b", "0.750", "0.400"], ["words: a", "0.250", "0.500"],
    ]  # fmt: skip
    assert ["en", "40", "200", "0.010 [0.003–0.036]", "0.900 [0.700–0.970]", "0.500", "0.975"] in cells
    assert ["en", "40", "0.000 [0.000–0.088]", "0.025 [0.004–0.129]", "0.000 [0.000–0.088]", "—", "—"] in cells
    assert "- line 11: quote not found\n- and 2 more" in page


def test_the_card_gets_the_certificate_once_and_keeps_what_else_it_says(tmp_path: Path) -> None:
    path = tmp_path / "CARD.md"
    write_validity(tmp_path, CERTIFICATE)
    assert path.read_text(encoding="utf-8").startswith(
        "# Data card: station 1\n\n<!-- certificate of abc -->\n\n## Cert"
    )
    path.write_text(f"# Card\n\nText.\n\n{MARK}\n\nMine.\n", encoding="utf-8")
    write_validity(tmp_path, CERTIFICATE)
    once = path.read_text(encoding="utf-8")
    write_validity(tmp_path, CERTIFICATE)
    assert path.read_text(encoding="utf-8") == once
    assert once.startswith("# Card\n\nText.\n\n<!-- certificate of abc -->") and once.endswith(f"{MARK}\n\nMine.\n")
    for told in (
        "- en: as close as people's questions",
        "- en: τ_AP (errors near the top weigh more) —; at 30 questions a side 0.840",
        "- en: of 406 pairs of configurations 40 built questions separate 25.0%, as many human ones 30.0%\n",
        "- en: of 200 random documents outside the pool 2 support a nugget, as judged; estimated pool recall 0.900 "
        "[0.700–0.970]; a family of retrievers left out loses at most 5.0% of the relevant\n",
        "- en: the question alone contains the answer of 0 of 40 questions\n",
        "It does not cover ranking generators",
    ):  # fmt: skip
        assert told in once


def test_a_card_that_is_written_again_keeps_the_certificate_of_its_data_alone(tmp_path: Path) -> None:
    write_validity(tmp_path, CERTIFICATE)
    before = (tmp_path / "CARD.md").read_text(encoding="utf-8")
    same = with_certificate_of(f"# New\n\n{MARK}\n", before, "abc")
    assert same.startswith("# New\n\n<!-- certificate of abc -->") and "within the margin" in same
    assert same.endswith(f"{MARK}\n")
    other = with_certificate_of(f"# New\n\n{MARK}\n", before, "xyz")
    assert "for an earlier version of the data" in other and "within the margin" not in other
    assert with_certificate_of("# New\n", f"{MARK}\n{before}", "abc") == "# New\n"
