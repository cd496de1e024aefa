"""The page's colours: told apart by everybody, and seen on both grounds, in both themes."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

from ragaliq.report.html import page_file
from ragaliq.report.stages import STAGES

# How others see linear RGB: Machado, Oliveira and Fernandes 2009, severity 1.
SIGHT = {
    "all colours": np.eye(3),
    "no red": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "no green": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "no blue": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
GRADES = [f"grade-{grade}" for grade in range(6)]
LOSSES = [f"stage-{stage}" for stage in STAGES]
THEMES = ("light", "dark")
BASE = Path(page_file.__file__).with_name("page") / "base.css"


def colours(theme: str) -> dict[str, str]:
    """The variables of a theme, as `#rrggbb`."""
    values = re.findall(r"--([\w-]+): (#\w+|light-dark\(\s*#\w+,\s*#\w+\s*\));", BASE.read_text(encoding="utf-8"))
    return {name: _six(re.findall(r"#\w+", value)[-1 if theme == "dark" else 0]) for name, value in values}


def _six(colour: str) -> str:
    return colour if len(colour) == 7 else "#" + "".join(2 * digit for digit in colour[1:])


def linear(colour: str) -> np.ndarray:
    """sRGB as linear light."""
    parts = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.asarray(np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4))


def contrast(one: str, other: str) -> float:
    """WCAG's ratio."""
    low, high = sorted(float(TO_XYZ[1] @ linear(colour)) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def distance(one: str, other: str) -> float:
    """The least distance of two colours in CIELAB (1976) over all kinds of sight."""
    return min(
        float(np.linalg.norm(_lab(sight @ linear(one)) - _lab(sight @ linear(other)))) for sight in SIGHT.values()
    )


def _lab(light: np.ndarray) -> np.ndarray:
    x, y, z = TO_XYZ @ np.clip(light, 0, 1) / (TO_XYZ @ np.ones(3))
    f = [value ** (1 / 3) if value > 216 / 24389 else (24389 / 27 * value + 16) / 116 for value in (x, y, z)]
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def test_contrast_and_distance_of_known_colours() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21, abs=0.01)
    assert _lab(linear("#ffffff")) == pytest.approx([100, 0, 0], abs=0.01)
    # Red and green are close to each other for those who lack green.
    assert distance("#c0392b", "#7f7a00") < np.linalg.norm(_lab(linear("#c0392b")) - _lab(linear("#7f7a00"))) / 2


@pytest.mark.parametrize("theme", THEMES)
def test_marks_and_texts_are_seen(theme: str) -> None:
    named = colours(theme)
    for ground in ("ground", "card"):
        assert all(contrast(named[mark], named[ground]) >= 3 for mark in [*GRADES, *LOSSES, "accent"])
        assert all(contrast(named[text], named[ground]) >= 4.5 for text in ("ink", "soft", "accent", "bad", "good"))
    for mark in [*GRADES, *LOSSES]:
        assert contrast(named[f"on-{mark}"], named[mark]) >= 4.5, mark


@pytest.mark.parametrize("theme", THEMES)
def test_stages_are_told_apart_by_everybody(theme: str) -> None:
    """Any two may stand beside each other: those between them may have lost nothing."""
    named = colours(theme)
    assert min(distance(named[a], named[b]) for a, b in itertools.combinations(LOSSES, 2)) >= 13


@pytest.mark.parametrize("theme", THEMES)
def test_grades_are_a_scale_for_everybody(theme: str) -> None:
    named = [colours(theme)[grade] for grade in GRADES]
    assert min(distance(a, b) for a, b in itertools.pairwise(named)) >= 8
    lightness = [_lab(linear(colour))[0] for colour in named]
    assert lightness == sorted(lightness, reverse=theme == "light")
