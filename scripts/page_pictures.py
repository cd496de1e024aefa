"""Pictures of a page for the documentation: each view at 1,280 pixels in light and at 390 in dark colours.

`python scripts/page_pictures.py REPORT.html` writes `docs/images/page-*.png`; with pillow at hand they are a third as
large.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

_ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(_ROOT / "tests"))
# The answer shown: the least supported one of some German answers that lost points.
_CHOICE = "#/items?lang=de&grade=1,2,3&sort=supported"
_LOOKS = {
    "": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    "-phone-dark": {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"},
}
_COLOURS = 80


def main() -> int:
    """Open the page in each look, and take a picture of each view."""
    from pages import chromium_browser

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("report", type=Path)
    parser.add_argument("--out", type=Path, default=_ROOT / "docs" / "images")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with chromium_browser() as browser:
        for suffix, look in _LOOKS.items():
            _views(browser, options.report.resolve(), look, options.out / f"page-{{}}{suffix}.png")
        _views(
            browser, options.report.resolve(), {**_LOOKS[""], "color_scheme": "dark"}, options.out / "page-{}-dark.png"
        )
    return 0


def _views(browser: Any, report: Path, look: dict[str, Any], name: Path) -> None:
    from pages import go, opened

    def take(view: str) -> None:
        path = Path(str(name).format(view))
        page.wait_for_timeout(400)
        page.screenshot(path=path)
        _shrink(path)

    with opened(browser, report, **look) as page:
        take("overview")
        page.locator("h2", has_text="Where the points go").evaluate("one => one.scrollIntoView()")
        take("waterfall")
        if "-dark" in str(name) and "phone" not in str(name):
            return
        go(page, "#/items?lang=de,zh")
        take("items")
        go(page, _CHOICE)
        item, query = page.eval_on_selector("#list a.open", "one => [one.hash, one.hash.split('?')[0].split('/')[4]]")
        go(page, item)
        take("item")
        go(page, f"#/query/{query}")
        take("query")


def _shrink(path: Path) -> None:
    if find_spec("PIL") is None:
        return
    pillow = import_module("PIL.Image")
    pixels = np.asarray(pillow.open(path).convert("RGB"), dtype=np.int32)
    colours, places, counts = np.unique(pixels.reshape(-1, 3), axis=0, return_inverse=True, return_counts=True)
    # The most frequent colours, small marks before the greys at the edges of letters; the others take the nearest.
    weights = counts * (8 + np.ptp(colours, axis=1))
    kept = colours[np.argsort(-weights, kind="stable")[:_COLOURS]]
    nearest = np.square(colours[:, None] - kept[None]).sum(axis=2).argmin(axis=1)
    image = pillow.fromarray(nearest[places].reshape(pixels.shape[:2]).astype(np.uint8))
    image.putpalette(kept.astype(np.uint8).tobytes())
    image.save(path, optimize=True)


if __name__ == "__main__":
    raise SystemExit(main())
