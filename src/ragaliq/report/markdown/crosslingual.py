"""The language × language matrix: one system's queries in each language, answered over each language's documents.

The runs differ in `kb_lang` alone. The queries are parallel and the gold names documents that all languages share, so
neither the grades nor the recall of a cell need labels of their own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import Any, Protocol

from ragaliq.config import ALL, SAME
from ragaliq.errors import InputError
from ragaliq.formats.trec.run import read_run
from ragaliq.metrics.retrieval.collapse import collapse_units, split_unit
from ragaliq.metrics.statistics.intervals import mean_interval
from ragaliq.metrics.statistics.sign_flips import ROUNDING
from ragaliq.metrics.weights import WEIGHTS
from ragaliq.report.format import NONE, between, markdown, thousandths
from ragaliq.runs.folder import RunFolder
from ragaliq.storage.files import read_json, read_jsonl

DEPTH = 10
# What makes two runs' grades those of one judge.
_JUDGE = ("kind", "model", "options", "name", "prompt_hash")
# Groups of documents by query: an answer needs one of each.
Gold = Mapping[str, Sequence[Sequence[str]]]


class Run(Protocol):
    """A graded run: its folder and its configuration."""

    @property
    def folder(self) -> RunFolder:
        """The files."""
        ...

    @property
    def config(self) -> dict[str, Any]:
        """What is in its `config.json`."""
        ...


def matrix_sections(results: Sequence[Run]) -> list[str]:
    """Return a section of Markdown for each system among graded runs that was run across languages; none without one.

    Runs belong to one system if system, data and judge of their configurations are equal but for `kb_lang`. A row holds
    the queries of one language, a column the knowledge base: that of one language, or `all`. A run of each language
    over its own fills the cells of the diagonal that no other run fills. Tables:

    - mean weight of the grades of the answerable queries, in 0..1, with how many of them have a grade;
    - its difference to the same language over its own documents, in −1..1, paired by query, with the 95 % interval over
      queries; only queries with a grade in both count;
    - recall: share of the answerable queries with gold for which each group of gold has a document among the first 10
      that were retrieved, with the number of queries; units `doc_id@lang` count as their documents, each once;
    - the same among the documents that the reader was shown.

    An undefined cell is a dash. Gold is read from the benchmark's folder in our own layout; the recall is left out, and
    a line says so, where it is not there or has another version.

    Raises:
        InputError: if a file of a run is malformed.
    """
    groups: dict[str, list[Run]] = {}
    for result in results:
        groups.setdefault(_system(result.config), []).append(result)
    crossed = [group for group in groups.values() if any(_kb_lang(run) != SAME for run in group)]
    sections = [_section(group) for group in crossed]
    return ["# Queries in one language, documents in another", *sections] if sections else []


def covered(gold: Sequence[Sequence[str]], doc_ids: Collection[str]) -> bool:
    """Tell whether each group of gold has a document among `doc_ids`; no groups are covered by anything."""
    found = set(doc_ids)
    return all(not found.isdisjoint(group) for group in gold)


def first_documents(ranking: Mapping[str, float], mixed: bool, depth: int = DEPTH) -> list[str]:
    """Return the first documents of a ranking as trec_eval orders them: score, then id, both descending.

    With `mixed` the ranking is one of units `doc_id@lang`, and is collapsed to documents before.
    """
    scores = collapse_units(ranking) if mixed else dict(ranking)
    order = sorted(scores, key=lambda doc: (scores[doc], doc.encode("utf-8", "surrogatepass")), reverse=True)
    return order[:depth]


@dataclass(frozen=True)
class _Cell:
    """The queries of one language in one run."""

    run: Run
    lang: str
    weights: dict[str, float] = field(default_factory=dict)

    @property
    def n_expected(self) -> int:
        return int(self.run.config["expected"][self.lang]["answerable"])

    @property
    def _mixed(self) -> bool:
        return _kb_lang(self.run) == ALL

    @cached_property
    def shown(self) -> dict[str, list[str]]:
        """The documents in the context of each answerable query."""
        answers = self.run.folder.answers()
        own = [key for key in answers if key[0] == self.lang and answers.header(key).answerable]
        ids = {key[1]: [hit.chunk.doc_id for hit in answers[key].answer.context] for key in own}
        return {query_id: list(map(_document, docs)) if self._mixed else docs for query_id, docs in ids.items()}

    @cached_property
    def retrieved(self) -> dict[str, list[str]]:
        """The first documents of each answerable query that is answered; nothing was found for one not in the file."""
        file = self.run.folder.retrieval_file(self.lang)
        found = read_run(file) if file.is_file() else {}
        rankings = {query_id: {doc.doc_id: doc.score for doc in found.get(query_id, ())} for query_id in self.shown}
        return {query_id: first_documents(ranking, self._mixed) for query_id, ranking in rankings.items()}


class _Matrix:
    """The cells of one system, by language of the queries and by knowledge base."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self._cells: dict[tuple[str, str], _Cell] = {}
        self.left_out: list[str] = []
        # Those of one knowledge base first: a run of each language over its own fills what they leave.
        for run in sorted(runs, key=lambda run: (_kb_lang(run) == SAME, run.folder.path.name)):
            graded, kept = _weights(run.folder), False
            for lang in run.config["expected"]:
                place = (lang, lang if _kb_lang(run) == SAME else _kb_lang(run))
                if place not in self._cells:
                    self._cells[place], kept = _Cell(run, lang, graded.get(lang, {})), True
            if not kept and _kb_lang(run) != SAME:
                self.left_out.append(run.folder.path.name)
        self.rows = list(dict.fromkeys(lang for run in runs for lang in run.config["expected"]))
        named = {kb_lang for _, kb_lang in self._cells}
        self.columns = [lang for lang in self.rows if lang in named]
        self.columns += sorted(named - {*self.rows, ALL}) + [ALL] * (ALL in named)

    def table(self, text: Callable[[_Cell], str]) -> str:
        rows = [{"queries": lang} | {name: self._text(lang, name, text) for name in self.columns} for lang in self.rows]
        return markdown(rows)

    def _text(self, lang: str, name: str, text: Callable[[_Cell], str]) -> str:
        cell = self._cells.get((lang, name))
        return NONE if cell is None else text(cell)

    def own(self, lang: str) -> _Cell | None:
        """Return the cell of a language over its own documents."""
        return self._cells.get((lang, lang))


