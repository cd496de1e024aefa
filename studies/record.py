"""What every file of figures says about where and when it was taken."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path


def write(path: Path, figures: Mapping[str, object]) -> None:
    """Write the figures as JSON, headed by the date, the commit and the machine."""
    head = {"date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"), "commit": commit(), "machine": machine()}
    path.write_text(json.dumps({**head, **figures}, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def machine() -> dict[str, object]:
    """The platform, processor, number of cores, 1-minute load and Python of this machine; never its name."""
    return {
        "platform": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "load": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
    }


def commit() -> str:
    """The short hash of the checkout's commit, with "+" after it when files differ; "" outside a checkout."""
    here = Path(__file__).resolve().parent
    try:
        name = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=here, capture_output=True, text=True)
        changes = ["git", "status", "--porcelain", "--untracked-files=no"]
        changed = subprocess.run(changes, cwd=here, capture_output=True, text=True)
    except FileNotFoundError:
        return ""
    return name.stdout.strip() + ("+" if changed.stdout.strip() else "")


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())
