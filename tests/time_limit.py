"""Fails a run in which a test used too much processor time.

`RAGALIQ_TEST_SECONDS`, which `.ci/run` sets, is the limit for tests without the marker `slow` or that of an extra.
Processor time, of the test and of the processes that it waited for, hardly depends on what else the machine does; and
only three times the limit fails the run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

TOLERANCE = 3
# The first test that needs a heavy extra pays for its import.
_EXEMPT = {"slow", "hf", "hub", "inspect", "notebook", "numba", "browser"}
_KEY = "cpu_seconds"


def _load_once() -> None:
    """Load what each process loads once and most tests use, so that it is not the first test that pays for it."""
    import openai  # noqa: F401

    from ragaliq.text.language import load_detector
    from ragaliq.text.sentence_encoder import encode

    load_detector()
    encode(["Where?"])


class TimeLimit:
    """The hooks of one run, and its tests over the limit."""

    def __init__(self, limit_s: float) -> None:
        self._most = limit_s * TOLERANCE
        self._over: dict[str, float] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        # Not in the main process of xdist, which runs no test.
        if hasattr(session.config, "workerinput") or not session.config.getoption("numprocesses", None):
            _load_once()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        start = sum(os.times()[:4])
        try:
            return (yield)
        finally:
            if not any(mark.name in _EXEMPT for mark in item.iter_markers()):
                # A property of the test reaches the main process from a worker of xdist.
                item.user_properties.append((_KEY, sum(os.times()[:4]) - start))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        seconds = float(str(dict(report.user_properties).get(_KEY, 0)))
        if report.when == "call" and seconds > self._most:
            self._over[report.nodeid] = seconds

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._over and session.exitstatus == pytest.ExitCode.OK and not hasattr(session.config, "workerinput"):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for name, seconds in sorted(self._over.items()):
            used = f"{seconds:.1f} s of processor time"
            terminalreporter.write_line(f"too slow: {name} used {used}; make it smaller or mark it 'slow'")


def pytest_configure(config: pytest.Config) -> None:
    if limit_s := os.environ.get("RAGALIQ_TEST_SECONDS"):
        config.pluginmanager.register(TimeLimit(float(limit_s)), "time-limit")
