"""Cheap measures of an answer against its reference, beside the grade and never instead of it.

All see words, not meaning. Each lies in 0..1; both texts are compared in NFKC, casefolded. A token is a word, and in
scripts that write no spaces (Han, kana, Thai, …) a character, so that one definition serves every language.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from ragaliq.text.terms import char_ngrams, char_runs, fold, pieces, words

# Characters n-grams of 1 to 6, recall counting twice (Popović 2015, "chrF: character n-gram F-score").
_CHRF_ORDER, _CHRF_BETA = 6, 2


def overlap(answer: str, references: Sequence[str]) -> dict[str, float] | None:
    """Return every measure of `MEASURES` against the reference that it is best with.

    None where no reference holds a word: then nothing can be compared. An answer without words gets 0.
    """
    usable = [reference for reference in references if words(reference)]
    if not usable:
        return None
    return {name: max(measure(answer, reference) for reference in usable) for name, measure in MEASURES.items()}


def exact_match(answer: str, reference: str) -> float:
    """Return 1 if both texts have the same words in the same order, else 0; punctuation and spaces do not count."""
    return float(words(answer) == words(reference))


def token_f1(answer: str, reference: str) -> float:
    """Return the harmonic mean of the shares of tokens in common (SQuAD's F1, without dropping articles)."""
    said, wanted = Counter(tokens(answer)), Counter(tokens(reference))
    return _f1(_common(said, wanted), said.total(), wanted.total())


def rouge_l(answer: str, reference: str) -> float:
    """Return the harmonic mean of the longest common subsequence's shares of both texts (Lin 2004; no stemming)."""
    said, wanted = tokens(answer), tokens(reference)
    return _f1(_longest_common_subsequence(said, wanted), len(said), len(wanted))


def chrf(answer: str, reference: str) -> float:
    """Return chrF over characters without white space: the mean precision and recall of 1- to 6-grams, β 2.

    Orders longer than one of the texts are left out (as in sacrebleu, `effective order`).
    """
    said, wanted = "".join(fold(answer).split()), "".join(fold(reference).split())
    precision = recall = 0.0
    orders = 0
    for order in range(1, _CHRF_ORDER + 1):
        ours, theirs = (Counter(char_runs(text, order, order)) for text in (said, wanted))
        if not ours or not theirs:
            continue
        shared = _common(ours, theirs)
        precision += shared / ours.total()
        recall += shared / theirs.total()
        orders += 1
    if not precision + recall:
        return 0.0
    precision, recall, factor = precision / orders, recall / orders, _CHRF_BETA**2
    return (1 + factor) * precision * recall / (factor * precision + recall)


def trigram_recall(answer: str, reference: str) -> float:
    """Return the share of the reference's character 3-grams that the answer holds, repeats counted.

    3-grams stay inside words, whose ends are marked; scripts without spaces give 1- and 2-grams instead, since three of
    their characters are a phrase. It does not punish a longer answer.
    """
    said, wanted = Counter(char_ngrams(answer, 3, 3)), Counter(char_ngrams(reference, 3, 3))
    return _common(said, wanted) / wanted.total() if wanted else 0.0


MEASURES: Mapping[str, Callable[[str, str], float]] = {
    "exact_match": exact_match,
    "token_f1": token_f1,
    "rouge_l": rouge_l,
    "chrf": chrf,
    "trigram_recall": trigram_recall,
}


def tokens(text: str) -> list[str]:
    """Return the tokens of a text: its words, and each character of a script without spaces."""
    parts = (part for word in words(text) for part in pieces(word))
    return [token for piece, unspaced in parts for token in (piece if unspaced else [piece])]


def _common(said: Mapping[str, int], wanted: Mapping[str, int]) -> int:
    """Return how many entries two multisets share; `Counter`'s own `&` takes several times as long."""
    return sum(min(said[entry], wanted[entry]) for entry in said.keys() & wanted.keys())


def _f1(common: int, said: int, wanted: int) -> float:
    return 2 * common / (said + wanted) if common else 0.0


def _longest_common_subsequence(one: Sequence[str], two: Sequence[str]) -> int:
    """Return the length of the longest common subsequence, by one row of bits for each token of `one`.

    (Hyyrö 2004, "Bit-parallel LCS-length computation revisited": a zero bit for each token of `two` in the sequence.)
    """
    places: dict[str, int] = {}
    for at, token in enumerate(two):
        places[token] = places.get(token, 0) | 1 << at
    full = (1 << len(two)) - 1
    row = full
    for token in one:
        matched = row & places.get(token, 0)
        row = (row + matched | row - matched) & full
    return len(two) - row.bit_count()
