"""`DIR/build/parity.jsonl`: a row for each item and language of a parallel benchmark."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from ragaliq.benchmark.checks.validate import is_parallel
from ragaliq.benchmark.layout import file_hash
from ragaliq.benchmark.load import Benchmark
from ragaliq.build.parity.item_parity import LEVEL, ItemShift, item_scores, item_shifts, n_retrievers
from ragaliq.storage.files import read_json, read_jsonl, write_json, write_jsonl
from ragaliq.storage.own_json import read_own_json

# Counted up when the method changes: rows of an earlier one are made again.
_METHOD = 1
_HEAD = {"method": int, "benchmark": str, "rows": str, "retrievers": int, "items": int}


@dataclass(frozen=True, slots=True)
class LanguageParity:
    """Unequal items of a language.

    Attributes:
        lang: the language.
        n: items that were compared.
        harder, easier: those that are flagged.
        by_chance: how many of equal items would be flagged.
    """

    lang: str
    n: int
    harder: int
    easier: int
    by_chance: float


@dataclass(frozen=True, slots=True)
class Parity:
    """The parity of a benchmark.

    Attributes:
        retrievers: how many scored each item in each language.
        items: how many have gold in every language.
        languages: what was found in each.
        flagged: the unequal items, the least p first.
        reason: why nothing was compared; empty if it was.
    """

    retrievers: int
    items: int
    languages: tuple[LanguageParity, ...]
    flagged: tuple[ItemShift, ...]
    reason: str = ""


def benchmark_parity(folder: Path, benchmark: Benchmark) -> Parity:
    """Return the parity of the benchmark in a folder, and keep its rows in `build/parity.jsonl`.

    Rows of the same benchmark, told by its hash, are taken from the file. A benchmark that is not parallel has none.
    """
    head = folder / "bench.json"
    if len(benchmark.languages) < 2:
        return Parity(0, 0, (), (), "the benchmark has one language")
    if head.is_file() and not is_parallel(read_json(head)):
        return Parity(0, 0, (), (), 'bench.json says "parallel": false')
    retrievers, items, rows = _kept(folder, benchmark.hash) or _made(folder, benchmark)
    if not rows:
        return Parity(retrievers, items, (), (), f"{items} items have gold in every language, too few to compare")
    counts = Counter((row.lang, row.shift < 0) for row in rows if row.flagged)
    sizes = Counter(row.lang for row in rows)
    languages = [
        LanguageParity(lang, sizes[lang], counts[lang, True], counts[lang, False], LEVEL * sizes[lang])
        for lang in benchmark.languages
    ]
    flagged = sorted((row for row in rows if row.flagged), key=lambda row: (row.p, row.lang, row.query_id))
    return Parity(retrievers, items, tuple(languages), tuple(flagged))


def _kept(folder: Path, digest: str) -> tuple[int, int, list[ItemShift]] | None:
    """Return retrievers, items and rows of an earlier call; None if there are none, or of another benchmark."""
    head_file, rows_file = _files(folder)
    if not head_file.is_file() or not rows_file.is_file():
        return None
    head = read_own_json(head_file, _HEAD, "the head of parity.jsonl", "remove it, the same command writes it anew")
    if (head["method"], head["benchmark"], head["rows"]) != (_METHOD, digest, file_hash(rows_file)):
        return None
    return head["retrievers"], head["items"], [ItemShift(**row) for _, row in read_jsonl(rows_file)]


def _made(folder: Path, benchmark: Benchmark) -> tuple[int, int, list[ItemShift]]:
    scores = item_scores(benchmark)
    rows, retrievers, items = item_shifts(scores), n_retrievers(scores), len(scores.query_ids)
    head_file, rows_file = _files(folder)
    write_jsonl(rows_file, map(asdict, rows))
    write_json(head_file, {"method": _METHOD, "benchmark": benchmark.hash, "rows": file_hash(rows_file),
                           "retrievers": retrievers, "items": items})  # fmt: skip
    return retrievers, items, rows


def _files(folder: Path) -> tuple[Path, Path]:
    return folder / "build" / "parity.json", folder / "build" / "parity.jsonl"
