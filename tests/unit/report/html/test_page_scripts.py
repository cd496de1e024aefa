"""The page's scripts: they share one scope, and the chart library among them is what `scripts/plot` makes."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from pathlib import Path

from ragaliq.report.html import page_file

PARTS = Path(page_file.__file__).with_name("page")
ROOT = Path(__file__).resolve().parents[4]
# What scripts/plot/bundle.sh printed.
PLOT_SHA256 = "2cfd7b444b11847386dbd9e72e9e384e49abe6cb4e79df07f8e4a135bea8ed4c"


def own_scripts() -> list[Path]:
    return [file for file in sorted(PARTS.glob("*.js")) if file.name != "plot.min.js"]


def test_no_two_scripts_define_the_same_name() -> None:
    """They share one scope: a second function of a name would replace the first in silence."""
    pattern = re.compile(r"^(?:async )?(?:function\*?|const|let|class) (\w+)", re.MULTILINE)
    names = Counter(name for file in own_scripts() for name in pattern.findall(file.read_text(encoding="utf-8")))
    assert [name for name, n in names.items() if n > 1] == []
    assert "Plot" not in names


def test_no_script_makes_markup_or_code_from_texts() -> None:
    unsafe = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|setAttribute\(.style"
    )
    assert [file.name for file in own_scripts() if unsafe.search(file.read_text(encoding="utf-8"))] == []


def test_the_chart_library_is_what_its_script_makes() -> None:
    bundle = (PARTS / "plot.min.js").read_bytes()
    assert hashlib.sha256(bundle).hexdigest() == PLOT_SHA256
    assert len(bundle) < 300_000


def test_the_chart_library_ships_with_its_licences() -> None:
    notice = (PARTS / "plot.min.js").read_text(encoding="utf-8").partition("*/")[0]
    packages = json.loads((ROOT / "scripts/plot/package.json").read_text(encoding="utf-8"))["dependencies"]
    assert f"@observablehq/plot {packages['@observablehq/plot']} (ISC): Copyright" in notice
    assert "Permission to use, copy, modify, and/or distribute this software" in notice
    for part in ("d3-array", "d3-geo", "d3-scale", "d3-shape", "isoformat", "Charles Karney", "Cynthia Brewer"):
        assert part in notice
