"""Processes that see what `requirements.txt` installs and nothing else, on as many cores as a test wants."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import Distribution, distribution
from pathlib import Path

import threadpoolctl
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
# A BLAS library starts as many threads as there are cores; here the test says how many. What sets them is loaded from
# its file, so that the product still has to find it by itself.
_CORES = """
import importlib.util, sys
import numpy
spec = importlib.util.spec_from_file_location("threads_of_the_test", sys.argv[1])
threads = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(threads)
pools = threads.ThreadpoolController().select(user_api="blas")
pools.limit(limits=int(sys.argv[2]))
assert {pool["num_threads"] for pool in pools.info()} == {int(sys.argv[2])}, pools.info()
del sys.argv[1:3]
"""


def plain_site(folder: Path) -> Path:
    """Fill a folder with links to the packages that `requirements.txt` brings, those that these need included."""
    folder.mkdir()
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    for package in _closure([Requirement(line) for line in lines if line and not line.startswith("#")]):
        for top in {path.parts[0] for path in package.files or () if path.parts[0] not in ("..", "__pycache__")}:
            link = folder / top
            # Packages may share a folder, as `google`.
            if not link.is_symlink():
                link.symlink_to(Path(str(package.locate_file(top))))
    return folder


def on_cores(cores: Sequence[int], code: str, site: Path, folder: Path, arguments: Sequence[str] = ()) -> list[str]:
    """Run code at the same time in processes whose BLAS computes in 1, 2, … threads; return what each prints.

    Each works in a folder of its own below `folder`, which has the number as its name.
    """
    processes = []
    for count in cores:
        script = [_CORES + code, threadpoolctl.__file__, str(count), *arguments]
        cwd = folder / str(count)
        cwd.mkdir()
        environment = {"PATH": os.environ["PATH"], "HOME": str(cwd), "PYTHONPATH": f"{site}{os.pathsep}{ROOT / 'src'}"}
        processes.append(
            # -S: without the packages of this environment.
            subprocess.Popen(
                [sys.executable, "-S", "-c", *script],
                cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            )
        )  # fmt: skip
    printed = []
    for process in processes:
        output, errors = process.communicate(timeout=600)
        assert process.returncode == 0, errors
        printed.append(output)
    return printed


def _closure(requirements: list[Requirement]) -> list[Distribution]:
    packages: dict[str, Distribution] = {}
    waiting = list(requirements)
    seen = set()
    while waiting:
        requirement = waiting.pop()
        if str(requirement) in seen:
            continue
        seen.add(str(requirement))
        package = packages[requirement.name] = distribution(requirement.name)
        extras = ("", *requirement.extras)
        for inner in map(Requirement, package.requires or ()):
            if inner.marker is None or any(inner.marker.evaluate({"extra": extra}) for extra in extras):
                waiting.append(inner)
    return list(packages.values())
