"""What a run's values say about where it loses, as a reading guide: one line for each thing that is seen.

The first value to read is nDCG@10 (for nuggets alpha_nDCG@10); R@100 tells coverage, AP and RR are secondary. The
patterns are those of the sparse-retrieval source's guide and of FreshStack's findings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ragaliq.formats.catalogue import find

Values = Mapping[str, float | None]

# The measures to read first, best known first.
PRIMARY = ("nDCG@10", "alpha_nDCG@10")
# With 7 of 10 relevant documents in the list a reranker has something to work with.
HIGH_RECALL = 0.7
# Half of the relevant documents never reach the reader or the reranker.
LOW_RECALL = 0.5
# A perfect reranker would gain at least this much: the best order of a list has nDCG@10 of at least R@100 while ten or
# fewer documents are relevant.
RANKING_GAP = 0.3
# The first relevant document stands second, on (harmonic) average.
HIGH_RR = 0.5
# With one relevant document nDCG@10 is never below RR, 1/log2(r+1) against 1/r; what it lacks is further documents.
MISSES_GAP = 0.2
# Below this, more than one of five documents shown was never judged, and each counts as not relevant.
LOW_JUDGED = 0.8
# From this share of queries on, ties at the cut move a mean in its third digit.
MANY_TIES = 0.05
# A shallower list says nothing about coverage.
DEEP = 50
# Far below any printed digit.
_SAME = 1e-9
_RECALL = re.compile(r"R@(\d+)")


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A short name for what the values show, and a line that says what it means."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Beside:
    """What is known beside a run's values; the values of other runs are on the same queries.

    Attributes:
        bm25: values of the baseline.
        first_stage: of the run whose first `rerank_depth` documents were reranked.
        oracle: of the best run that knew the answer.
        closed_book: of the run that asks a model's answers without documents.
        sub_questions: of the run that asks sub-questions made of the question.
        tied: share of queries whose cut falls between documents of equal score.
        missing: share of queries without a ranking; their share of judged documents counts 0.
        worse_than_bm25: the first value is significantly below the baseline's (Holm's p below .05).
        lexical: the system matches words or characters, so that no model's settings can be the mistake.
        depth: documents of a ranking; 0 if not known.
        attainable: by `Judged@k`, the greatest value that the judgements allow: the mean of min(k, judged documents of
            the query) / k; 1 for a measure that is not named.
    """

    bm25: Values = field(default_factory=dict)
    first_stage: Values = field(default_factory=dict)
    rerank_depth: int = 0
    oracle: Values = field(default_factory=dict)
    closed_book: Values = field(default_factory=dict)
    sub_questions: Values = field(default_factory=dict)
    tied: float = 0.0
    missing: float = 0.0
    worse_than_bm25: bool = False
    lexical: bool = False
    depth: int = 0
    attainable: Mapping[str, float] = field(default_factory=dict)


def diagnose(values: Values, beside: Beside | None = None) -> list[Diagnosis]:
    """Return what a run's mean values show, in the order in which to read it; None means not measured."""
    primary = first_read(values)
    beside = beside or Beside()
    return [
        *_read_first(values, primary),
        *_below_bm25(values, primary, beside),
        *_coverage(values, primary, beside),
        *_misses(values),
        *_reranked(values, beside),
        *_headroom(values, primary, beside),
        *_contaminated(primary, beside),
        *_holes(values, beside),
        *_ties(beside),
    ]


def first_read(values: Values) -> str:
    """Return the measure to read first, empty if none of `PRIMARY` is measured."""
    return next((measure for measure in PRIMARY if values.get(measure) is not None), "")


def contamination(name: str) -> str:
    """Return since when a data set is public, where it is ranked, and what follows, as far as the catalogue knows."""
    known = find(name)
    if known is None:
        return f"{name}: not in the catalogue; whether models or choices were tuned on it is not known"
    boards = ", ".join(known.leaderboards) or "none known to us"
    parts = [
        f"{known.name}: questions and judgements of {known.year}, published in this form in {known.published}",
        "public" if known.public else "on application only",
        f"leaderboards: {boards}",
        "has training judgements, which models are trained on" if "train" in known.splits else "",
        known.remark,
        "a high value may come from tuning on it; check it on data of your own",
    ]
    return "; ".join(filter(None, parts))


def _read_first(values: Values, primary: str) -> list[Diagnosis]:
    value = values.get(primary)
    if value is None:
        return []
    text = f"{primary} {value:.4f} is the value to read first; recall tells coverage, AP and RR are secondary"
    return [Diagnosis("read-first", text)]


def _below_bm25(values: Values, primary: str, beside: Beside) -> list[Diagnosis]:
    own, base = values.get(primary), beside.bm25.get(primary)
    if own is None or base is None or not beside.worse_than_bm25 or own >= base - _SAME:
        return []
    where = "" if beside.lexical else " (prefixes, truncation, language, missing IDF)"
    text = f"{primary} {own:.4f} is below BM25's {base:.4f}: look for a mistake{where} before tuning"
    return [Diagnosis("below-bm25", text)]


