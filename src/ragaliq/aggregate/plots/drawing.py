"""What all pictures of a run have in common: a row for each language, its figures in words at the right."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragaliq.aggregate.beside.waterfall import ALL_LANGUAGES
from ragaliq.errors import ConfigError
from ragaliq.text.language_names import english_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, SOFT = "#1a1c1f", "#6c727c"
# Comes with matplotlib.
_FONT = "DejaVu Sans"
# The same picture for the same figures: ids that depend on the content, no date, no version. A `$` of a name is no
# formula.
_STYLE: Any = {
    "svg.hashsalt": "ragaliq",
    "font.family": _FONT,
    "font.size": 10.0,
    "hatch.linewidth": 0.6,
    "text.parse_math": False,
}
_METADATA = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}}


def rows_figure(langs: Sequence[str], title: str, measured: str, said: Sequence[str]) -> tuple[Figure, Axes]:
    """Return a figure with a row for each language, the first at the top.

    Args:
        langs: codes; `all` stands for all together.
        title: what stands above.
        measured: what stands below the axis.
        said: what stands at the right of each row.

    Raises:
        ConfigError: if matplotlib is not installed.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        raise ConfigError("pictures need matplotlib: pip install matplotlib") from None
    with rc_context(_STYLE):
        figure = Figure(figsize=(9.0, 1.7 + 0.46 * len(langs)), layout="constrained", facecolor="white")
        axes = figure.subplots()
        axes.set_title(_drawable(title), loc="left", fontsize=11, color=INK)
        axes.set_xlabel(measured, color=INK)
        axes.set_yticks(range(len(langs)), [_name(lang) for lang in langs], color=INK)
        axes.set_ylim(len(langs) - 0.45, -0.55)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x", color="#d9dce1", linewidth=0.6)
        axes.set_axisbelow(True)
        for row, words in enumerate(said):
            axes.text(1.02, row, words, transform=axes.get_yaxis_transform(), va="center", color=INK, fontsize=9)
    # IPython draws a figure by itself only where pyplot is in use.
    vars(figure)["_repr_png_"] = lambda: _image(figure, "png")
    return figure, axes


def save_figure(figure: Figure, path: Path, title: str) -> None:
    """Write a figure as SVG or PNG by its suffix, the same bytes each time."""
    path.write_bytes(_image(figure, path.suffix[1:], {"Title": title}))


def _image(figure: Figure, kind: str, metadata: dict[str, str] | None = None) -> bytes:
    from matplotlib import rc_context

    with rc_context(_STYLE), BytesIO() as file:
        figure.savefig(file, format=kind, dpi=120, metadata={**_METADATA[kind], **(metadata or {})})
        return file.getvalue()


def _drawable(text: str) -> str:
    """Return a text in which letters that the font does not have, such as Chinese ones, are escapes."""
    from matplotlib.font_manager import findfont, get_font

    font = get_font(findfont(_FONT))
    return "".join(c if font.get_char_index(ord(c)) else c.encode("unicode_escape").decode("ascii") for c in text)


def _name(lang: str) -> str:
    return "all languages" if lang == ALL_LANGUAGES else f"{english_name(lang)} ({lang})"
