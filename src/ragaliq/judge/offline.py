"""A judge without a model: it compares words and numbers of answer and reference.

It needs no key, no network and no weights. It is a first instrument: it sees words, not meaning, so a paraphrase is
graded too low and a fluent error that keeps the words too high.
"""

from __future__ import annotations

import hashlib
import math
from bisect import bisect_right

import regex

from ragaliq.text.abstention import abstains
from ragaliq.text.analysis import UNSPACED, fold, terms
from ragaliq.types import Answer, Item, Verdict, VerdictOutcome

# Least squares on 1,349 answers graded by two language models in the RAGaliq sources (MIT, commit 1c0006d and 9a10558;
# six languages); on the same rows quadratic weighted kappa .77, exact agreement .54, mean error .65.
_BASE, _RECALL, _PRECISION, _WRONG_NUMBER = 2.07, 1.97, 1.07, -0.76
_CUTS = (2.08, 2.60, 3.22, 4.24)
_NUMBER = regex.compile(r"\p{N}+(?:[.,:]\p{N}+)*")


class OfflineJudge:
    """Grades by the share of the reference's new terms in the answer, and of the answer's in the reference.

    New are the terms that the question does not hold already. An answer that says nothing was found gets 0. An answer
    without the reference's numbers loses points. The best match among the reference and its aliases counts.
    """

    name = "offline"
    # There is no prompt; the coefficients take its place.
    prompt_hash = hashlib.sha256(repr((_BASE, _RECALL, _PRECISION, _WRONG_NUMBER, _CUTS)).encode()).hexdigest()[:12]

    def grade(self, item: Item, answer: Answer) -> Verdict:
        """Return a grade; every non-empty answer has one."""
        query = item.query
        if abstains(answer.text, query.lang):
            grade, feedback = 0, "says that nothing was found"
        else:
            score, feedback = max(
                _compare(item, reference, answer.text) for reference in (item.reference, *item.aliases)
            )
            grade = 1 + bisect_right(_CUTS, score)
        return Verdict(query.query_id, query.lang, grade, VerdictOutcome.SCORED, feedback, self.name, self.prompt_hash)


def _compare(item: Item, reference: str, answer: str) -> tuple[float, str]:
    """Return the expected grade and what it rests on."""
    question = set(terms(item.query.text, item.query.lang))
    wanted = set(terms(reference, item.query.lang))
    given = set(terms(answer, item.query.lang))
    recall = _share(wanted - question or wanted, given)
    precision = _share(given - question or given, wanted)
    asked = _numbers(item.query.text)
    numbers = _numbers(reference) - asked
    wrong_number = bool(numbers) and not numbers & (_numbers(answer) - asked)
    score = _BASE + _RECALL * recall + _PRECISION * precision + _WRONG_NUMBER * wrong_number
    feedback = f"recall {recall:.2f}, precision {precision:.2f}" + (
        ", no number of the reference" if wrong_number else ""
    )
    return score, feedback


def _share(part: set[str], whole: set[str]) -> float:
    # Exact, because the order of a set differs between processes and float sums depend on the order.
    total = math.fsum(map(_weight, part))
    return math.fsum(map(_weight, part & whole)) / total if total else 0.0


def _weight(term: str) -> float:
    """Weigh a term by how much it tells: numbers most, short words and single characters least."""
    if any(char.isdigit() for char in term):
        return 2.0
    telling = len(term) > 1 if UNSPACED.search(term) else len(term) > 3
    return 1.0 if telling else 0.3


def _numbers(text: str) -> set[str]:
    return set(_NUMBER.findall(fold(text)))
