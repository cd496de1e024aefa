"""Two sources of grades joined on what was graded."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from ragaliq.aggregate.grades.graded import Graded
from ragaliq.errors import InputError, listed
from ragaliq.formats.grades.rows import GradedRow
from ragaliq.metrics.agreement.coefficients import alpha_of_raters
from ragaliq.metrics.agreement.votes import combine

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Graders:
    """One source's grades of one item: the last row, and the consensus of its raters; None if none graded it."""

    row: GradedRow
    grade: int | None
    by_rater: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GradedPair:
    """One item that both sides grade, with its row in VERDICTS. `lang` is "" where neither side names a language.

    `by_person`: a label names its rater. `other_run`: the label names another run than the verdict, and no answer shows
    that it is about the same one.
    """

    verdict: int
    label: int
    lang: str
    cluster: str
    row: GradedRow
    by_person: bool
    other_run: bool = False


@dataclass(frozen=True, slots=True)
class Drop:
    """One item that is left out, with its language and the reason."""

    lang: str
    reason: str


@dataclass(frozen=True, slots=True)
class Pairing:
    """What two sources have in common.

    Attributes:
        pairs: items graded on both sides, sorted.
        drops: items of the union without a partner or without a grade, and those of unanswerable queries.
        unlabelled: rows of VERDICTS with a grade whose item has no label, without those of unanswerable queries.
        replaced: label rows that a later, different label by the same rater replaced.
        raters: names of those who labelled.
        inter_rater_alpha: Krippendorff's ordinal α between the raters of LABELS; None where no item has two.
        n_rated_twice: items with labels by two or more raters.
    """

    pairs: tuple[GradedPair, ...]
    drops: tuple[Drop, ...]
    unlabelled: tuple[GradedRow, ...]
    replaced: int
    raters: tuple[str, ...]
    inter_rater_alpha: float | None
    n_rated_twice: int


ONLY_VERDICTS, ONLY_LABELS = "only_in_verdicts", "only_in_labels"
UNGRADED, OTHER_ANSWER, UNANSWERABLE = "ungraded", "other_answer", "unanswerable"
REASONS = (ONLY_VERDICTS, ONLY_LABELS, UNGRADED, OTHER_ANSWER, UNANSWERABLE)


def pair_up(verdicts: Graded, labels: Graded) -> Pairing:
    """Join two sources of grades.

    Items join on (query_id, lang) where every row has a query id, else on (lang, question, answer). The run joins too
    where one side holds several and both name them, and the answer where an id has several answers. Texts are compared
    in NFC with white space collapsed. Of several rows of a rater for an item the last counts; of several raters the
    median in order of worth (1 < 2 < 0 < 3 < 4 < 5), the lower of the middle two. Items whose two sides quote different
    answers, and those that a side knows to be of an unanswerable query, are left out: grades are of answerable ones.

    Raises:
        InputError: if rows do not name their item, or nothing is in common.
    """
    key = _key_of(verdicts, labels)
    own, _ = _graders(verdicts.rows, key)
    others, replaced = _graders(labels.rows, key)
    pairs, drops, unlabelled = [], [], []
    for item in sorted(own.keys() | others.keys()):
        verdict, label = own.get(item), others.get(item)
        rows = [side.row for side in (verdict, label) if side is not None]
        lang = next((row.lang for row in rows if row.lang), "")
        reason = _reason(verdict, label)
        if not reason and verdict and label and verdict.grade is not None and label.grade is not None:
            named = bool(label.row.rater)
            elsewhere = _of_another_run(verdict.row, label.row)
            pairs.append(GradedPair(verdict.grade, label.grade, lang, _cluster(rows), verdict.row, named, elsewhere))
            continue
        drops.append(Drop(lang, reason))
        if verdict and verdict.grade is not None and all(row.answerable for row in rows):
            unlabelled.append(replace(verdict.row, grade=verdict.grade))
    if not pairs:
        raise InputError(
            f"{verdicts.name} and {labels.name}: no item has a grade in both; {_hint(verdicts, labels, drops)}"
        )
    raters = sorted({row.rater for row in labels.rows if row.rater})
    units = [side.by_rater for side in others.values()]
    return Pairing(
        tuple(pairs),
        tuple(drops),
        tuple(unlabelled),
        replaced,
        tuple(raters),
        alpha_of_raters(units) if len(raters) > 1 else None,
        sum(len(unit) > 1 for unit in units),
    )


def cluster_of(row: GradedRow) -> str:
    """Return the query of a row, the same in all languages where it has an id."""
    return row.query_id or plain(row.question)


