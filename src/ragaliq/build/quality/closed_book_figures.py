"""What models know without documents: which ones the benchmark cannot test, and whether it has leaked."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import fmean

from ragaliq.build.quality.built import Built
from ragaliq.build.stages import closed_book
from ragaliq.metrics.statistics.significance import effect, paired_bootstrap, sign_flip

_SUB, _BOOK = "subquestions", "closed-book"


@dataclass(frozen=True, slots=True)
class SolvedShare:
    """Closed-book answers of one model to the benchmark's answerable queries.

    Attributes:
        model: the model.
        queries: how many it answered at least once.
        answers: its answers to them.
        solved: share of the answers that contain all vital nuggets; None without answers.
        always: queries that all its answers solve.
    """

    model: str
    queries: int
    answers: int
    solved: float | None
    always: int


@dataclass(frozen=True, slots=True)
class ClosedBookGap:
    """Retrieval by sub-questions compared with retrieval by closed-book answers (FreshStack, section 5).

    Both are the share of a query's known relevant documents in the fused list of that text, at the pool's full depth.

    Attributes:
        lang: the language.
        queries: answerable queries with both texts and a relevant document.
        subquestions: mean recall by sub-questions.
        closed_book: mean recall by closed-book answers. If it is the greater one, that is a sign that the documents
            were in the model's training data.
        difference: sub-questions less closed-book; `interval` is its 95 % bootstrap interval over queries.
        p: two-sided sign-flip test of the difference.
    """

    lang: str
    queries: int
    subquestions: float | None
    closed_book: float | None
    difference: float | None
    interval: tuple[float, float] | None
    p: float | None


def solved_shares(built: Built) -> list[SolvedShare]:
    """Return what each model solves, sorted by name."""
    chosen = {(row.lang, row.item_id) for lang in built.corpora for row in built.answerable(lang)}
    by_model: dict[str, list[list[bool]]] = defaultdict(list)
    for row in built.context.workspace.kept(closed_book.NAME):
        if (row.lang, row.item_id) in chosen:
            answers: dict[str, list[bool]] = defaultdict(list)
            for one in row.value["answers"]:
                answers[one["model"]].append(bool(one["solved"]))
            for model, solved in answers.items():
                by_model[model].append(solved)
    return [
        SolvedShare(model, len(queries), sum(map(len, queries)), fmean(one for own in queries for one in own),
                    sum(map(all, queries)))
        for model, queries in sorted(by_model.items())
    ]  # fmt: skip


def closed_book_gaps(built: Built) -> list[ClosedBookGap]:
    """Return the gap of each language."""
    gaps = []
    for lang in built.corpora:
        pairs = []
        for row in built.answerable(lang):
            pooled = built.pooled[lang, row.item_id].value
            relevant = {doc_id for doc_id, n_nuggets in row.value["judged"].items() if n_nuggets}
            if relevant and {_SUB, _BOOK} <= pooled["texts"].keys():
                lists = [{one["doc_id"] for one in pooled["documents"] if kind in one["fused"]}
                         for kind in (_SUB, _BOOK)]  # fmt: skip
                pairs.append([len(relevant & held) / len(relevant) for held in lists])
        sub, book = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        found = effect(book, sub)
        resampled = paired_bootstrap(book, sub)
        interval = (resampled.interval.low, resampled.interval.high) if resampled else None
        gaps.append(
            ClosedBookGap(
                lang, found.n, found.compared, found.baseline, found.difference, interval, sign_flip(book, sub)
            )
        )
    return gaps
