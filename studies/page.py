"""How fast a page of 20,000 items is in Chromium: first paint, overview, items, filters and searches; and its size.

Opened from disk, each time in a new context. A step lasts from the click or the letter to the frame that shows it.
Writes `page.json`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from record import write

_HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(_HERE.parent / "tests"))
_SYSTEMS, _LANGS, _QUERIES = 4, ("en", "de", "ru", "ar", "zh"), 1000
_BOXES = ("#filter-lang-1", "#filter-grade-2", "#filter-cause-1")
_SEARCHES = ("a", "ba", "q0012", "да", "no such words")
_LOADED = """() => Object.fromEntries(["paint", "mark"].flatMap((kind) => performance.getEntriesByType(kind))
  .map(({ name, startTime }) => [name, startTime]))"""
_STEP = """(act) => new Promise((done) => {
  const start = performance.now();
  act();
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
})"""
_CLICK = f"(box) => ({_STEP})(() => document.querySelector(box).click())"
_TYPE = f"""(text) => ({_STEP})(() => {{
  const field = document.getElementById("search-text");
  field.value = text;
  field.dispatchEvent(new Event("input", {{ bubbles: true }}));
}})"""


def main() -> int:
    """Make the page, or take the one that is named, measure, and write the figures."""
    from pages import chromium_browser, write_report

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--report", type=Path, help="a page to measure (default: a made-up one of 20,000 items)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, default=_HERE / "page.json")
    options = parser.parse_args()
    with TemporaryDirectory() as folder, chromium_browser() as browser:
        report = options.report or write_report(Path(folder), _SYSTEMS, _QUERIES, _LANGS)
        rounds = [_round(browser, report.resolve()) for _ in range(options.rounds)]
        figures = {
            "bytes": report.stat().st_size,
            "rounds": options.rounds,
            "ms": {name: _spread([one[name] for one in rounds]) for name in rounds[0]},
        }
    write(options.out, figures)
    print(f"figures: {options.out}")
    return 0


def _round(browser: Any, report: Path) -> dict[str, float]:
    from pages import go, opened

    with opened(browser, report) as page:
        loaded = page.evaluate(_LOADED)
        times = {name: loaded[name] for name in ("first-contentful-paint", "overview", "items")}
        go(page, "#/items")
        times |= {f"filter {box}": page.evaluate(_CLICK, box) for box in _BOXES}
        go(page, "#/items?sort=grade")
        times |= {f"search '{text}'": page.evaluate(_TYPE, text) for text in _SEARCHES}
    return times


def _spread(values: list[float]) -> dict[str, float]:
    return {"median": round(median(values), 1), "max": round(max(values), 1)}


if __name__ == "__main__":
    raise SystemExit(main())
