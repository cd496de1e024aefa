"""Do the tests catch faults? Plants 56 of them, one at a time, in a copy of the checkout, and runs the room's tests.

    python studies/planted_faults.py [--out studies/planted_faults.json] [--only NAME]

A fault is one changed line: a wrong sign, a dropped row, swapped arguments, off by one. Each is run against the unit
tests of its room and, if these pass, against `tests/process`, both with `-x` and without the tests marked slow.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))

from record import write

ROOT = Path(__file__).resolve().parents[1]
# Several times what the tests of the slowest room take.
_PATIENCE_S = 600


class Fault(NamedTuple):
    """A line of a module, and what is planted in its place."""

    module: str
    line: str
    planted: str

    @property
    def tests(self) -> str:
        """The tests of the room that the module belongs to."""
        folder = Path("tests/unit") / Path(self.module).parent
        return str(folder if (ROOT / folder).is_dir() and str(folder) != "tests/unit" else Path("tests/unit"))


FAULTS = (
    Fault("storage/record_store.py", "start += size + 1", "start += size"),
    Fault("storage/redaction.py", "_SHORTEST_NUMBER = 8,", "_SHORTEST_NUMBER = 80,"),
    Fault("execution/run_stage.py", "step(len(kept), sum(kept))", "step(len(kept), len(kept))"),
    Fault("execution/local_runner.py", "return [] if self._signal.asked else batch", "return batch"),
    Fault("text/terms.py", '.casefold().replace("ё", "е")', ".casefold()"),
    Fault("text/quantities/dates.py", "quantity, strictness=Strictness.ALLOWED",
          "quantity, strictness=Strictness.DEMANDED"),
    Fault("llm/limiter.py", "self.window * CUT", "self.window / CUT"),
    Fault("llm/budget.py", "self._aside -= aside", "self._aside -= 0"),
    Fault("formats/beir.py", '"title": c.title, "text": c.text', '"title": c.text, "text": c.title'),
    Fault("formats/trec/qrels.py", 'row.iteration in ("0", "Q0")', 'row.iteration in ("Q0",)'),
    Fault("metrics/retrieval/relevance.py", "np.log2(rank[inside] + 1)", "np.log2(rank[inside] + 2)"),
    Fault("metrics/answers/aggregates.py", "else mean_nonzero / 5 * 100", "else mean_nonzero / 6 * 100"),
    Fault("metrics/answers/abstention.py", "(2 * right + wrong + missed)", "(2 * right + wrong + wrong)"),
    Fault("metrics/statistics/clusters.py", "(count / (count - 1)", "((count - 1) / count"),
    Fault("metrics/agreement/coefficients.py", "tables.sum(axis=-1), tables.sum(axis=-2)",
          "tables.sum(axis=-2), tables.sum(axis=-1)"),
    Fault("benchmark/chunking.py", "if lines[last].end > covered:", "if lines[last].end >= covered:"),
    Fault("retrieve/fusion.py", "np.arange(1, len(best.docs) + 1)", "np.arange(0, len(best.docs))"),
    Fault("retrieve/bm25.py", "bm25_index(columns, k1, b)", "bm25_index(columns, b, k1)"),
    Fault("rerank/lexical.py", "len(hits) / frequency[term]", "frequency[term] / len(hits)"),
    Fault("read/context.py", "left -= cost", "left -= 0"),
    Fault("judge/parse.py", "seen.text.rfind(MARKER)", "seen.text.find(MARKER)"),
    Fault("judge/offline/forest.py", "<= self.split[at]", "< self.split[at]"),
    Fault("judge/controls/gates.py", "self.n - self.passes <= self.allowed", "self.n - self.passes < self.allowed"),
    Fault("runs/rows.py", 'row.get("answerable", True)', 'not row.get("answerable", True)'),
    Fault("aggregate/summary.py", "answer.header.answerable and key in verdicts", "key in verdicts"),
    Fault("compare/comparison.py", "(difference < 0) != less_is_better", "(difference < 0) == less_is_better"),
    Fault("pipeline/grade.py", "only_unscored and not verdict.complete", "not verdict.complete"),
    Fault("experiment/chunked.py", "reverse=True)", "reverse=False)"),
    Fault("report/format.py", "if low == high", "if low != high"),
    Fault("review/sampling.py", "(rank + moved) / len(stratum)", "(rank - moved) / len(stratum)"),
    # What is kept and no longer holds.
    Fault("build/translation/memory.py", 'after is None else {"source"', 'after is None else {**entry, "source"'),
    Fault("build/stages/translate.py", "[settings.temperature, settings.back_translation]", "[settings.temperature]"),
    Fault("build/stages/translate.py", "if row.kept and row.value.get(_ASKED_WITH)", "if row.value.get(_ASKED_WITH)"),
    Fault("retrieve/stored/blocks.py", '"\\0".join((key, *block))', '"\\0".join((self._kind, *block))'),
    Fault("report/html/followed_runs.py", " or stat.st_size < self._read", ""),
    Fault("pipeline/distributed/calls.py", "settle(aside, aside)", "settle(aside, 0.0)"),
    Fault("pipeline/distributed/calls.py", "self._aside.pop(worker, 0.0)", "self._aside.get(worker, 0.0)"),
    # What is written down twice.
    Fault("build/pipeline.py", '("chunk", "nuggets", "closed-book"), ("pool"', '("chunk", "closed-book"), ("pool"'),
    Fault("build/quality/funnel.py", "check_translation.NAME, export.NAME)", "export.NAME)"),
    Fault("compare/value_table.py", "if len({key.query for key in shared}) < 2", "if len(shared) < 2"),
    Fault("compare/sources/tables.py", "if len({key.query for key in shared}) < 2", "if len(shared) < 2"),
    Fault("compare/sources/tables.py", "own.grades.get(key))]", "own.grades.get(key)) is not None]"),
    # Bounds, and the values at them.
    Fault("metrics/statistics/noninferiority.py", "0 < margin <= greatest", "0 < margin < greatest"),
    Fault("metrics/agreement/intervals.py", "len(tables) < LEAST_CLUSTERS", "len(tables) <= LEAST_CLUSTERS"),
    Fault("metrics/answers/gap.py", "2 * len(shared) < len(graded)", "2 * len(shared) <= len(graded)"),
    Fault("judge/controls/gates.py", "> _APART - 1e-9", "> _APART + 1e-9"),
    Fault("aggregate/summary.py", ">= min_coverage", "> min_coverage"),
    Fault("aggregate/language_gap.py", ">= min_coverage", "> min_coverage"),
    Fault("aggregate/grades/graded_answers.py", "share >= min_coverage", "share > min_coverage"),
    Fault("report/graded_answers.py", "grades.coverage >= min_coverage", "grades.coverage > min_coverage"),
    Fault("report/graded_answers.py", "support.coverage >= min_coverage", "support.coverage > min_coverage"),
    Fault("compare/minimums.py", "share >= minimum.least", "share > minimum.least"),
    Fault("compare/minimums.py", "interval.low >= minimum.least", "interval.low > minimum.least"),
    Fault("compare/gate.py", "asked.margin > sources.metric.width", "asked.margin >= sources.metric.width"),
    Fault("review/session.py", "len(note) > NOTE_CHARS", "len(note) >= NOTE_CHARS"),
    Fault("review/offline.py", "len(note) > NOTE_CHARS", "len(note) >= NOTE_CHARS"),
)  # fmt: skip


def main() -> None:
    """Plant each fault, and record which tests noticed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--only", default="", help="faults of modules whose path holds this text")
    parser.add_argument("--jobs", type=int, default=2, help="faults that are tried at once")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if fails(copied(Path(folder)), "tests"):
            raise SystemExit("the tests fail without a fault; fix that first")
    with ThreadPoolExecutor(arguments.jobs) as pool:
        rows = list(pool.map(planted, (fault for fault in FAULTS if arguments.only in fault.module)))
    caught = sum(bool(row["caught_by"]) for row in rows)
    print(f"{caught} of {len(rows)} faults caught")
    if arguments.out:
        write(arguments.out, {"faults": len(rows), "caught": caught, "rows": rows})


