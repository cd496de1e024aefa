"""Products in one BLAS thread: the same digits on any number of cores."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from plain_install import on_cores, plain_site
from ragaliq import blas
from ragaliq.errors import ConfigError
from ragaliq.text import sentence_encoder

# With more threads than one the last digits of these intervals differ.
GAP = """
import random
from ragaliq import interval
from ragaliq.metrics.answers.gap import language_gap
draw = random.Random(0).choice
print(language_gap({lang: {str(query): draw((0.0, 0.4, 0.6, 0.8, 1.0)) for query in range(300)} for lang in "abcdef"}))
"""


# Ways in: a name of the package, a command, a worker of a cluster, the encoder alone.
WAYS = """
import sys
from ragaliq.blas import one_thread
import ragaliq
from ragaliq.cli import main
from ragaliq.execution.cluster.worker import Worker
from ragaliq.text.sentence_encoder import encode
sys.stderr = sys.stdout
command, worker = (lambda: main(["aggregate", "none"])), (lambda: Worker({}, ".", "a"))
for way in (lambda: ragaliq.load_run, command, worker, lambda: encode(["a"])):
    one_thread.cache_clear()
    pools.limit(limits=4)
    way()
    print({pool["num_threads"] for pool in pools.info()})
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return plain_site(tmp_path_factory.mktemp("plain") / "site")


def test_figures_are_the_same_on_one_core_and_on_four(tmp_path: Path, site: Path) -> None:
    one, four = on_cores((1, 4), GAP, site, tmp_path)
    assert "Interval" in one
    assert one == four


def test_every_way_in_leaves_one_thread(tmp_path: Path, site: Path) -> None:
    (printed,) = on_cores((4,), WAYS, site, tmp_path)
    assert [line for line in printed.splitlines() if line.startswith("{")] == ["{1}"] * 4


def test_the_kernel_names_the_library_and_its_one_thread() -> None:
    blas.one_thread()
    libraries = [library.split() for library in blas.kernel().split("; ")]
    assert libraries and all(library[-1] == "1" for library in libraries)
    assert blas.kernel() in sentence_encoder._version(), "vectors of another kernel are not taken"


def test_a_missing_package_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "threadpoolctl", None)
    with pytest.raises(ConfigError, match=r"need threadpoolctl.*pip install threadpoolctl"):
        blas.one_thread.__wrapped__()
