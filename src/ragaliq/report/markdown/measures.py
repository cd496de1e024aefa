"""Measures of TREC runs: tables for people, the same values for programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ragaliq.metrics.retrieval.measures import Measure
from ragaliq.metrics.retrieval.ranking import Evaluation
from ragaliq.metrics.statistics.intervals import Interval, mean_interval
from ragaliq.report.markdown.diagnoses import Beside, Diagnosis, diagnose
from ragaliq.report.markdown.results import NONE

_JUDGED = ("Judged", "Hole")
_DEPTH = 10
# A bootstrap of fewer queries draws too few different samples for an interval that means anything.
_FEW = 5


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """A run's values.

    Attributes:
        name: what the run is called, such as its file.
        measures: the measures asked for.
        beside: the measures that tell how far the others can be trusted; the evaluation holds them, too.
        evaluation: the values.
        findings: what looks wrong, a line each.
        depth: documents of the longest ranking; 0 if not known.
        n_judged: how many documents are judged, for each query of the evaluation; empty if not known.
    """

    name: str
    measures: tuple[Measure, ...]
    beside: tuple[Measure, ...]
    evaluation: Evaluation
    findings: tuple[str, ...] = ()
    depth: int = 0
    n_judged: tuple[int, ...] = ()

    def interval(self, measure: Measure) -> Interval | None:
        """Return the 95 % bootstrap interval of a mean over queries."""
        return mean_interval(self.evaluation.values[str(measure)].tolist())

    def to_json(self) -> dict[str, Any]:
        """Return the values as programs read them; undefined is None."""
        found = self.evaluation
        rows = zip(*(found.values[str(measure)].tolist() for measure in self.measures), strict=True)
        names = [str(measure) for measure in self.measures]
        return {
            "measures": {name: found.mean(name) for name in names},
            "n_queries": len(found.query_ids),
            "n_missing_in_run": found.n_missing,
            "per_query": {
                query_id: dict(zip(names, row, strict=True))
                for query_id, row in zip(found.query_ids, rows, strict=True)
            },
            "run": self.name,
            "intervals": {str(measure): self.interval(measure) for measure in self.measures},
            "n_extra_in_run": found.n_extra,
            "n_without_relevant": found.n_without_relevant,
            "tied_at_cut": {name: found.tied_at_cut[name] for name in names if name in found.tied_at_cut},
            "judged": {str(measure): found.mean(str(measure)) for measure in self.beside},
            "warnings": list(self.findings),
            "diagnoses": [asdict(diagnosis) for diagnosis in self.diagnoses()],
        }

    def diagnoses(self) -> list[Diagnosis]:
        """Return what the means show about where the run loses."""
        found = self.evaluation
        means = {str(measure): found.mean(str(measure)) for measure in (*self.measures, *self.beside)}
        missing = found.n_missing / max(1, len(found.query_ids))
        return diagnose(means, Beside(missing=missing, depth=self.depth, attainable=self.attainable()))

    def attainable(self) -> dict[str, float]:
        """Return the greatest share of judged documents that the judgements allow, by `Judged@k`; empty if not known.

        It is the mean over queries of min(k, judged documents of the query) / k.
        """
        cuts = [(str(measure), measure.cutoff) for measure in self.beside if measure.name == "Judged"]
        return {
            name: sum(min(k, count) for count in self.n_judged) / (k * len(self.n_judged))
            for name, k in cuts
            if k and self.n_judged
        }


def judged_beside(measures: Iterable[Measure]) -> tuple[Measure, ...]:
    """Return the shares of judged documents that belong beside measures: at their cutoffs, at 10 where none has one.

    Unjudged documents count as not relevant, so that a value is a lower bound as far as documents are unjudged.
    """
    cutoffs = {measure.cutoff for measure in measures if measure.cutoff and measure.name not in _JUDGED}
    return tuple(Measure("Judged", cutoff) for cutoff in sorted(cutoffs or {_DEPTH}))


def render_measures(runs: Sequence[MeasuredRun], form: str, per_query: bool = False) -> str:
    """Return the values of runs under the same judgements as `json`, `csv` or `md`.

    JSON is one object for one run, else a list of them, and always holds the values of each query; the others hold
    them `per_query`.
    """
    if form == "json":
        objects = [run.to_json() for run in runs]
        value = objects[0] if len(objects) == 1 else objects
        return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
    if form == "csv":
        return _csv(_query_rows(runs, [run.name for run in runs], repr) if per_query else _mean_rows(runs))
    parts = [_one(runs[0]) if len(runs) == 1 else _several(runs), _lines(runs)]
    if per_query:
        header, *rows = _query_rows(runs, labels(runs), decimals)
        parts.append(markdown(header, rows))
    return "\n\n".join(parts)


def render_languages(runs: Mapping[str, MeasuredRun]) -> str:
    """Return the values of one system in several languages: a row each, and a line for each that needs a word."""
    names = list(dict.fromkeys(measure for run in runs.values() for measure in run.measures))
    rows = []
    for lang, run in runs.items():
        found = run.evaluation
        cells = [_value(run, measure) if measure in run.measures else NONE for measure in names]
        rows.append([lang, *cells, str(len(found.query_ids))])
    told = {lang: _remarkable(run) for lang, run in runs.items()}
    lines = [f"- {lang}: {'; '.join(remarks)}" for lang, remarks in told.items() if remarks]
    return "\n\n".join([markdown(["language", *map(str, names), "n"], rows), *(["\n".join(lines)] if lines else [])])


def _remarkable(run: MeasuredRun) -> list[str]:
    found = run.evaluation
    remarks = []
    if found.n_missing:
        remarks.append(f"queries missing and counted 0: {found.n_missing}")
    if found.n_without_relevant:
        remarks.append(f"queries without anything relevant, counted 0: {found.n_without_relevant}")
    # Findings are told in full elsewhere; missing queries stand here already.
    names = [finding.partition(":")[0] for finding in run.findings]
    return remarks + [name for name in names if name != "warning[missing-queries]"]


def _value(run: MeasuredRun, measure: Measure) -> str:
    """Return a mean with its interval."""
    return f"{decimals(run.evaluation.mean(str(measure)))} ({_interval(run, measure)})"


def _interval(run: MeasuredRun, measure: Measure) -> str:
    """Return an interval as text where there are queries enough for one."""
    return between(run.interval(measure)) if len(run.evaluation.query_ids) >= _FEW else NONE


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; two columns may have the same title, as runs are called what their files are called."""
    import pandas

    cells = [[value.replace("|", "\\|") for value in row] for row in (header, *rows)]
    frame = pandas.DataFrame(cells[1:], columns=cells[0], dtype=str)
    return str(frame.to_markdown(index=False, disable_numparse=True))


