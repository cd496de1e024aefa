"""The gate from end to end on the reference's graded answers: drawn again, and their labels swapped within a query.

In each run two systems of the English logs and two of the Chinese change places at random on every query, which makes
them equal, and queries are drawn with replacement. A system that is worse by the margin has, in English, the least
weight on a random share of its answers, so that it loses the margin on average; the Chinese one is still equal.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
from graded_logs import Array, logs

from ragaliq.aggregate.grades.query_grades import QueryKey
from ragaliq.cli import main
from ragaliq.compare.gate import GateReport, GateSettings, check_gate
from ragaliq.compare.sources.system_values import Sources, SystemValues
from ragaliq.compare.sources.tables import source_tables
from ragaliq.compare.standings import ComparisonSettings
from ragaliq.compare.value_table import TableMetric
from ragaliq.metrics.statistics.noninferiority import GateOutcome
from ragaliq.metrics.weights import WEIGHTS
from ragaliq.storage.files import write_jsonl

LANGS = ("en", "zh")
NUMBERS = (100, 400)
# Reshuffles that `ragaliq compare` is given as files as well, and those of which the number asked for is drawn.
COMMANDS, AGAIN = 3, 300
METRIC = TableMetric("mean_weight", "w̄")
_GRADES = {weight: grade for grade, weight in WEIGHTS.items()}
Pairs = dict[str, list[Array]]


def reshuffled(margin: float, runs: int) -> list[dict[str, object]]:
    """Return how often two equal systems, one worse by the margin, and one by twice the margin pass and fail."""
    pairs: Pairs = {}
    for lang in LANGS:
        weights = logs(lang)[1]
        pairs[lang] = [weights[:, list(pair)] for pair in itertools.combinations(range(weights.shape[1]), 2)]
    found = []
    for n in NUMBERS:
        for name, loss in (("equal", 0.0), ("worse by the margin", margin), ("worse by twice the margin", 2 * margin)):
            found.append({"systems": name, "n": n, **_counted(pairs, loss, n, margin, runs)})
            print(found[-1], file=sys.stderr, flush=True)
    return found


def _counted(pairs: Pairs, loss: float, n: int, margin: float, runs: int) -> dict[str, object]:
    generator = np.random.default_rng(1)
    count: Counter[str] = Counter()
    for run in range(runs):
        drawn = _drawn(pairs, run, loss, n, generator)
        report = _gate(drawn, margin)
        count[str(report.outcome)] += 1
        if run < COMMANDS:
            _check(drawn, report, margin)
        if report.outcome is not GateOutcome.INCONCLUSIVE or report.needed is None:
            continue
        count["with_number"] += 1
        if count["again"] < AGAIN:
            count["again"] += 1
            again = _gate(_drawn(pairs, run, loss, report.needed, generator), margin)
            count["decided"] += again.outcome is not GateOutcome.INCONCLUSIVE
    decided = count["decided"] / count["again"] if count["again"] else 0.0
    return {
        "runs": runs,
        **{name: count[name] for name in ("pass", "fail", "inconclusive", "with_number")},
        "drawn_again": count["again"],
        "decided": round(decided, 4) if count["again"] else None,
        "se": round((decided * (1 - decided) / count["again"]) ** 0.5, 4) if count["again"] else None,
    }


def _drawn(pairs: Pairs, run: int, loss: float, n: int, generator: np.random.Generator) -> dict[str, Array]:
    """Return two columns of weights for each language; the first loses `loss` on average in English."""
    found = {}
    for lang, own in pairs.items():
        weights = own[run % len(own)]
        drawn = weights[generator.integers(0, len(weights), n)]
        swapped = generator.random(n) < 0.5
        drawn[swapped] = drawn[swapped, ::-1]
        if lang == LANGS[0]:
            drawn[generator.random(n) < loss / weights.mean(), 1] = 0.0
        found[lang] = drawn
    return found


def _gate(drawn: dict[str, Array], margin: float) -> GateReport:
    systems = tuple(
        {
            lang: SystemValues(
                name, lang, {QueryKey(f"q{query}"): value for query, value in enumerate(weights[:, place].tolist())}
            )
            for lang, weights in drawn.items()
        }
        for place, name in enumerate(("baseline", "candidate"))
    )
    sources = Sources(METRIC, systems)
    return check_gate({"": sources}, source_tables(sources), ComparisonSettings(), GateSettings(margin))


def _check(drawn: dict[str, Array], report: GateReport, margin: float) -> None:
    """Compare what `ragaliq compare --gate` prints of the same grades in files."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{name}.jsonl" for name in ("baseline", "candidate")]
        for place, path in enumerate(paths):
            write_jsonl(
                path,
                [
                    {"query_id": f"q{query}", "lang": lang, "question": f"{query}", "grade": _GRADES[round(value, 1)]}
                    for lang, weights in drawn.items()
                    for query, value in enumerate(weights[:, place].tolist())
                ],
            )
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            code = main(["compare", *map(str, paths), "--gate", str(margin), "--format", "json"])
    told = json.loads(out.getvalue())["gate"]
    there = [(cell["outcome"], round(cell["p_pass"], 9), round(cell["p_fail"], 9)) for cell in told["cells"]]
    here = [
        (str(cell.result.outcome), round(cell.result.p_pass or 0.0, 9), round(cell.result.p_fail or 0.0, 9))
        for cell in report.cells
    ]
    expected = (str(report.outcome), report.needed, int(report.outcome is not GateOutcome.PASS), here)
    if (told["outcome"], told["queries_needed"], code, there) != expected:
        raise AssertionError("`ragaliq compare --gate` says something else of the same grades")
