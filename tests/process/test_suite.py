"""What the test suite promises of itself: slow tests are left out and counted, and an unmarked slow one fails a run."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
TESTS = Path(__file__).resolve().parents[1]
PLANTED = """
import time
import pytest

def burn():
    end = time.process_time() + 0.1
    while time.process_time() < end:
        pass

def test_quick():
    pass

def test_planted():
    burn()

@pytest.mark.slow
def test_marked():
    burn()
"""


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    for name in ("RAGALIQ_TEST_SECONDS", "RAGALIQ_TESTS_NEED"):
        monkeypatch.delenv(name, raising=False)
    pytester.makeini(f"[pytest]\npythonpath = {TESTS}\nmarkers =\n    slow: over a second\n")
    pytester.makeconftest((TESTS / "conftest.py").read_text(encoding="utf-8"))
    pytester.makepyfile(PLANTED)
    return pytester


def test_slow_tests_run_when_they_are_asked_for_and_are_counted_otherwise(suite: pytest.Pytester) -> None:
    plain = suite.runpytest_inprocess()
    plain.assert_outcomes(passed=2, deselected=1)
    plain.stdout.fnmatch_lines(["left out: 1 tests marked 'slow', *--slow*"])
    for options in (["--slow"], ["-m", "slow or not slow"]):
        suite.runpytest_inprocess(*options).assert_outcomes(passed=3)


@pytest.mark.parametrize("workers", [[], pytest.param(["-n", "1"], marks=pytest.mark.slow)], ids=["alone", "xdist"])
def test_a_test_far_over_the_limit_fails_the_run(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, workers: list[str]
) -> None:
    # Three times the limit is .06 s for the first run, and .6 s for the second.
    for limit, code in (("0.02", pytest.ExitCode.TESTS_FAILED), ("0.2", pytest.ExitCode.OK)):
        monkeypatch.setenv("RAGALIQ_TEST_SECONDS", limit)
        run = suite.runpytest_inprocess("--slow", *workers)
        assert run.ret == code
        run.assert_outcomes(passed=3)
        lines = [line.split(" used ")[0].rpartition("::")[2] for line in run.outlines if line.startswith("too slow: ")]
        assert lines == (["test_planted"] if code else [])


def test_what_must_run_and_cannot_is_an_error(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGALIQ_TESTS_NEED", "no such marker")
    assert suite.runpytest_inprocess().ret == pytest.ExitCode.USAGE_ERROR
