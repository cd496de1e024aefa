"""Draw index time and query time by corpus size from `index.json`: `docs/images/scale.svg`."""

from __future__ import annotations

import json
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

_HERE = Path(__file__).resolve().parent
_NAMES = {"en": "Latin (en)", "ru": "Cyrillic (ru)", "zh": "Han (zh)"}


def main() -> None:
    """Read the figures, draw, write."""
    rows = json.loads((_HERE / "index.json").read_text(encoding="utf-8"))["sizes"]
    matplotlib.rcParams |= {"svg.hashsalt": "scale", "svg.fonttype": "none", "font.size": 10}
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), constrained_layout=True)
    for marker, (lang, name) in zip("os^", _NAMES.items(), strict=True):
        own = [row for row in rows if row["lang"] == lang]
        sizes = [row["n"] for row in own]
        left.plot(sizes, [row["index_s"] for row in own], marker=marker, label=name)
        right.plot(sizes, [row["plain"]["hybrid"]["p50_ms"] for row in own], marker=marker, label=name)
    for axes, title in ((left, "Indexing, seconds"), (right, "Hybrid query, ms (p50)")):
        axes.set(xscale="log", yscale="log", xlabel="chunks", title=title)
        axes.grid(alpha=0.3)
    left.legend(frameon=False)
    out = _HERE.parents[1] / "docs" / "images" / "scale.svg"
    figure.savefig(out, metadata={"Date": None})
    print(f"picture: {out}")


if __name__ == "__main__":
    main()
