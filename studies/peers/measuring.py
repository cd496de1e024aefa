"""What the peers share: their options, the clock of the judging phase, and the line that they print."""

from __future__ import annotations

import argparse
import json
import resource
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.metadata import version

START = time.perf_counter()


@dataclass(frozen=True, slots=True)
class Options:
    """What every tool is asked to do, and under which variant of its settings."""

    n: int
    concurrency: int
    link: str
    variant: str


@dataclass(frozen=True, slots=True)
class Judging:
    """A tool that is set up: `grade` grades all answers and returns how many got a grade."""

    tool: str
    package: str
    grade: Callable[[], int]


def measure(set_up: Callable[[Options], Judging]) -> None:
    """Set a tool up, let it grade, and print what that took.

    It grades one answer before the clock starts: what a tool imports and sets up at its first call belongs to
    `import_s`, not to the judging. `wall_s` and `cpu_s` (user and system, all threads) are those of the judging alone.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("--n", type=int, default=500)
    parser.add_argument("--concurrency", type=int, default=20)
    parser.add_argument("--link", required=True, help="the endpoint, as in http://127.0.0.1:8000/v1")
    parser.add_argument("--variant", default="", help="a setting other than the tool's default; see the module")
    options = Options(**vars(parser.parse_args()))
    set_up(replace(options, n=1)).grade()
    judging = set_up(options)
    # So that the endpoint's counts are those of the judging.
    urllib.request.urlopen(options.link.replace("/v1", "/reset"), data=b"").close()
    import_s = time.perf_counter() - START
    wall, cpu = time.perf_counter(), time.process_time()
    n_scored = judging.grade()
    figures = {
        "tool": judging.tool,
        "version": version(judging.package),
        "openai": version("openai"),
        "n_scored": n_scored,
        "wall_s": round(time.perf_counter() - wall, 4),
        "cpu_s": round(time.process_time() - cpu, 4),
        "process_wall_s": round(time.perf_counter() - START, 4),
        "process_cpu_s": round(time.process_time(), 4),
        "rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        "import_s": round(import_s, 4),
    }
    print(json.dumps(figures), flush=True)
