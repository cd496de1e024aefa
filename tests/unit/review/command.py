"""The commands `review` and `agree`."""

from __future__ import annotations

from collections.abc import Sequence

from ragaliq.cli import main


def run(argv: Sequence[str]) -> int:
    return main(["review", *argv])


def agree(verdicts: str, labels: str) -> int:
    return main(["agree", verdicts, labels, "--format", "json"])
