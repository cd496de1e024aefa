"""The benchmark that a run was made on, loaded again."""

from __future__ import annotations

from pathlib import Path

from ragaliq.benchmark.load import Benchmark, load_benchmark
from ragaliq.config import SAME
from ragaliq.errors import InputError
from ragaliq.runs.folder import RunFolder
from ragaliq.storage.record_store import Key
from ragaliq.types import Item

_DEFAULTS = (("kb_lang", SAME), ("chunking", "windows"))


def run_benchmark(run: RunFolder, langs: list[str], data: Path | None = None) -> Benchmark:
    """Load the benchmark of a run's configuration, or from the folder `data` in place of the one that it names.

    Raises:
        InputError: if it is not there, or is another one than the run was made on.
    """
    config = run.config()
    recorded = config["data"]
    folder = data or Path(str(recorded.get("path", "")))
    if not folder.exists():
        raise InputError(
            f"{run}: the texts of its chunks are in the benchmark {folder}, which is not there; name it with --data DIR"
        )
    kb_lang, chunking = (str(config["system"].get(key, default)) for key, default in _DEFAULTS)
    benchmark = load_benchmark(folder, langs, str(recorded.get("knowledge_base", "")), chunking, kb_lang)
    if benchmark.hash != recorded["hash"]:
        raise InputError(f"{run}: was made with another version of {folder}; name that one with --data DIR")
    return benchmark


def items_by_key(benchmark: Benchmark) -> dict[Key, Item]:
    """Return the items of all loaded languages."""
    return {item.key: item for items in benchmark.items.values() for item in items}
