"""Controls of a checker: sentences of which it is known whether the passages beside them support them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from math import hypot
from pathlib import Path
from typing import Any

from ragaliq.judge.checks.support import Check, Support
from ragaliq.judge.controls.gates import EVERYWHERE
from ragaliq.metrics.statistics.intervals import share_interval
from ragaliq.storage.yaml_files import read_yaml
from ragaliq.text.sentences import sentences
from ragaliq.text.terms import base_language
from ragaliq.types import Answer, AnswerOutcome, Chunk, Hit, Item, Query, VerdictOutcome

_FILE = Path(__file__).with_name("faithfulness.yaml")
# What the passages support, and what they do not; `verbatim` is a sentence of the passage.
_BORNE_OUT = ("verbatim", "paraphrase", "reworded", "merged")
_PLANTED = ("partly", "unsupported", "number", "name", "negation")
KINDS = (*_BORNE_OUT, *_PLANTED)
_CONTRADICTED = ("number", "name", "negation")
# Each passage is shown with this many of the next ones.
_PASSAGES = 5


@dataclass(frozen=True, slots=True)
class PlantedAnswer:
    """An answer with a sentence of each kind, in the order of `KINDS`."""

    item: Item
    answer: Answer


@dataclass(frozen=True, slots=True)
class SentenceShare:
    """A share of `n` sentences with its 95 % Wilson interval; None for n = 0."""

    value: float | None
    n: int
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Faithfulness:
    """What a checker says of planted sentences in one language, or in `all` of them together.

    Attributes:
        n: answers asked, of nine sentences each; `n_lost` of them have no findings and count nowhere else.
        kept: of the sentences that passages support, the share called supported.
        caught: of the others, the share called anything else.
        contradicted: of those that a passage contradicts, the share called so.
        balanced_accuracy: the mean of `kept` and `caught`, with the interval that follows from theirs (MOVER).
        right: of each kind, the share kept or caught.
    """

    lang: str
    n: int
    n_lost: int
    kept: SentenceShare
    caught: SentenceShare
    contradicted: SentenceShare
    balanced_accuracy: float | None
    interval: tuple[float, float] | None
    right: Mapping[str, SentenceShare]

    @property
    def passed(self) -> bool | None:
        """Whether the balanced accuracy is high enough; None if more than half of the answers have no findings."""
        if self.balanced_accuracy is None or 2 * self.n_lost > self.n:
            return None
        return self.balanced_accuracy >= least_accuracy()


def planted_languages() -> tuple[str, ...]:
    """Return the languages that have planted sentences."""
    return tuple(_data()["question"])


def least_accuracy() -> float:
    """Return the least balanced accuracy of a sound checker."""
    return float(_data()["least"])


def planted_answers(langs: Iterable[str]) -> tuple[PlantedAnswer, ...]:
    """Return the planted answers in languages, sorted; a language that has none gives none."""
    data = _data()
    known = [lang for lang in sorted(set(langs)) if base_language(lang) in data["question"]]
    return tuple(planted for lang in known for planted in answers_of(data["passages"], data["question"], lang))


def answers_of(passages: Mapping[str, Any], questions: Mapping[str, str], lang: str) -> list[PlantedAnswer]:
    """Return an answer for each passage, whose context is this passage among the next ones."""
    base, names = base_language(lang), list(passages)
    planted = []
    for place, name in enumerate(names):
        texts = passages[name][base]
        original = sentences(texts["passage"])
        lines = [original[place % len(original)], *(texts[kind] for kind in KINDS[1:])]
        # The passage itself is neither first nor last.
        order = [names[(place + step) % len(names)] for step in (2, 0, *range(3, _PASSAGES), 1)]
        query = Query(f"faithfulness-{name}", lang, questions[base])
        context = tuple(
            _hit(other, passages[other][base]["passage"], lang, i) for i, other in enumerate(order, start=1)
        )
        answer = Answer(query, "\n".join(lines), AnswerOutcome.ANSWERED, context)
        planted.append(PlantedAnswer(Item(query, ""), answer))
    return planted


def faithfulness(answers: Sequence[PlantedAnswer], checks: Sequence[Check]) -> tuple[Faithfulness, ...]:
    """Return what the checks of planted answers say by language and, of several languages, over all of them."""
    langs = sorted({planted.item.query.lang for planted in answers})
    rows = [(planted.item.query.lang, check) for planted, check in zip(answers, checks, strict=True)]
    return tuple(
        _faithfulness(lang, [check for row_lang, check in rows if lang in (row_lang, EVERYWHERE)])
        for lang in [*langs, *([EVERYWHERE] if len(langs) > 1 else [])]
    )


def faithfulness_json(checker: tuple[str, str], parts: Sequence[Faithfulness]) -> dict[str, Any]:
    """Return everything for programs; `passed` is None where too many answers have no findings."""
    passes = [part.passed for part in parts]
    return {
        "format": "ragaliq-faithfulness-1",
        "checker": checker[0],
        "prompt_hash": checker[1],
        "least": least_accuracy(),
        "passed": False if False in passes else None if None in passes else True,
        "by": [{**asdict(part), "passed": part.passed} for part in parts],
    }


def _faithfulness(lang: str, checks: Sequence[Check]) -> Faithfulness:
    scored = [check for check in checks if check.outcome is VerdictOutcome.SCORED]
    labels = [(kind, one.support) for check in scored for kind, one in zip(KINDS, check.sentences, strict=True)]
    marks = {kind: [(s is Support.SUPPORTED) == (kind in _BORNE_OUT) for k, s in labels if k == kind] for kind in KINDS}
    kept = _share([mark for kind in _BORNE_OUT for mark in marks[kind]])
    caught = _share([mark for kind in _PLANTED for mark in marks[kind]])
    contradicted = _share([support is Support.CONTRADICTED for kind, support in labels if kind in _CONTRADICTED])
    accuracy = interval = None
    if kept.value is not None and caught.value is not None and kept.interval and caught.interval:
        accuracy = (kept.value + caught.value) / 2
        below = hypot(kept.value - kept.interval[0], caught.value - caught.interval[0]) / 2
        above = hypot(kept.interval[1] - kept.value, caught.interval[1] - caught.value) / 2
        interval = (accuracy - below, accuracy + above)
    right = {kind: _share(marks[kind]) for kind in KINDS}
    lost = len(checks) - len(scored)
    return Faithfulness(lang, len(checks), lost, kept, caught, contradicted, accuracy, interval, right)


def _share(marks: Sequence[bool]) -> SentenceShare:
    if not marks:
        return SentenceShare(None, 0, None)
    low, high = share_interval(sum(marks), len(marks))
    return SentenceShare(sum(marks) / len(marks), len(marks), (low, high))


def _hit(name: str, text: str, lang: str, rank: int) -> Hit:
    return Hit(Chunk(name, lang, text, name, 0, len(text)), 1.0 / rank, rank)


@cache
def _data() -> Mapping[str, Any]:
    data: Mapping[str, Any] = read_yaml(_FILE)
    return data
