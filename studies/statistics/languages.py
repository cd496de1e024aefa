"""Several languages at once: how often some pair of equal systems is separated somewhere, and what that costs in power.

A benchmark is one table for each of six languages on the same questions; a question's signs flip together in all of
them. Before: each language tested for itself, in one step. After: all languages together, stepping down (`max_t` with
one table a language). `all` is the table of all languages together, each question one cluster, a family of its own;
"languages or all" counts a false separation in either. The populations: the reference's logs with questions matched by
how well they are answered, and systems that are equal on average in each language (tilted) or exchanged within question
and language; and generated ones near the ceiling, with rare large differences, and with abstainers. For power: the logs
as they are, one system better than equal others, one bad system in each language.

    python studies/statistics/languages.py
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from generated import abstaining_values, near_ceiling_values, rare_values
from graded_logs import SHARED_DATA, Array, Population, exchanged, logs, observed, tilted
from many_tables import BATCH, FLIPS, LEVEL, check, floors, pairs_of, share, tested

from ragaliq.metrics.weights import WEIGHTS
from record import write

_HERE = Path(__file__).resolve().parent
LANGUAGES = 6
# A system of which fewer questions are graded is left out.
MOST_QUESTIONS = 69
# The chance that a language has the question's own row; that the better system is right beyond what it was.
SAME, RIGHT_MORE = 0.5, 0.2
Tables = tuple[tuple[int, ...], ...]


def main() -> int:
    """Read the options, simulate, write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--runs", type=int, default=2000, help="benchmarks for each population and number of questions (2000)")
    add("--n", type=int, nargs="+", default=[25, 70, 200], help="numbers of questions (25 70 200)")
    add("--out", type=Path, default=_HERE / "languages.json", help="file of the figures")
    options = parser.parse_args()
    began, rows = time.process_time(), []
    for name, (population, tables) in populations().items():
        for n in options.n:
            rows.append({"population": name, "n": n, **separated(population, tables, n, options.runs)})
            print(rows[-1], file=sys.stderr)
    task = {"runs": options.runs, "flips": FLIPS, "level": 1 - LEVEL, "cpu_s": round(time.process_time() - began)}
    write(options.out, {"task": task, "rows": rows})
    return 0


def populations() -> dict[str, tuple[Population, Tables]]:
    """Return the populations by name, each with the columns of its tables."""
    values, tables = by_language()
    four = tuple(tuple(range(4 * lang, 4 * lang + 4)) for lang in range(LANGUAGES))
    generated = {
        "near the ceiling": languages_of(near_ceiling_values(logs("en")[1])),
        "rare large differences": languages_of(rare_values()),
        "abstainers": languages_of(abstaining_values()),
    }
    found: dict[str, tuple[Population, Tables]] = {
        "logs, 2 to 4 systems, equal means": (tilted(values, *tables), tables),
        "logs, 2 to 4 systems, exchanged": (exchanged(values, *tables), tables),
    }
    for name, own in generated.items():
        found[f"{name}, 4 systems, equal means"] = (tilted(own, *four), four)
        found[f"{name}, 4 systems, exchanged"] = (exchanged(own, *four), four)
    found["logs, 2 to 4 systems as observed"] = (observed(values), tables)
    found["abstainers, the first system better in each language"] = (improved(generated["abstainers"], four), four)
    found["near the ceiling, a bad system in each language"] = (worsened(generated["near the ceiling"], four), four)
    return found


