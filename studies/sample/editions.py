"""Check editions of the sample benchmark: findings of `validate`, shared answers, equal bytes, equal difficulty.

python studies/sample/editions.py --seeds 20 --out studies/sample/editions.json
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from difficulty import SAMPLE, SYSTEMS, answerable, judgements

from ragaliq.benchmark.load import load_benchmark
from ragaliq.build.edition.draw import draw_facts
from ragaliq.build.edition.ranges import Value
from ragaliq.build.edition.refresh import read_head, refresh
from ragaliq.build.edition.render import anchor_queries, taken_words
from ragaliq.build.edition.template import Template
from ragaliq.build.edition.template_reader import read_template
from ragaliq.metrics.retrieval.ranking import evaluate_run
from record import write

# Hash seed and locale of each of two processes.
# A slot that stands with its right value.
_SLOT = re.compile(r"\{\^?([a-z][a-z0-9_]*)")
_PROCESSES = (("1", "C"), ("4711", "tr_TR.UTF-8"))


def main() -> int:
    """Measure, print, write the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=SAMPLE, help="the benchmark")
    parser.add_argument("--seeds", type=int, default=20, help="number of editions beside edition 0")
    parser.add_argument("--out", type=Path, help="write the figures to this JSON file")
    options = parser.parse_args()
    seeds = range(options.seeds + 1)
    template = read_template(options.data, read_head(options.data)["languages"])
    with tempfile.TemporaryDirectory() as folder:
        editions = {seed: Path(folder) / str(seed) for seed in seeds}
        for seed, out in editions.items():
            refresh(options.data, seed, out)
        figures = {
            "findings": {str(seed): findings(out) for seed, out in editions.items()},
            **shared_answers(template, seeds),
            "same_bytes_in_two_processes": same_bytes(options.data, Path(folder)),
            "success_at_1_of_hybrid": {str(seed): success(editions[seed]) for seed in list(seeds)[:4]},
        }
    for key, value in figures.items():
        print(f"{key}: {value}")
    if options.out:
        write(options.out, figures)
        print(f"figures: {options.out}")
    return 0


def findings(folder: Path) -> int:
    """Return the number of findings of `ragaliq validate`, which are printed."""
    command = [sys.executable, "-m", "ragaliq", "validate", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    print(done.stdout, end="")
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr)
    return len(done.stdout.splitlines())


def shared_answers(template: Template, seeds: Sequence[int]) -> dict[str, object]:
    """Return how many queries have slots in their answers, and the share of them that share no value.

    Of each pair of editions; the answer's values are those of the slots in the reference and its aliases.
    """
    taken = frozenset(taken_words(template))
    facts = {seed: draw_facts(template.slots, template.pools, seed, taken).right for seed in seeds}
    names = answer_slots(template)
    shares = {
        (a, b): sum(disjoint(names[query_id], facts[a], facts[b]) for query_id in names) / len(names)
        for a, b in combinations(seeds, 2)
    }
    return {
        "queries": len(template.plans),
        "queries_with_slots_in_the_answer": len(names),
        "anchor_queries": len(anchor_queries(template)),
        "pairs_of_editions": len(shares),
        "share_without_a_shared_answer_value": {
            "least": round(min(shares.values()), 4),
            "mean": round(sum(shares.values()) / len(shares), 4),
        },
    }


def answer_slots(template: Template) -> dict[str, set[str]]:
    """Return the slots in the reference and aliases of each query that has any."""
    page = next(iter(template.pages.values()))
    found = {
        query_id: {name for text in (words.reference, *words.aliases) for name in _SLOT.findall(text)}
        for query_id, words in page.words.items()
    }
    return {query_id: names for query_id, names in found.items() if names}


def disjoint(names: set[str], one: Mapping[str, Value], other: Mapping[str, Value]) -> bool:
    """Tell whether an answer's values in two editions have none in common, whichever slot holds it."""
    return not {str(one[name]) for name in names} & {str(other[name]) for name in names}


def same_bytes(data: Path, folder: Path) -> bool:
    """Tell whether two processes with other hash seeds and locales write the same files."""
    trees = []
    for hash_seed, locale in _PROCESSES:
        out = folder / f"process-{hash_seed}"
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "LC_ALL": locale, "LANG": locale}
        command = [sys.executable, "-m", "ragaliq", "refresh", str(data), "--seed", "12345", "--out", str(out)]
        subprocess.run(command, env=environment, check=True, capture_output=True)
        trees.append({path.relative_to(out): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()})
    return trees[0] == trees[1]


def success(folder: Path) -> dict[str, float]:
    """Return Success@1 of the default hybrid by language."""
    benchmark = load_benchmark(folder)
    found = {}
    for lang in benchmark.languages:
        retriever = SYSTEMS["hybrid"]()
        retriever.index(list(benchmark.chunks[lang]))
        queries = [item.query for item in answerable(benchmark, lang)]
        hits = retriever.retrieve_batch(queries, 10)
        run = {q.query_id: {h.chunk.doc_id: h.score for h in own} for q, own in zip(queries, hits, strict=True)}
        found[lang] = round(evaluate_run(run, judgements(benchmark, lang), ["Success@1"]).mean("Success@1") or 0.0, 3)
    return found


if __name__ == "__main__":
    sys.exit(main())
