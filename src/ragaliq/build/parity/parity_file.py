"""The parity of a benchmark: its rows, made where they are not kept, and what they say of each language."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from ragaliq.benchmark.checks.validate import is_parallel
from ragaliq.benchmark.load import Benchmark
from ragaliq.build.parity.item_parity import LEVEL, item_scores, item_shifts, n_retrievers
from ragaliq.build.parity.parity_rows import ItemShift, ParityRows, keep_parity, kept_parity
from ragaliq.storage.files import read_json


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
    found = kept_parity(folder, benchmark.hash) or _made(folder, benchmark)
    retrievers, items, rows = found.retrievers, found.items, found.rows
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


def _made(folder: Path, benchmark: Benchmark) -> ParityRows:
    scores = item_scores(benchmark)
    made = ParityRows(n_retrievers(scores), len(scores.query_ids), item_shifts(scores))
    keep_parity(folder, benchmark.hash, made)
    return made