def by_language() -> tuple[Array, Tables]:
    """Return graded answers in six languages, and the columns of each language.

    English: four of nine systems; Chinese, German, Russian: three; French and Spanish: two. The logs do not say which
    questions are the same, so those of a language are matched to those of another by how well they are answered.
    """
    graded: dict[str, dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    with gzip.open(SHARED_DATA / "ragaliq" / "train_tlite_gemini_9a10558.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            graded[row["lang"]][row["embedder"]][row["question"]] = WEIGHTS[row["score"]]
    columns: dict[str, Array] = {lang: logs(lang)[1][:, :4] for lang in ("en", "zh")}
    for lang in ("de", "es", "fr", "ru"):
        systems = [own for own in graded[lang].values() if len(own) >= MOST_QUESTIONS]
        shared = sorted(set.intersection(*map(set, systems)))
        columns[lang] = np.array([[own[question] for own in systems] for question in shared])
    rows = min(map(len, columns.values()))
    matched = [own[np.argsort(own.mean(axis=1), kind="stable")][-rows:] for own in columns.values()]
    ends = np.cumsum([0, *(own.shape[1] for own in matched)]).tolist()
    tables = tuple(tuple(range(start, end)) for start, end in pairwise(ends))
    return np.hstack(matched), tables


def languages_of(values: Array) -> Array:
    """Return six languages side by side: on each question each language has the answers of one system's row, or others.

    In half of the cases a language takes the row of the question itself, else that of any question, so that languages
    go together without being the same.
    """
    generator = np.random.default_rng(5)
    other = generator.integers(0, len(values), (LANGUAGES, len(values)))
    same = generator.random((LANGUAGES, len(values))) < SAME
    return np.hstack([values[np.where(same[lang], np.arange(len(values)), other[lang])] for lang in range(LANGUAGES)])


def improved(values: Array, tables: Tables) -> Population:
    """Return systems that are equal in every language but for the first, which is right a fifth more often."""
    generator, population = np.random.default_rng(6), tilted(values, *tables)
    better = population.values.copy()
    for table in tables:
        better[generator.random(len(better)) < RIGHT_MORE, table[0]] = 1.0
    return Population(better, population.chances)


def worsened(values: Array, tables: Tables) -> Population:
    """Return systems of equal means in every language but for the last, which is wrong on half of the questions."""
    generator, population = np.random.default_rng(7), tilted(values, *(table[:-1] for table in tables))
    worse = population.values.copy()
    for table in tables:
        worse[generator.random(len(worse)) < 0.5, table[-1]] = 0.0
    return Population(worse, population.chances)


def separated(population: Population, tables: Tables, n: int, runs: int) -> dict[str, object]:
    """Return how often an equal pair is separated (or another the wrong way round) in any language, or in `all` too.

    `separated`: share of the pairs that truly differ and are separated, over the languages.
    """
    generator, means = np.random.default_rng(n), population.means
    first, second, table = pairs_of(tables)
    truth = np.round(means[second] - means[first], 4)
    found: dict[str, list[Array]] = defaultdict(list)
    checked = 0.0
    for batch in range(runs // BATCH):
        drawn = np.stack([population.draw(n, generator) for _ in range(BATCH)])
        apart = np.round(drawn[:, :, second] - drawn[:, :, first], 9)
        wrong_way = np.sign(apart.sum(axis=1).round(9)) != np.sign(truth)
        of_all = _false_in_all(drawn, tables, means, generator)
        for name, p in _methods(apart, table, generator).items():
            wrong = ((p < LEVEL) & wrong_way).any(axis=1)
            found[f"{name}.any_language"].append(wrong)
            if of_all is not None:
                found[f"{name}.languages_or_all"].append(wrong | of_all)
            if truth.any():
                found[f"{name}.separated"].append(((p < LEVEL) & ~wrong_way)[:, truth != 0].mean(axis=1))
        if of_all is not None:
            found["all"].append(of_all)
        checked = checked if batch else check(drawn[:5], tables, generator)
    return {key: share(values) for key, values in found.items()} | {"check": round(checked, 3)}


def _methods(apart: Array, table: Sequence[int], generator: np.random.Generator) -> dict[str, Array]:
    """Return the p values of each pair by each method."""
    number = np.array(table)
    each = [(number == lang, tested(apart[:, :, number == lang], generator)) for lang in np.unique(number)]
    one_step, stepped = np.empty(apart[:, 0].shape), np.empty(apart[:, 0].shape)
    for own, p in each:
        one_step[:, own], stepped[:, own] = p.one_step, p.stepped
    found = {"each_language_one_step": one_step, "each_language_step_down": stepped}
    by_table = np.empty(one_step.shape)
    for own, _ in each:
        by_table[:, own] = floors(apart[:, :, own])
    found["jointly"] = tested(apart, generator).stepped
    return found | {"jointly_floor_by_language": tested(apart, generator, by_table).stepped}


def _false_in_all(drawn: Array, tables: Tables, means: Array, generator: np.random.Generator) -> Array | None:
    """Return whether `all`, a question's languages taken together, separates what is equal; None for unlike tables."""
    if len({len(table) for table in tables}) > 1:
        return None
    summed = np.sum([drawn[:, :, list(table)] for table in tables], axis=0)
    truth_of = np.sum([means[list(table)] for table in tables], axis=0)
    first, second, _ = pairs_of([range(len(tables[0]))])
    apart = np.round(summed[:, :, second] - summed[:, :, first], 9)
    truth = np.round(truth_of[second] - truth_of[first], 3)
    wrong_way = np.sign(apart.sum(axis=1).round(9)) != np.sign(truth)
    wrong: Array = ((tested(apart, generator).stepped < LEVEL) & wrong_way).any(axis=1)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
