"""Items of a run as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ragaliq.aggregate.items.disagreements import Disagreements
from ragaliq.aggregate.items.run_items import RunItem
from ragaliq.aggregate.items.selection import Selection
from ragaliq.judge.checks.support import Support
from ragaliq.judge.nuggets.matches import NuggetMatch
from ragaliq.metrics.retrieval.collapse import split_unit
from ragaliq.report.display import cut_line, harmless, width, wrapped
from ragaliq.report.format import NONE
from ragaliq.report.stages import STAGES
from ragaliq.storage.record_store import Key
from ragaliq.types import AssignmentLabel, GoldGroup, Hit, LossStage

_MARKS = {Support.SUPPORTED: "✓", Support.PARTLY: "~", Support.NOT: "✗", Support.CONTRADICTED: "!", None: "·"}
_NO_TEXTS = "nuggets without text: the benchmark that config.json names is not at hand"
LEGEND = (
    "sentences: ✓ supported by the passages shown, ~ partly, ✗ not, ! contradicted, · states nothing; "
    "passages: * holds gold; grades by what they cost: 1 (all), 2, 0 (abstains), 3, 4, 5 (nothing)"
)
# Width of the column of labels.
_LABEL = 11
# Passages without gold that are named; every one with gold is.
_PASSAGES = 3
# Characters of a text that are shown.
_MOST = 3000
_LOST = {
    LossStage.KNOWLEDGE_BASE: "no chunk of the knowledge base holds it",
    LossStage.RETRIEVER: "not among what was retrieved",
    LossStage.RERANKER: "put too far down by the reranker",
    LossStage.CONTEXT_CUT: "cut off before the reader",
}


@dataclass(frozen=True, slots=True)
class Screen:
    """How to write: the columns of a line, whether it may be bold, the texts of nuggets as far as they are known."""

    columns: int = 100
    bold: bool = False
    nuggets: Mapping[Key, str] = field(default_factory=dict)

    def title(self, text: str) -> list[str]:
        """Return what stands above all items."""
        return [self.strong(line) for line in wrapped(harmless(text), self.columns)]

    def strong(self, line: str) -> str:
        """Return a line that stands out."""
        return f"\x1b[1m{line}\x1b[0m" if self.bold else line

    def faint(self, text: str) -> str:
        """Return a text that stands back."""
        return f"\x1b[2m{text}\x1b[0m" if self.bold else text

    def block(self, label: str, text: str, first: str = "") -> list[str]:
        """Return a text beside its label; `first` stands before its first line alone, and the others are moved in."""
        shown = harmless(text[:_MOST])
        if len(text) > _MOST:
            shown += f" … ({len(text) - _MOST:,} more characters)"
        lines = wrapped(shown, self.columns - _LABEL - width(first)) or ["(empty)"]
        heads = [self.faint(label.ljust(_LABEL)) + first] + [" " * (_LABEL + width(first))] * (len(lines) - 1)
        return [head + line for head, line in zip(heads, lines, strict=True)]


def selection_lines(run: str, selection: Selection, narrow: bool, screen: Screen) -> Iterator[str]:
    """Yield the items of a selection, below a line that says how many there are."""
    shown, total = len(selection.items), f"{selection.n_items:,} items"
    ungraded = f"{selection.n_ungraded:,} without a grade; judge {selection.judges}"
    counts = f"({total}: {selection.n_unanswerable:,} unanswerable, {ungraded})"
    if not selection.judges:
        yield from screen.title(f"{run}: not graded yet; {shown:,} of {total}")
    elif narrow:
        yield from screen.title(f"{run}: {shown:,} of {selection.n_fitting:,} items that fit {counts}")
    else:
        yield from screen.title(f"{run}: {shown:,} worst of {selection.n_graded:,} graded answers {counts}")
    for number, item in enumerate(selection.items, start=1):
        yield ""
        yield screen.strong(_rule(" · ".join([f"{number}/{shown}", _place(item), *_results(item)]), screen.columns))
        yield from _question(item, screen)
        yield from _answer(item, screen)
    yield from _foot(selection.items, screen)


def disagreement_lines(runs: tuple[str, str], differing: Disagreements, screen: Screen) -> Iterator[str]:
    """Yield the items on which two runs differ most, below a line that says how many there are."""
    shown = len(differing.pairs)
    fitting = f"{shown:,} of {differing.n_fitting:,} items, the most apart first" if shown else "no grades differ"
    yield from screen.title(f"{' and '.join(runs)}: {fitting} ({differing.n_both:,} graded in both)")
    if len(set(differing.judges)) > 1:
        yield from screen.title(f"note: graded by different judges, {' and '.join(differing.judges)}")
    for number, (first, second) in enumerate(differing.pairs, start=1):
        yield ""
        yield screen.strong(_rule(f"{number}/{shown} · {_place(first)}", screen.columns))
        yield from _question(first, screen)
        for name, item in zip(runs, (first, second), strict=True):
            yield screen.strong(cut_line(harmless(f"▸ {' · '.join([name, *_results(item)])}"), screen.columns))
            yield from _answer(item, screen)
    yield from _foot([item for pair in differing.pairs for item in pair], screen)


def _foot(items: Sequence[RunItem], screen: Screen) -> Iterator[str]:
    if not items:
        return
    yield ""
    yield from map(screen.faint, wrapped(LEGEND, screen.columns))
    if not screen.nuggets and any(map(_missed, items)):
        yield from map(screen.faint, wrapped(_NO_TEXTS, screen.columns))


def _rule(title: str, columns: int) -> str:
    shown = cut_line(title, columns - 8)
    return f"── {shown} {'─' * max(2, columns - 4 - width(shown))}"


def _place(item: RunItem) -> str:
    query = item.answered.item.query
    return harmless(f"{query.lang} {query.query_id}")


def _results(item: RunItem) -> list[str]:
    """Return grade, outcome and cause in a few words."""
    answer, verdict = item.answered.answer, item.verdict
    if verdict is None:
        grade = "no verdict"
    else:
        grade = f"no grade ({verdict.outcome})" if verdict.grade is None else f"grade {verdict.grade}"
    words = [grade, str(answer.outcome)]
    if not item.answered.item.answerable:
        words = ["unanswerable", str(answer.outcome)]
    elif item.cause is not None:
        words.append(f"lost by: {STAGES[item.cause][0]}")
    if item.answered.language.answer is False:
        words.append("another language")
    kind = "" if item.waterfall is None else " ".join((item.waterfall.type, item.waterfall.difficulty)).strip()
    return [*words, harmless(kind)] if kind else words


def _question(item: RunItem, screen: Screen) -> Iterator[str]:
    known = item.answered.item
    yield from screen.block("question", known.query.text)
    yield from screen.block("reference", known.reference or NONE)


def _answer(item: RunItem, screen: Screen) -> Iterator[str]:
    yield from _sentences(item, screen)
    if item.answered.answer.error:
        yield from screen.block("error", item.answered.answer.error)
    yield from _nuggets(item, screen)
    yield from _passages(item, screen)
    groups = () if item.waterfall is None else item.waterfall.groups
    for number, group in enumerate(group for group in groups if group.lost is not None):
        yield from screen.block("" if number else "gold lost", _lost(group))
    if item.verdict is not None and item.verdict.feedback:
        yield from screen.block("feedback", item.verdict.feedback)


def _sentences(item: RunItem, screen: Screen) -> Iterator[str]:
    """Yield the answer in its sentences; in one piece where nobody checked these, or they are not all of it."""
    text = item.answered.answer.text
    sentences = () if item.check is None else item.check.sentences
    whole = _letters("".join(sentence.text for sentence in sentences)) == _letters(text)
    if not sentences or not whole or len(text) > _MOST:
        yield from screen.block("answer", text)
    for number, sentence in enumerate(sentences if len(text) <= _MOST else ()):
        label = "" if number else ("answer" if whole else "checked")
        source = "" if sentence.doc_id is None else f" [{sentence.doc_id}]"
        yield from screen.block(label, sentence.text + source, f"{_MARKS[sentence.support]} ")


def _letters(text: str) -> str:
    return "".join(text.split())


def _nuggets(item: RunItem, screen: Screen) -> Iterator[str]:
    for number, match in enumerate(_missed(item)):
        partly = ", in part there" if match.label is AssignmentLabel.PARTIAL_SUPPORT else ""
        text = screen.nuggets.get((item.answered.item.query.lang, match.nugget_id), "")
        label = "" if number else "missed"
        yield from screen.block(label, f"{match.nugget_id} ({match.importance}{partly}) {text}".rstrip())


def _missed(item: RunItem) -> list[NuggetMatch]:
    matches = () if item.nuggets is None else item.nuggets.assignments
    return [match for match in matches if match.label is not AssignmentLabel.SUPPORT]


def _passages(item: RunItem, screen: Screen) -> Iterator[str]:
    """Yield what the reader was shown: id and beginning of the best passages, and of all that hold gold."""
    context = item.answered.answer.context
    if not context:
        known = item.answered.answer.context_known
        yield from screen.block("passages", "(none)" if known else "(nobody knows what the reader saw)")
        return
    picked = [hit for place, hit in enumerate(context) if place < _PASSAGES or _holds_gold(hit, item)]
    rows: Sequence[str] = [
        f"{hit.rank:>2}{'*' if _holds_gold(hit, item) else ' '} {hit.chunk.doc_id}: {hit.chunk.text[:300]}"
        for hit in picked
    ]
    for number, row in enumerate(rows):
        label = "" if number else "passages"
        # A rank keeps its place: the blanks before it are no blanks between words.
        shown = row[:4] + cut_line(harmless(row[4:]), screen.columns - _LABEL - 4)
        yield screen.faint(label.ljust(_LABEL)) + shown
    if len(picked) < len(context):
        yield " " * _LABEL + f"    and {len(context) - len(picked)} more"


def _holds_gold(hit: Hit, item: RunItem) -> bool:
    """Return whether a passage is one of the gold; in an index of several languages its id names its language, too."""
    parts = split_unit(hit.chunk.doc_id)
    return not item.gold.isdisjoint([hit.chunk.doc_id, *(parts[:1] if parts else ())])


def _lost(group: GoldGroup) -> str:
    """Return what became of a group of gold that the reader was not shown."""
    where = "" if group.lost is None else _LOST[group.lost]
    if group.retrieved is None or group.retrieved == group.ranked:
        ranks = [f"rank {group.ranked}"] if group.ranked is not None else []
    else:
        ranks = [f"rank {group.retrieved} when retrieved", f"{group.ranked or 'none'} after the reranker"]
    return " · ".join([" or ".join(group.doc_ids), where, *ranks])
