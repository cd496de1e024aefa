"""Symptoms of a run and judgements that do not belong together, each with a name.

What is certainly wrong raises `InputError`; what may be right is a `Finding`, which the caller prints.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from ragaliq.errors import InputError
from ragaliq.experiment.figures.diagnoses import MANY_TIES
from ragaliq.formats.trec.run import RankedRun
from ragaliq.types import Qrels

# Query id → doc id → score.
Scores = Mapping[str, Mapping[str, float]]

# Below this share of judged queries in the run, the judgements are more likely those of another split.
_FEW = 0.1
# From this share of judgements of 0 on, they are worth a word: MIRACL has 3 of 4.
_MANY_NEGATIVES = 0.5
# From this share of queries that are answered by themselves on, it is no accident of running numbers.
_MANY_SELVES = 0.05
# From this share of judged documents that another spelling would match on, ids are written in two ways.
_MANY_SPELLINGS = 0.1


@dataclass(frozen=True, slots=True)
class Finding:
    """A named symptom: what was seen, and what to do."""

    name: str
    text: str
    advice: str

    def __str__(self) -> str:
        return f"warning[{self.name}]: {self.text}; {self.advice}"


@dataclass(frozen=True, slots=True)
class Spelling:
    """Two ids that differ only in how they are written."""

    left: str
    right: str

    @property
    def remark(self) -> str:
        """What cannot be seen: that the ids are the same letters, composed and not."""
        composed = {unicodedata.normalize("NFC", written) for written in (self.left, self.right)}
        return " (the same letters in two Unicode forms, as NFC and NFD)" if len(composed) == 1 else ""


def run_findings(run: Scores, qrels: Qrels, run_name: str = "the run", qrels_name: str = "the qrels") -> list[Finding]:
    """Return what is suspicious about a run under its judgements, in the order in which to look into it.

    Raises:
        InputError: if either is empty, or no query is in both; the message names an id of each.
    """
    for name, ids in ((run_name, run), (qrels_name, qrels)):
        if not ids:
            raise InputError(f"{name}: holds no query; check the file")
    return [
        *_missing_queries(run, qrels, run_name, qrels_name),
        *_id_mismatch(run, qrels, run_name, qrels_name),
        *_self_match(run, qrels, run_name),
        *_negatives(qrels, qrels_name),
    ]


def _missing_queries(run: Collection[str], qrels: Collection[str], run_name: str, qrels_name: str) -> list[Finding]:
    """Return `wrong-split` if fewer than a tenth of the judged queries are in the run, `missing-queries` if any is not.

    Raises:
        InputError: if none is, with an id of each side; `id-mismatch` where another spelling would match.
    """
    missing = [query_id for query_id in qrels if query_id not in run]
    if not missing:
        return []
    if len(missing) < len(qrels):
        counts = f"{len(missing)} of the {len(qrels)} queries of {qrels_name} are not in the run and count 0"
        example = f"{run_name}: {counts}, such as '{missing[0]}'"
        if len(qrels) - len(missing) < _FEW * len(qrels):
            return [Finding("wrong-split", example, "check that both are of the same split")]
        return [Finding("missing-queries", example, "retrieve for them, or give the judgements of what was asked")]
    for pair in spellings(run, qrels):
        raise InputError(
            f"{run_name}: error[id-mismatch]: none of its queries is in {qrels_name}, which has '{pair.right}' for "
            f"'{pair.left}'{pair.remark}; write ids the same way"
        )
    raise InputError(
        f"{run_name}: error[wrong-split]: none of its {len(run)} queries, such as '{next(iter(run))}', is among the "
        f"{len(qrels)} of {qrels_name}, such as '{missing[0]}'; take the judgements of the same split"
    )


def _id_mismatch(run: Scores, qrels: Qrels, run_name: str, qrels_name: str) -> list[Finding]:
    """Return `id-mismatch` if no document retrieved is judged, or a tenth of those not found has another spelling."""
    shared = [query_id for query_id in qrels if query_id in run]
    judged = {doc_id for query_id in shared for doc_id in qrels[query_id]}
    retrieved = set[str]().union(*(run[query_id] for query_id in shared))
    absent = judged - retrieved
    if not absent or not retrieved:
        return []
    pairs = spellings(retrieved, judged)
    none = len(absent) == len(judged)
    if not none and len(pairs) < max(1, _MANY_SPELLINGS * len(absent)):
        return []
    pair, advice = (
        Spelling(min(retrieved), min(judged)),
        "check that both are of the same corpus, and how ids are written",
    )
    if pairs:
        pair, advice = pairs[0], "write ids the same way, as text, on both sides"
    lost = "none of its documents is judged" if none else f"{len(pairs)} judged documents are there by another name"
    example = f"'{pair.left}' in the run, '{pair.right}' in {qrels_name}{pair.remark}"
    return [Finding("id-mismatch", f"{run_name}: {lost}: {example}", advice)]


def spellings(left: Iterable[str], right: Iterable[str]) -> list[Spelling]:
    """Return the ids of one side alone that the other side alone writes differently, sorted.

    That is: in case, in Unicode form, in zeros before a number, in `.0` behind it, in a language such as `@en` behind
    the id, or in a prefix without digits that all ids of one side have in common.
    """
    left_ids, right_ids = set(left), set(right)
    lefts, rights = _forms(left_ids - right_ids), _forms(right_ids - left_ids)
    prefix, other = _common_prefix(lefts), _common_prefix(rights)
    # Where sides share ids, `x1` and `d1` have a prefix each, which tells them apart; `doc-1` and `1` do not.
    if left_ids.isdisjoint(right_ids) or prefix.endswith(other) or other.endswith(prefix):
        lefts, rights = _without(prefix, lefts), _without(other, rights)
    # Sorted down, so that of equal forms the least id stays.
    known = dict(sorted(rights, reverse=True))
    # The left side may be all that was retrieved: nothing is built for an id without a partner.
    pairs = dict(sorted((pair for pair in lefts if pair[0] in known), reverse=True))
    return sorted((Spelling(pairs[form], known[form]) for form in pairs), key=lambda pair: (pair.right, pair.left))


def _forms(ids: set[str]) -> list[tuple[str, str]]:
    return [(_form(written), written) for written in ids]


def _common_prefix(forms: Sequence[tuple[str, str]]) -> str:
    """Return the prefix without digits that all forms have in common."""
    if not forms:
        return ""
    ends = zip(min(forms)[0], max(forms)[0], strict=False)
    return "".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1] and not pair[0].isdigit(), ends))


def _without(prefix: str, forms: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(form.removeprefix(prefix) or form, written) for form, written in forms]


def _form(written: str) -> str:
    # There may be millions of ids; a look for one character is much cheaper than an expression.
    form = (written if written.isascii() else unicodedata.normalize("NFKC", written)).casefold().strip()
    if "@" in form:
        form = re.sub(r"@[a-z]{2,3}(-[a-z0-9]+)*$", "", form)
    if form.endswith("0"):
        form = re.sub(r"(?<=\d)\.0+$", "", form)
    if "0" in form:
        form = re.sub(r"(?<!\d)0+(?=\d)", "", form)
    return form


def _self_match(run: Scores, qrels: Qrels, run_name: str) -> list[Finding]:
    """Return `self-match` if, in a twentieth of the queries or more, the best document has the query's id.

    A document judged relevant does not count, nor do lower places: ids that are running numbers meet there by accident.
    """
    selves = [
        query_id
        for query_id, docs in run.items()
        if query_id in docs
        and query_id in qrels
        and max(docs, key=lambda doc_id: (docs[doc_id], doc_id)) == query_id
        and qrels[query_id].get(query_id, 0) <= 0
    ]
    if not selves or len(selves) < _MANY_SELVES * len(run):
        return []
    text = f"{run_name}: {len(selves)} of {len(run)} queries find themselves first, such as '{selves[0]}'"
    return [Finding("self-match", text, "leave each query's own document out of its results")]


def _negatives(qrels: Qrels, qrels_name: str) -> list[Finding]:
    """Return `miracl-negatives` if half of the judgements or more are 0 or below."""
    levels = [relevance for judged in qrels.values() for relevance in judged.values()]
    negative = sum(relevance <= 0 for relevance in levels)
    if not negative or negative < _MANY_NEGATIVES * len(levels):
        return []
    level = "0" if all(relevance >= 0 for relevance in levels) else "0 or below"
    text = f"{qrels_name}: {negative} of {len(levels)} judgements are {level}"
    # Not a fault of the file: it warns of comparing the figures with such a recall.
    high = "a recall that counts every judged document would be too high"
    return [Finding("miracl-negatives", text, f"those documents count as judged and not relevant; {high}")]


def tied_scores(
    tied_at_cut: Mapping[str, int], n_queries: int, run_name: str, made_here: bool = False
) -> list[Finding]:
    """Return `tied-scores` if equal scores stand on both sides of a cut in a twentieth of the queries or more.

    Scores of a run `made_here` have all their digits.
    """
    name, tied = max(tied_at_cut.items(), key=lambda item: item[1], default=("", 0))
    if not tied or tied < MANY_TIES * n_queries:
        return []
    text = f"{run_name}: in {tied} of {n_queries} queries the cut of {name} falls between documents of equal score"
    advice = "their ids decide what counts" + ("" if made_here else "; write scores with more digits")
    return [Finding("tied-scores", text, advice)]


def unsorted_run(run: RankedRun, run_name: str = "the run") -> list[Finding]:
    """Return `unsorted-run` if a better rank of a TREC run has a lesser score: measures read scores, as trec_eval does.

    Ranks that are missing, repeated or no whole numbers say nothing.
    """
    unsorted = [query_id for query_id, docs in run.scores.items() if _contradicts(run.ranks[query_id], docs.values())]
    if not unsorted:
        return []
    counts = f"{len(unsorted)} of {len(run.scores)} queries, such as '{unsorted[0]}'"
    text = f"{run_name}: the ranks contradict the scores in {counts}; scores decide"
    return [Finding("unsorted-run", text, "where a smaller score is better, write it with a minus")]


def _contradicts(ranks: Sequence[float], scores: Iterable[float]) -> bool:
    """Return whether scores rise somewhere while ranks descend from the first to the last."""
    ranked = [(rank, score) for rank, score in zip(ranks, scores, strict=True) if not math.isnan(rank)]
    pairs = list(pairwise(sorted(ranked)))
    return any(one[1] < two[1] for one, two in pairs) and all(one[0] < two[0] for one, two in pairs)
