"""The report's overview in Chromium: charts and tables under the page's own policy, wide and narrow, in both themes."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hostile import HOSTILE
from overview_data import cross_matrix, overview
from pages import AXE, chromium_browser, opened
from ragaliq.report.html.blocks import packed_json
from ragaliq.report.html.page_data import PageData
from ragaliq.report.html.page_file import write_report_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]
COLUMNS = ("system", "lang", "query", "grade", "outcome", "verdict", "cause", "question", "reference", "answer",
           "supported", "abstained")  # fmt: skip
# Texts that stand out of their chart.
OUTSIDE = """() => [...document.querySelectorAll('.drawing svg')].flatMap(svg => {
  const box = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('text')].map(text => [text.textContent, text.getBoundingClientRect()])
    .filter(([, one]) => one.width && (one.left < box.left - 1 || one.right > box.right + 1)).map(([text]) => text);
})"""
# Pairs of texts in a chart of which one covers the other.
COVERED = """() => [...document.querySelectorAll('.drawing svg')].flatMap(svg => {
  const boxes = [...svg.querySelectorAll('text')].map(text => [text.textContent, text.getBoundingClientRect()])
    .filter(([text, box]) => text && box.width);
  return boxes.flatMap(([text, a], at) => boxes.slice(at + 1)
    .filter(([, b]) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
      && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3)
    .map(([other]) => text + ' / ' + other));
})"""
LONG = "a system with a name of about sixty letters, as some make them"
NAMES = ["alpha", LONG, "نظام الإجابة على الأسئلة"]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with chromium_browser() as browser:
        yield browser


@contextmanager
def shown(
    browser: Browser, folder: Path, data: dict[str, Any], address: str = "#/", width: int = 1280
) -> Iterator[Page]:
    """The page of an overview without items; it fails on any message of the console, those of the policy among them."""
    items = {"texts": [], "queries": [], "outcomes": [], "verdicts": [], "columns": {name: [] for name in COLUMNS}}
    path = folder / "report.html"
    write_report_page(path, PageData({**data, "n_items": 0}, {"items": packed_json(items)}))
    with opened(browser, path, address, viewport={"width": width, "height": 900}) as page:
        page.wait_for_selector(".drawing svg")
        yield page


def texts(page: Page, selector: str) -> list[str]:
    return [" ".join(text.split()) for text in page.locator(selector).all_inner_texts()]


def test_every_chart_has_a_caption_a_text_for_those_who_do_not_see_it_and_a_table(
    chromium: Browser, tmp_path: Path
) -> None:
    with shown(chromium, tmp_path, overview(NAMES, matrices=[cross_matrix("alpha")])) as page:
        figures = page.locator("figure.chart")
        assert figures.count() == 7
        for figure in figures.all():
            assert figure.locator("figcaption").inner_text()
            for svg in figure.locator("svg").all():
                assert svg.get_attribute("role") == "img" and "able" in (svg.get_attribute("aria-label") or "")
        assert texts(page, "main h2") == [
            "Summary", "Scores", "Grades", "Where the points go", "The same reader with other contexts", "Languages",
            "Retrieval", "Time and cost", "Notes and terms",
        ]  # fmt: skip
        # A closed table is there as well.
        assert page.locator("section table.figures").count() >= 10
        assert page.locator("svg style").count() == 0


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("n_systems,n_languages", [(1, 1), (1, 6), (3, 6), (12, 20)])
def test_nothing_is_wider_than_the_screen(
    chromium: Browser, tmp_path: Path, n_systems: int, n_languages: int, width: int
) -> None:
    names = [*NAMES, *(f"system {number}" for number in range(9))][:n_systems]
    with shown(chromium, tmp_path, overview(names, n_languages), width=width) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator(".overview").evaluate("node => node.getBoundingClientRect().width") <= 1100
        summary = page.locator("table.summary").evaluate("node => [node.scrollWidth, node.parentNode.clientWidth]")
        if width == 1280 and n_languages <= 6:
            assert summary[0] <= summary[1] + 1
        assert page.evaluate(OUTSIDE) == []


@pytest.mark.parametrize("width", [1280, 700, 390])
def test_texts_of_a_chart_do_not_cover_each_other(chromium: Browser, tmp_path: Path, width: int) -> None:
    with shown(chromium, tmp_path, overview(NAMES), width=width) as page:
        assert page.evaluate(COVERED) == []


def test_figures_are_those_of_the_data(chromium: Browser, tmp_path: Path) -> None:
    data = overview(["alpha"])
    data["systems"][0]["by_lang"]["de"] |= {"score": 0.1234, "ci": [0.1, 0.15]}
    with shown(chromium, tmp_path, data) as page:
        assert texts(page, ".summary tbody td")[2] == "0.123 ± 0.025 rank 1–2"
        assert texts(page, ".summary thead th")[2] == "English n 148"
        assert "alpha loses 0.450 of 1 per query on average (0.390–0.510, n 888), most of it at the reader: 0.207" in (
            page.inner_text("main").replace("\n", " ")
        )
        assert texts(page, ".overview .says >> nth=0") == [
            "Chinese: the retriever loses more than in the other languages (+0.090, +0.030 … +0.150, p = 0.004)."
        ]
        assert "0.123 (0.100–0.150)" in [
            " ".join(text.split()) for text in page.locator("svg text").all_text_contents()
        ]


def test_time_and_cost_name_every_system(chromium: Browser, tmp_path: Path) -> None:
    data = overview(["free", "gratis", "paid", "dear", "secret"])
    costs = [(0.0, 0.0), (0.0, None), (0.00017, 0.178), (0.25, 261.0), (None, None)]
    for system, (cost, total) in zip(data["systems"], costs, strict=True):
        system |= {"cost": cost, "cost_total": total}
    with shown(chromium, tmp_path, data) as page:
        section = "section:has(h2:text-is('Time and cost'))"
        assert texts(page, f"{section} .lead")[0].endswith(
            "paid costs 0.00017 USD a query, 0.18 in all; dear costs 0.25 USD a query, 261.00 in all; "
            "free and gratis cost nothing; the cost of secret is not known."
        )
        page.get_by_text("The figures as a table").last.click()
        assert texts(page, f"{section} thead th")[-2:] == ["USD a query", "USD in all"]
        assert [text.split()[-2:] for text in texts(page, f"{section} tbody tr")] == [
            ["0", "0"], ["0", "—"], ["0.00017", "0.18"], ["0.25", "261.00"], ["—", "—"],
        ]  # fmt: skip


def test_a_system_without_other_contexts_is_named_once(chromium: Browser, tmp_path: Path) -> None:
    data = overview(["alpha", "beta", "gamma", "delta"])
    for cell in [data["systems"][3]["all"], *data["systems"][3]["by_lang"].values()]:
        cell["waterfall"] |= {"conditions": None, "steps": None}
    with shown(chromium, tmp_path, data) as page:
        section = "section:has(h2:text-is('The same reader with other contexts'))"
        assert texts(page, f"{section} > .aside") == ["delta: not asked (ragaliq run --waterfall)"]
        page.get_by_text("Each system in words").click()
        assert texts(page, f"{section} .sub h3") == ["alpha", "beta", "gamma"]


def test_a_phone_shows_a_system_as_lines_with_labels(chromium: Browser, tmp_path: Path) -> None:
    data = overview(["alpha", "beta"])
    data["systems"][0]["by_lang"]["de"]["rank"] = [1, 1]
    with shown(chromium, tmp_path, data, width=390) as page:
        cells = page.locator(".summary tbody tr:first-child td")
        label = cells.nth(2).evaluate("node => getComputedStyle(node, '::before').content")
        assert (label, cells.nth(2).locator(".certain").count()) == ('"German, n 148"', 1)
        assert page.locator(".summary .certain").count() == 1
        cut = "all => all.filter(one => one.scrollWidth > one.clientWidth + 1).length"
        assert cells.evaluate_all(cut) == 0
        assert page.locator("table.summary").evaluate("node => node.scrollWidth <= node.parentNode.clientWidth")


def test_a_click_opens_the_items(chromium: Browser, tmp_path: Path) -> None:
    with shown(chromium, tmp_path, overview(["alpha"])) as page:
        page.locator(".summary button.score").nth(2).click()
        assert page.evaluate("location.hash") == "#/items?system=alpha&lang=de"
        page.go_back()
        page.locator("svg .opens[class] >> nth=0").wait_for()
        page.get_by_role("img", name="Mean weight lost by each stage, alpha").locator(".opens").nth(8).click()
        assert page.evaluate("location.hash") == "#/items?system=alpha&lang=en&cause=retriever"
        page.go_back()
        page.get_by_role("button", name="170 queries: retriever, all languages").press("Enter")
        assert page.evaluate("location.hash") == "#/items?system=alpha&cause=retriever"
        page.go_back()
        page.get_by_text("The counts as a table").click()
        page.get_by_role("button", name="24 answers with grade 1, alpha, German").press("Enter")
        assert page.evaluate("location.hash") == "#/items?system=alpha&lang=de&grade=1"


def test_what_is_not_known_is_a_dash(chromium: Browser, tmp_path: Path) -> None:
    data = overview(["alpha", "beta"], gaps=[], findings=[], judges=[], notes=[], legend=[])
    for system in data["systems"]:
        system |= {"all": None, "cost": None, "seconds": None}
        for cell in system["by_lang"].values():
            cell |= dict.fromkeys(
                ("waterfall", "retrieval", "seconds", "abstention", "supported", "rank", "ci", "mean_weight_ci")
            )
    german = dict.fromkeys(("score", "mean_weight", "ci", "mean_weight_ci"))
    data["systems"][0]["by_lang"]["de"] |= {**german, "withheld": True, "coverage": 0.8, "n": 118}
    data["systems"][0]["by_lang"]["fr"] |= {
        **german,
        "n": 0,
        "counts": [0] * 6,
        "mean_grade": None,
        "coverage": None,
        "withheld": True,
    }
    del data["systems"][1]["by_lang"]["zh"]
    with shown(chromium, tmp_path, data) as page:
        main = page.inner_text("main")
        assert "NaN" not in page.content().split("<script")[0] and "undefined" not in main and "null" not in main
        assert texts(page, ".summary tbody tr:first-child td")[:3] == ["—", "0.303", "— 80 % graded n 118"]
        drawn = page.locator("svg text").all_text_contents()
        assert "withheld: 80\xa0% graded" in drawn and "withheld" in drawn
        assert "There is no waterfall" in main


def test_charts_follow_the_width(chromium: Browser, tmp_path: Path) -> None:
    with shown(chromium, tmp_path, overview(["alpha"])) as page:
        svg = page.locator(".drawing svg").first
        wide = float(svg.get_attribute("width") or 0)
        page.set_viewport_size({"width": 500, "height": 800})
        page.wait_for_function("wide => document.querySelector('.drawing svg').getAttribute('width') < wide", arg=wide)
        assert float(svg.get_attribute("width") or 0) < 500 < wide
        assert page.evaluate("document.documentElement.scrollWidth") <= 500


def test_hostile_texts_stay_texts(chromium: Browser, tmp_path: Path) -> None:
    for at, text in enumerate(HOSTILE[:6]):
        name = text[:200]
        data = overview([name], judges=[text], findings=[text], notes=[text], matrices=[cross_matrix(name)], title=name)
        data["legend"] = [{"term": text, "meaning": text}]
        folder = tmp_path / str(at)
        folder.mkdir()
        with shown(chromium, folder, copy.deepcopy(data)) as page:
            assert page.locator(".findings h1").count() == 1
            assert page.locator("main :is(script, img, iframe, style)").count() == 0


@pytest.mark.axe
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(chromium: Browser, tmp_path: Path, theme: str) -> None:
    with shown(chromium, tmp_path, overview(NAMES, matrices=[cross_matrix("alpha")]), f"#/?theme={theme}") as page:
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        page.evaluate(AXE.read_text(encoding="utf-8"))
        found = page.evaluate(
            "axe.run().then(({violations}) => violations.map(v => [v.impact, v.id, v.nodes.length, v.nodes[0].html]))"
        )
        assert [one for one in found if one[0] in ("serious", "critical")] == []