def decimals(value: float | None, sign: bool = False) -> str:
    """Return a value to four digits behind the point, as trec_eval prints it."""
    return NONE if value is None else f"{value:{'+' if sign else ''}.4f}"


def between(interval: Interval | None, sign: bool = False) -> str:
    """Return an interval as text."""
    return NONE if interval is None else f"{decimals(interval.low, sign)} … {decimals(interval.high, sign)}"


def _one(run: MeasuredRun) -> str:
    found = run.evaluation
    rows = [
        [
            str(measure),
            decimals(found.mean(str(measure))),
            str(len(found.query_ids)),
            _interval(run, measure),
            measure.meaning,
        ]
        for measure in run.measures
    ]
    return markdown(["measure", "value", "n", "ci95", "meaning"], rows)


def labels(runs: Sequence[MeasuredRun]) -> list[str]:
    """Return what tables call the runs: the last part of a path where that tells them apart, else the whole."""
    names = [run.name for run in runs]
    short = [name.replace("\\", "/").rstrip("/").rpartition("/")[2] for name in names]
    return short if len(set(short)) == len(set(names)) else names


def _several(runs: Sequence[MeasuredRun]) -> str:
    n = str(len(runs[0].evaluation.query_ids))
    rows = []
    for measure in runs[0].measures:
        rows.append([str(measure), *(_value(run, measure) for run in runs), n, measure.meaning])
    return markdown(["measure", *labels(runs), "n", "meaning"], rows)


def _lines(runs: Sequence[MeasuredRun]) -> str:
    without = runs[0].evaluation.n_without_relevant
    told = f", without anything relevant and counted 0: {without}" if without else ""
    few = f"; none for fewer than {_FEW} queries" if len(runs[0].evaluation.query_ids) < _FEW else ""
    lines = [
        f"judged queries: {len(runs[0].evaluation.query_ids)}{told}. Unjudged documents count as not relevant.",
        f"ci95: bootstrap over queries, judgements taken as given{few}.",
    ]
    for label, run in zip(labels(runs), runs, strict=True):
        lines.append(f"{label}: {'; '.join(_told(run))}.")
        # Which value to read first is the same for all runs, and the table tells theirs.
        seen = [diagnosis for diagnosis in run.diagnoses() if run is runs[0] or diagnosis.name != "read-first"]
        lines += [f"{label}: {diagnosis.text}." for diagnosis in seen]
    return "\n".join(f"- {line}" for line in lines)


def _told(run: MeasuredRun) -> list[str]:
    """Return the shares of judged documents, and of what is counted besides all that is not 0."""
    found = run.evaluation
    told = [", ".join(f"{measure} {decimals(found.mean(str(measure)))}" for measure in run.beside)]
    if found.n_missing:
        told.append(f"queries missing and counted 0: {found.n_missing}")
    if found.n_extra:
        told.append(f"queries without judgements and left out: {found.n_extra}")
    counts = [(measure, found.tied_at_cut.get(str(measure), 0)) for measure in run.measures]
    tied = ", ".join(f"{measure} {count}" for measure, count in counts if count)
    if tied:
        told.append(f"queries with equal scores on both sides of the cut: {tied}")
    return told


def _mean_rows(runs: Sequence[MeasuredRun]) -> list[list[str]]:
    rows = [["run", "measure", "n", "value", "ci95_low", "ci95_high"]]
    for run in runs:
        for measure in run.measures:
            low, high = run.interval(measure) or (None, None)
            numbers = (run.evaluation.mean(str(measure)), low, high)
            written = ["" if number is None else repr(number) for number in numbers]
            rows.append([run.name, str(measure), str(len(run.evaluation.query_ids)), *written])
    return rows


def _query_rows(runs: Sequence[MeasuredRun], names: Iterable[str], written: Callable[[float], str]) -> list[list[str]]:
    rows = [["run", "query_id", *map(str, runs[0].measures)]]
    for name, run in zip(names, runs, strict=True):
        columns = [run.evaluation.values[str(measure)].tolist() for measure in run.measures]
        for query_id, *values in zip(run.evaluation.query_ids, *columns, strict=True):
            rows.append([name, query_id, *map(written, values)])
    return rows


def _csv(rows: Sequence[Sequence[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().rstrip("\n")
