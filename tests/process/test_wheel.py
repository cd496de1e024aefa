"""An installed package is whole: the wheel holds the sample and all data files, and runs anywhere."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("src", "data", "setup.py", "MANIFEST.in", "pyproject.toml", "requirements.txt", "README.md", "LICENSE")
BUILD = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"

pytestmark = pytest.mark.slow


def sources(folder: Path) -> list[Path]:
    """Return the files below a folder as git would have them."""
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy without what earlier builds left."""
    copy, out = tmp_path_factory.mktemp("checkout"), tmp_path_factory.mktemp("wheels")
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for name in PARTS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, copy / name)
    subprocess.run([sys.executable, "-c", BUILD, str(out)], cwd=copy, check=True, capture_output=True, timeout=120)
    return next(out.glob("*.whl"))


def test_the_wheel_holds_the_package_and_the_sample_each_once(wheel: Path) -> None:
    src, data = ROOT / "src", ROOT / "data"
    package = [path.relative_to(src) for path in sources(src / "ragaliq")]
    sample = [Path("ragaliq/data") / path.relative_to(data) for path in [data / "CARD.md", *sources(data / "velmora")]]
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" not in name]
        assert sorted(names) == sorted(path.as_posix() for path in [*package, *sample])
        for path in sample:
            assert archive.read(path.as_posix()) == (data / path.relative_to("ragaliq/data")).read_bytes()
    assert wheel.stat().st_size < 4_000_000


def test_the_commands_run_from_the_wheel_in_another_folder(wheel: Path, tmp_path: Path) -> None:
    installed, cwd = tmp_path / "installed", tmp_path / "elsewhere"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
    cwd.mkdir()
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(installed)}

    def run(*arguments: str) -> str:
        command = [sys.executable, "-m", "ragaliq", *arguments]
        done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return done.stdout

    sample = installed / "ragaliq" / "data" / "velmora"
    assert "graded 2/2" in run("run", "--lang", "de", "--limit", "2", "--out", "results/try")
    assert "## de" in (cwd / "results" / "results.md").read_text(encoding="utf-8")
    assert "graded 2/2" in run("judge", "results/try")
    assert "| reader" in run("plan", "--limit", "2")
    assert "no price" not in run("plan", "--limit", "2", "--lang", "de", "--judge", "openai:gpt-4o-mini")
    assert run("validate", str(sample)) == ""
    run("refresh", str(sample), "--seed", "7", "--out", "edition")
    documents = cwd / "documents"
    documents.mkdir()
    shutil.copy(sample / "sources" / "en" / "meals.md", documents)
    run("build", "all", "--bench", "bench", "--from", "documents")
    assert (cwd / "bench" / "report.md").is_file()