def plain(text: str) -> str:
    """Return a text as joins compare it: NFC, white space collapsed."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def _cluster(rows: Sequence[GradedRow]) -> str:
    return next((row.query_id for row in rows if row.query_id), "") or cluster_of(rows[0])


def _graders(rows: Iterable[GradedRow], key: Callable[[GradedRow], Key]) -> tuple[dict[Key, Graders], int]:
    latest: dict[Key, dict[str, GradedRow]] = {}
    replaced = 0
    for row in rows:
        raters = latest.setdefault(key(row), {})
        # Taken out and put in again: the last rater of the item stays the last.
        before = raters.pop(row.rater, None)
        replaced += before is not None and before.grade != row.grade
        raters[row.rater] = row
    items = {}
    for item, raters in latest.items():
        grades = tuple(row.grade for row in raters.values() if row.grade is not None)
        items[item] = Graders(list(raters.values())[-1], combine(grades) if grades else None, grades)
    return items, replaced


def _reason(verdict: Graders | None, label: Graders | None) -> str:
    if label is None:
        return ONLY_VERDICTS
    if verdict is None:
        return ONLY_LABELS
    if not (verdict.row.answerable and label.row.answerable):
        return UNANSWERABLE
    if verdict.grade is None or label.grade is None:
        return UNGRADED
    texts = [plain(side.row.answer) for side in (verdict, label)]
    return OTHER_ANSWER if all(texts) and texts[0] != texts[1] else ""


def _of_another_run(verdict: GradedRow, label: GradedRow) -> bool:
    runs_differ = bool(verdict.run and label.run and verdict.run != label.run)
    return runs_differ and not (plain(verdict.answer) and plain(label.answer))


def _key_of(verdicts: Graded, labels: Graded) -> Callable[[GradedRow], Key]:
    """Return what identifies an item on both sides."""
    sides = (verdicts, labels)
    rows = (*verdicts.rows, *labels.rows)
    with_lang = all(any(row.lang for row in side.rows) for side in sides)
    runs = [{row.run for row in side.rows} for side in sides]
    with_run = all("" not in names for names in runs) and any(len(names) > 1 for names in runs)

    def place(row: GradedRow) -> Key:
        return (row.lang if with_lang else "", row.run if with_run else "")

    if not all(row.query_id for row in rows):
        _check_texts(sides)
        return lambda row: (*place(row), plain(row.question), plain(row.answer))
    if not with_lang:
        _check_one_language(sides)

    def item(row: GradedRow) -> Key:
        return (*place(row), row.query_id)

    if not with_run:
        _check_runs(sides, item)
    several = next((row for side in sides for row in _with_another_answer(side.rows, item)), None)
    if several is None:
        return item
    silent = next((side for side in sides if not any(plain(row.answer) for row in side.rows)), None)
    if silent is not None:
        raise InputError(
            f"{silent.name}: query '{several.query_id}' is graded for several answers ({several.where}); "
            "name 'run' or 'answer' on every row of both sides"
        )
    return lambda row: (*item(row), plain(row.answer))


def _check_texts(sides: Sequence[Graded]) -> None:
    for side in sides:
        # An answer may be empty; a file in which all are has no column for them.
        answers = any(plain(row.answer) for row in side.rows)
        wrong = next((row for row in side.rows if not answers or not plain(row.question)), None)
        if wrong is not None:
            raise InputError(f"{wrong.where}: 'question' and 'answer' are needed where a row has no 'query_id'")


def _with_another_answer(rows: Sequence[GradedRow], item: Callable[[GradedRow], Key]) -> Iterable[GradedRow]:
    seen: dict[Key, str] = {}
    for row in rows:
        text = plain(row.answer)
        if text and seen.setdefault(item(row), text) != text:
            yield row


def _check_runs(sides: Sequence[Graded], item: Callable[[GradedRow], Key]) -> None:
    """Refuse rows of several runs that nothing tells apart: the last would stand for all of them."""
    for side, other in permutations(sides, 2):
        seen: dict[Key, str] = {}
        for row in side.rows:
            if not plain(row.answer) and seen.setdefault(item(row), row.run) != row.run:
                raise InputError(
                    f"{row.where}: query '{row.query_id}' is graded for several runs "
                    f"({listed((seen[item(row)], row.run))}), and {other.name} does not say which it is about; "
                    "name 'run' or 'answer' on every row of both sides"
                )


def _check_one_language(sides: Sequence[Graded]) -> None:
    for side, other in permutations(sides, 2):
        langs = {row.lang for row in other.rows if row.lang}
        if not any(row.lang for row in side.rows) and len(langs) > 1:
            raise InputError(f"{side.name}: no row names its 'lang', and {other.name} holds several ({listed(langs)})")


def _hint(verdicts: Graded, labels: Graded, drops: Sequence[Drop]) -> str:
    closed = sum(drop.reason == UNANSWERABLE for drop in drops)
    if closed:
        return f"{closed} are of unanswerable queries, which are left out; label answers to answerable ones"
    runs = [{row.run for row in side.rows if row.run} for side in (verdicts, labels)]
    if all(runs) and not runs[0] & runs[1]:
        return f"their runs differ ({listed(runs[0])} / {listed(runs[1])})"
    return "check that they are about the same queries, languages and answers"