def _coverage(values: Values, primary: str, beside: Beside) -> list[Diagnosis]:
    cutoffs = [int(match[1]) for name in values if (match := _RECALL.fullmatch(name)) and values[name] is not None]
    measure = f"R@{max((k for k in cutoffs if DEEP <= k <= (beside.depth or k)), default=0)}"
    recall = values.get(measure)
    if recall is None:
        return []
    if recall < LOW_RECALL:
        text = f"{measure} {recall:.4f} is low: coverage is lost in the first stage, and no reranker can bring it back"
        return [Diagnosis("coverage", text)]
    own = values.get(primary)
    if own is not None and recall >= HIGH_RECALL and recall - own >= RANKING_GAP - _SAME:
        text = f"{measure} {recall:.4f} is high and {primary} {own:.4f} low: ranking, not coverage; a reranker can gain"
        return [Diagnosis("ranking", text)]
    return []


def _misses(values: Values) -> list[Diagnosis]:
    rr, ndcg = values.get("RR"), values.get("nDCG@10")
    if rr is None or ndcg is None or rr < HIGH_RR or rr - ndcg < MISSES_GAP - _SAME:
        return []
    text = f"RR {rr:.4f} is high and nDCG@10 {ndcg:.4f} low: one relevant document is found early, others are missed"
    return [Diagnosis("misses", text)]


def _reranked(values: Values, beside: Beside) -> list[Diagnosis]:
    """Recall at the depth or deeper cannot change if only the order of the first documents does."""
    diagnoses = []
    for measure in sorted(values.keys() & beside.first_stage.keys(), key=lambda name: (len(name), name)):
        cutoff = _RECALL.fullmatch(measure)
        own, before = values[measure], beside.first_stage[measure]
        if cutoff is None or own is None or before is None or not 0 < beside.rerank_depth <= int(cutoff[1]):
            continue
        if abs(own - before) <= _SAME:
            text = f"{measure} {own:.4f} is the first stage's, as it must be: only {beside.rerank_depth} were reordered"
            diagnoses.append(Diagnosis("reranked", text))
        else:
            text = (
                f"{measure} {own:.4f} is not the first stage's {before:.4f}, and reordering its first "
                f"{beside.rerank_depth} cannot change it: the runs differ in something else"
            )
            diagnoses.append(Diagnosis("reranked-changed", text))
    return diagnoses


def _headroom(values: Values, primary: str, beside: Beside) -> list[Diagnosis]:
    own, best = values.get(primary), beside.oracle.get(primary)
    if own is None or best is None:
        return []
    if best <= own + _SAME:
        return [Diagnosis("headroom", f"{primary}: system {own:.4f}, best oracle {best:.4f}: no headroom is measured")]
    text = f"{primary}: system {own:.4f}, best oracle {best:.4f}, gap {best - own:.4f}: so much the corpus still holds"
    return [Diagnosis("headroom", text)]


def _contaminated(primary: str, beside: Beside) -> list[Diagnosis]:
    """FreshStack suspects contamination where its best closed-book run beats its best sub-question run (Yolo).

    Single retrievers are no such signal: in its table 4, BM25 prefers closed-book answers on four topics of five.
    """
    closed, sub = beside.closed_book.get(primary), beside.sub_questions.get(primary)
    if closed is None or sub is None or closed <= sub + _SAME:
        return []
    text = f"{primary} of closed-book answers {closed:.4f} is above sub-questions' {sub:.4f}: a sign of contamination"
    return [Diagnosis("contamination", text)]


def _holes(values: Values, beside: Beside) -> list[Diagnosis]:
    """Look at the shallowest cutoff: further down fewer are judged in any pool.

    Queries without a ranking have no holes. Where few documents of a query are judged by design, no list can be judged
    throughout, and the share says nothing of the pool.
    """
    shares = {
        int(name.removeprefix("Judged@")): share
        for name, share in values.items()
        if name.startswith("Judged@") and share is not None
    }
    shallowest = min(shares, default=0)
    attainable = beside.attainable.get(f"Judged@{shallowest}", 1.0)
    if not shares or attainable < LOW_JUDGED or shares[shallowest] >= LOW_JUDGED * attainable * (1 - beside.missing):
        return []
    share = f"Judged@{shallowest} {shares[shallowest]:.4f}"
    return [Diagnosis("holes", f"{share}: the unjudged rest counts as not relevant, so values are lower bounds")]


def _ties(beside: Beside) -> list[Diagnosis]:
    if beside.tied < MANY_TIES:
        return []
    text = f"in {beside.tied:.0%} of the queries the cut falls between equal scores: doc ids decide what counts there"
    return [Diagnosis("tied-scores", text)]
