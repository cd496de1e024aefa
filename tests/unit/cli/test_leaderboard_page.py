"""docs/leaderboard.md: its tables are what the command makes of the reference's logs, beside the published order."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import ROOT, SHARED
from ragaliq.cli import main
from ragaliq.report.format import markdown, ranks

PAGE = ROOT / "docs" / "leaderboard.md"
REFERENCE = SHARED / "ragaliq"


def published(lang: str) -> list[tuple[str, float]]:
    """Systems in the published order of a language, with their published weighted score."""
    section = (REFERENCE / "results_visible.md").read_text(encoding="utf-8").split(f"## {lang}\n\n")[1].split("\n\n")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.strip().splitlines()[2:]]
    return [("_".join(row[:3]), float(row[4])) for row in rows]


def logs(lang: str) -> list[str]:
    return [str(path) for path in sorted((REFERENCE / "logs" / "eval").glob(f"eval_res_questions_{lang}_*.json"))]


def table(lang: str, told: str) -> str:
    by_name = {system["system"]: system for system in json.loads(told)["systems"]}
    rows = []
    for place, (name, score) in enumerate(published(lang), start=1):
        own = by_name.pop(name)
        assert own["score"] == pytest.approx(score, abs=1e-6)
        rows.append({
            "published": f"{place}.", "system": name.replace("_", ", "), "weighted score": f"{score:.3f}",
            "rank_ci": ranks(*own["rank_ci"]), "selected": f"{own['selected']:.0%}",
            "n": f"{own['n']}/{own['n_expected']}", "coverage": f"{own['coverage']:.2f}",
        })  # fmt: skip
    assert not by_name
    return markdown(rows)


@pytest.mark.shared
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_has_the_published_order_beside_the_rank_sets(lang: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["leaderboard", *logs(lang), "--format", "json"]) == 0
    expected = table(lang, capsys.readouterr().out)
    assert expected in PAGE.read_text(encoding="utf-8"), f"the page should have:\n{expected}"


def test_the_example_of_another_tool_is_what_the_command_prints(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    page = PAGE.read_text(encoding="utf-8")
    (command,) = [line for line in page.splitlines() if line.startswith("ragaliq leaderboard studies/")]
    assert main(command.split()[1:]) == 0
    head = "\n\n".join(capsys.readouterr().out.split("\n\n")[:3])
    assert head in page, f"the page should have:\n{head}"


def test_every_path_of_the_page_is_there() -> None:
    page = PAGE.read_text(encoding="utf-8")
    names = [part.split(")")[0].split("#")[0] for part in page.split("](")[1:]]
    assert names and all((Path(PAGE).parent / name).exists() for name in names if not name.startswith("http"))