def planted(fault: Fault) -> dict[str, str]:
    """Return a fault with the tests that fail because of it, an empty text for none."""
    with tempfile.TemporaryDirectory() as folder:
        copy = copied(Path(folder))
        path = copy / "src" / "ragaliq" / fault.module
        text = path.read_text(encoding="utf-8")
        if fault.line not in text:
            raise SystemExit(f"{fault.module}: no line holds {fault.line!r}; name another fault")
        path.write_text(text.replace(fault.line, fault.planted, 1), encoding="utf-8")
        caught_by = next((tests for tests in (fault.tests, "tests/process") if fails(copy, tests)), "")
    print(f"{fault.module}: {fault.planted!r}: {caught_by or 'NOT CAUGHT'}", flush=True)
    return {"module": fault.module, "line": fault.line, "planted": fault.planted, "caught_by": caught_by}


def copied(folder: Path) -> Path:
    """Return a copy of the checkout's tracked files, below a folder."""
    copy = folder / "ragaliq"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    for name in filter(None, listed.decode().split("\0")):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, copy / name)
    return copy


def fails(copy: Path, tests: str) -> bool:
    """Tell whether a test fails in a copy of the checkout, or hangs."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not slow", tests]
    try:
        return subprocess.run(command, cwd=copy, capture_output=True, check=False, timeout=_PATIENCE_S).returncode == 1
    except subprocess.TimeoutExpired:
        # A loop without an end is noticed, too.
        return True


if __name__ == "__main__":
    main()