def _section(runs: Sequence[Run]) -> str:
    matrix = _Matrix(runs)
    parts = [
        f"## {_title(runs[0].config)}",
        "Rows: language of the queries. Columns: language of the documents. Mean weight (graded/expected):",
        matrix.table(_mean_weight),
    ]
    if any(matrix.own(lang) for lang in matrix.rows):
        parts += [
            "Difference to the language's own documents (ci95; queries with a grade in both):",
            matrix.table(lambda cell: _difference(cell, matrix.own(cell.lang))),
        ]
    gold = {lang: found for lang in matrix.rows if (found := _gold(runs[0].config["data"], lang)) is not None}
    if gold:
        parts += [
            f"Recall: all gold among the first {DEPTH} documents retrieved (queries):",
            matrix.table(lambda cell: _recall(gold.get(cell.lang), cell.retrieved)),
            "All gold among the documents shown to the reader (queries):",
            matrix.table(lambda cell: _recall(gold.get(cell.lang), cell.shown)),
        ]
    else:
        where = runs[0].config["data"].get("path") or "the data set"
        parts.append(f"No recall: {where} has no gold of this version at hand.")
    if matrix.left_out:
        parts.append(f"Not shown, because they repeat runs that are: {', '.join(matrix.left_out)}")
    return "\n\n".join(parts)


def _mean_weight(cell: _Cell) -> str:
    mean = fmean(cell.weights[query_id] for query_id in sorted(cell.weights)) if cell.weights else None
    return f"{thousandths(mean)} ({len(cell.weights)}/{cell.n_expected})"


def _difference(cell: _Cell, own: _Cell | None) -> str:
    if own is None or own is cell:
        return NONE
    both = sorted(cell.weights.keys() & own.weights.keys())
    if not both:
        return NONE
    values = [cell.weights[query_id] - own.weights[query_id] for query_id in both]
    # Where all differences are the same, nothing tells how others would vary.
    varies = max(values) - min(values) > ROUNDING
    interval = mean_interval(values, seed=int(cell.run.config["system"]["seed"])) if varies else None
    return f"{thousandths(fmean(values), sign=True)} ({between(interval, sign=True)}; {len(both)})"


def _recall(gold: Gold | None, found: Mapping[str, Collection[str]]) -> str:
    asked = [query_id for query_id in sorted(found) if gold and gold.get(query_id)]
    if gold is None or not asked:
        return NONE
    return f"{thousandths(fmean(covered(gold[query_id], found[query_id]) for query_id in asked))} ({len(asked)})"


def _weights(folder: RunFolder) -> dict[str, dict[str, float]]:
    """Return the weights of the grades of answerable queries, by language and query."""
    answers, verdicts = folder.answers(), folder.verdicts()
    weights: dict[str, dict[str, float]] = {}
    for key in answers:
        grade = verdicts.header(key).grade if key in verdicts and answers.header(key).answerable else None
        if grade is not None:
            weights.setdefault(key[0], {})[key[1]] = WEIGHTS[grade]
    return weights


def _gold(data: Mapping[str, Any], lang: str) -> Gold | None:
    """Return the gold of the answerable queries of a language; None if the benchmark is not at hand."""
    folder = Path(str(data.get("path") or ""))
    file, head_file = folder / "queries" / f"{lang}.jsonl", folder / "bench.json"
    try:
        head = read_json(head_file) if head_file.is_file() else {}
        if not file.is_file() or [str(head.get(key)) for key in ("name", "version")] != [data["name"], data["version"]]:
            return None
        rows = [row for _, row in read_jsonl(file)]
        return {row["query_id"]: row.get("gold") or () for row in rows if row.get("answerable", True)}
    except (InputError, KeyError, AttributeError):
        return None


def _document(unit: str) -> str:
    parts = split_unit(unit)
    return unit if parts is None else parts[0]


def _kb_lang(run: Run) -> str:
    return str(run.config["system"].get("kb_lang", SAME))


def _system(config: Mapping[str, Any]) -> str:
    system = {key: value for key, value in config["system"].items() if key != "kb_lang"}
    judge = {key: (config["judge"] or {}).get(key) for key in _JUDGE}
    return json.dumps([system, judge, config["data"]["hash"]], sort_keys=True, default=str)


def _title(config: Mapping[str, Any]) -> str:
    system = config["system"]
    parts = [":".join(filter(None, (system[part]["kind"], system[part].get("model", ""))))
             for part in ("reader", "retriever", "embedder", "reranker")]  # fmt: skip
    return ", ".join(parts)
