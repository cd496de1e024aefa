"""What is known to be relevant, and a run measured by it: the same for every command that prints values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragaliq.errors import InputError
from ragaliq.experiment.figures.measured_run import MeasuredRun, judged_beside
from ragaliq.experiment.guards import Finding, Scores, run_findings, tied_scores, unsorted_run
from ragaliq.experiment.run_file import RunFile
from ragaliq.formats.freshstack import judged_nuggets
from ragaliq.formats.reading.collection import Collection
from ragaliq.formats.trec.qrels import has_nuggets, read_nugget_qrels, read_qrels, sum_nuggets
from ragaliq.formats.trec.run import read_ranked_run
from ragaliq.metrics.retrieval.collapse import collapse_units, language_shares, unit_id, unit_languages, within
from ragaliq.metrics.retrieval.definition import Reads
from ragaliq.metrics.retrieval.measures import DEFAULTS, NUGGET_DEFAULTS, Measure
from ragaliq.metrics.retrieval.ranking import Evaluation, evaluate_run
from ragaliq.text.terms import base_language
from ragaliq.types import Importance, NuggetQrels, Qrels

# Units that tell which languages a ranking favours.
_FIRST = 10
_OF_NUGGETS = (Reads.NUGGETS, Reads.IMPORTANCE)


@dataclass(frozen=True, slots=True)
class Judgements:
    """What is known to be relevant: to queries and, where there are some, to nuggets and to each part of an answer.

    Attributes:
        name: where they come from, as messages say it.
        qrels: relevance of documents to queries.
        nuggets: relevance of documents to the facts that answers need.
        importance: query id → nugget id → vital or okay.
        gold: query id → groups of documents, of each of which one is needed.
        lang: language of the data set; empty where a file of judgements does not say.
    """

    name: str
    qrels: Qrels
    nuggets: NuggetQrels | None = None
    importance: Mapping[str, Mapping[str, Importance]] | None = None
    gold: Mapping[str, tuple[tuple[str, ...], ...]] | None = None
    lang: str = ""

    @property
    def defaults(self) -> tuple[str, ...]:
        """The measures that are taken if none is named."""
        return DEFAULTS if self.nuggets is None else NUGGET_DEFAULTS

    def relevant_to(self, measures: Sequence[Measure]) -> tuple[Qrels, NuggetQrels | None]:
        """Return the qrels, and the nuggets if one of the measures reads them; then only queries with nuggets count."""
        nuggets = self.nuggets if any(measure.reads in _OF_NUGGETS for measure in measures) else None
        if nuggets is None:
            return self.qrels, None
        return {query_id: self.qrels.get(query_id, {}) for query_id in nuggets}, nuggets


def of_file(path: Path) -> Judgements:
    """Return the judgements of a file of qrels, or of subtopic qrels, whose relevance is the sum over the nuggets.

    Raises:
        InputError: with file and line, if a line is malformed.
    """
    if not has_nuggets(path):
        return Judgements(str(path), read_qrels(path))
    nuggets = read_nugget_qrels(path)
    return Judgements(str(path), sum_nuggets(nuggets), nuggets)


def of_collection(collection: Collection) -> Judgements:
    """Return the judgements of a collection; where it has nuggets alone, relevance is the sum over these."""
    name, gold = f"{collection.name} ({collection.lang})", collection.gold or None
    if not collection.nuggets:
        return Judgements(name, collection.qrels, gold=gold, lang=collection.lang)
    importance: dict[str, dict[str, Importance]] = {}
    for nugget in collection.nuggets:
        importance.setdefault(nugget.query_id, {})[nugget.nugget_id] = nugget.importance
    nuggets = judged_nuggets(collection.nuggets, collection.qrels)
    return Judgements(name, collection.qrels or sum_nuggets(nuggets), nuggets, importance, gold, collection.lang)


def measure_run(
    path: Path,
    judgements: Judgements,
    measures: Sequence[Measure],
    ties: str = "trec",
    more: Sequence[str] = (),
    made_here: bool = False,
) -> MeasuredRun:
    """Return a run's values, with what looks wrong about it; a judged query that the run lacks counts 0.

    A run of units `doc_id@lang` is measured collapsed to documents, each as its best unit; a finding says so, and the
    share of each language in the first 10 units.

    Args:
        path: the run.
        judgements: what counts as relevant; `Judgements.relevant_to` says over which queries.
        measures: what is shown.
        ties: order of equal scores, as `evaluate_run` names it.
        more: measures of the qrels whose values are kept without being shown.
        made_here: the run was just made from these judgements' queries: it may hold no ranking, and queries that are
            documents have been told already.

    Raises:
        InputError: if the run is malformed or has no query in common with the judgements, or a measure lacks its
            judgements.
    """
    run = read_ranked_run(path)
    qrels, _ = judgements.relevant_to(measures)
    langs = unit_languages(run.scores.values(), qrels.values())
    scores: Scores = run.scores
    if langs:
        scores = {query_id: collapse_units(units) for query_id, units in scores.items()}
    findings = [] if made_here else _manifest_findings(path, judgements, len(scores))
    if scores or not made_here:
        findings += [*run_findings(scores, qrels, str(path), judgements.name), *unsorted_run(run, str(path))]
    beside = judged_beside(measures)
    evaluation = _evaluated(scores, judgements, (*measures, *beside), ties, more)
    query_ids, ties_at = evaluation.query_ids, evaluation.tied_at_cut
    tied = {str(measure): ties_at[str(measure)] for measure in measures if str(measure) in ties_at}
    findings += tied_scores(tied, len(query_ids), str(path), made_here)
    told = tuple(str(finding) for finding in findings if not (made_here and finding.name == "self-match"))
    if langs:
        told = (_units_note(path, [run.scores[name] for name in query_ids if name in run.scores]), *told)
    n_judged = tuple(len(qrels.get(query_id, ())) for query_id in query_ids)
    depth = max(map(len, scores.values()), default=0)
    return MeasuredRun(str(path), tuple(measures), beside, evaluation, told, depth, n_judged)


def measure_unit_languages(
    path: Path, judgements: Judgements, measures: Sequence[Measure], ties: str = "trec"
) -> list[MeasuredRun]:
    """Return the values of each language's part of a run of units, called `RUN@lang`, languages sorted.

    A part is the ranking without the units of other languages. A judged query without a unit in the language counts 0;
    a run of documents has no parts.

    Raises:
        InputError: as `measure_run`.
    """
    run = read_ranked_run(path)
    qrels, _ = judgements.relevant_to(measures)
    beside = judged_beside(measures)
    parts = []
    for lang in unit_languages(run.scores.values(), qrels.values()):
        scores = {query_id: part for query_id, units in run.scores.items() if (part := within(units, lang))}
        evaluation = _evaluated(scores, judgements, (*measures, *beside), ties)
        parts.append(MeasuredRun(unit_id(str(path), lang), tuple(measures), beside, evaluation))
    return parts


def _evaluated(
    scores: Scores, judgements: Judgements, measures: Sequence[Measure], ties: str, more: Sequence[str] = ()
) -> Evaluation:
    qrels, nuggets = judgements.relevant_to(measures)
    return evaluate_run(
        scores,
        qrels,
        list(dict.fromkeys((*map(str, measures), *more))),
        nuggets=nuggets,
        importance=judgements.importance,
        gold=judgements.gold,
        ties=ties,
    )


def _units_note(path: Path, rankings: Sequence[Mapping[str, float]]) -> str:
    shares = ", ".join(f"{lang} {share:.3f}" for lang, share in language_shares(rankings, _FIRST).items())
    return (
        f"note: {path}: ranks units doc_id@lang, and is measured collapsed to documents, each as its best unit; share "
        f"of the first {_FIRST} units: {shares or 'none'}"
    )


def _manifest_findings(path: Path, judgements: Judgements, n_ranked: int) -> list[Finding]:
    """Return what the manifest beside a run, if it is one of ours, says against measuring the run so."""
    manifest: dict[str, Any] = {}
    with suppress(InputError):
        manifest = RunFile(path).manifest() or {}
    data = manifest.get("data")
    if not isinstance(data, dict):
        return []
    findings, lang = [], str(data.get("lang") or "")
    if lang and judgements.lang and base_language(lang) != base_language(judgements.lang):
        text = f"{path}: was made in '{lang}', and {judgements.name} is in '{judgements.lang}'"
        findings.append(Finding("language", text, f"take the judgements of '{lang}' with --lang"))
    if manifest.get("finished") is False:
        text = f"{path} is a stopped run ({n_ranked} of {data.get('n_queries')} queries)"
        findings.append(Finding("unfinished-run", text, "repeat the retrieve command"))
    return findings
