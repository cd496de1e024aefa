"""Draws the scores and the waterfall of a run as SVG and PNG: `python scripts/pictures.py RUN [FOLDER]`."""

from __future__ import annotations

import argparse
from pathlib import Path

from ragaliq import load_run
from ragaliq.aggregate.plots.drawing import save_figure
from ragaliq.errors import RagaliqError


def main() -> None:
    """Write `languages` and `waterfall` into a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", metavar="RUN")
    parser.add_argument("folder", metavar="FOLDER", nargs="?", type=Path, default=Path("docs/images"))
    arguments = parser.parse_args()
    try:
        run = load_run(arguments.run)
        figures = {"languages": run.plot_languages(), "waterfall": run.plot_waterfall()}
    except RagaliqError as error:
        parser.exit(2, f"pictures: {error}\n")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name, figure in figures.items():
        for suffix in (".svg", ".png"):
            path = arguments.folder / (name + suffix)
            save_figure(figure, path, figure.axes[0].get_title(loc="left"))
            print(path)


if __name__ == "__main__":
    main()
