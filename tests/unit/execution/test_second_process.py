"""A second process gives back what the work returns or raises, and its death costs nothing but time."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from ragaliq.errors import InputError
from ragaliq.execution.second_process import beside

linux = pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux alone")


def test_the_result_comes_back_and_work_may_hold_what_cannot_be_pickled() -> None:
    texts = ["a", "b"]
    assert beside(lambda: [text * 2 for text in texts])() == ["aa", "bb"]


@linux
def test_the_work_runs_in_another_process() -> None:
    assert beside(os.getpid)() != os.getpid()


def test_an_error_comes_back_as_itself() -> None:
    def fail() -> None:
        raise InputError("bench.json: not valid JSON")

    result = beside(fail)
    with pytest.raises(InputError, match=r"^bench\.json: not valid JSON$"):
        result()


@linux
def test_work_of_a_process_that_died_is_done_here(tmp_path: Path) -> None:
    here = os.getpid()

    def work() -> str:
        if os.getpid() != here:
            os._exit(9)
        return "done"

    assert beside(work)() == "done"
