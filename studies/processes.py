"""Running a command and taking its time, its processor time and its greatest memory."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Finished:
    """A process that has ended; `cpu_s` is user and system time with its children's, `rss_mb` the greatest memory."""

    code: int
    out: str
    error: str
    wall_s: float
    cpu_s: float
    rss_mb: float


def finished(command: Sequence[str], cwd: Path, variables: Mapping[str, str], limit_s: float = 3600) -> Finished:
    """Run a command to its end, with these variables besides those of the environment; kill it after `limit_s`."""
    # A proxy would stand between the tool and the loopback.
    environment = {**os.environ, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1", **variables}
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as error:
        start = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=error
        )
        limit = threading.Timer(limit_s, process.kill)
        limit.start()
        _, status, used = os.wait4(process.pid, 0)
        limit.cancel()
        wall_s = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        error.seek(0)
        cpu_s, rss_mb = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
        said = out.read(), error.read()
        return Finished(process.returncode, *said, round(wall_s, 4), round(cpu_s, 4), round(rss_mb, 1))
