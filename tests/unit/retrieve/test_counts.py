from __future__ import annotations

from collections import Counter
from functools import partial

from hypothesis import given, settings
from hypothesis import strategies as st

from ragaliq.retrieve.counts import Counts, count_terms, count_words, terms_of
from ragaliq.text.terms import char_ngrams, terms, word_ngrams, word_terms, words

TEXTS = st.lists(st.text("ab ΣёЙ好的ที่1१ ́", max_size=20), max_size=6)


def rows(counts: Counts) -> list[dict[str, float]]:
    dense = counts.matrix.toarray()
    return [{key: row[at] for key, at in counts.numbers.items() if row[at]} for row in dense]


@settings(deadline=None)
@given(TEXTS)
def test_words_stems_and_ngrams_are_counted(texts: list[str]) -> None:
    counted = count_words(texts)
    assert rows(counted) == [Counter(words(text)) for text in texts]
    assert rows(count_terms(counted, partial(word_terms, lang="en"))) == [Counter(terms(text, "en")) for text in texts]
    grams = count_terms(counted, partial(word_ngrams, shortest=2, longest=3))
    assert rows(grams) == [Counter(char_ngrams(text, 2, 3)) for text in texts]


def test_columns_are_numbered_as_they_come_and_only_known_terms_count() -> None:
    counted = count_words(["red boat red", "船 boat"])
    assert dict(counted.numbers) == {"red": 0, "boat": 1, "船": 2}
    assert counted.matrix.toarray().tolist() == [[2, 1, 0], [0, 1, 1]]
    known = terms_of(counted.numbers, list, {"o": 0, "b": 1, "船": 2})
    assert known.matrix.toarray().tolist() == [[0, 0, 0], [1, 1, 0], [0, 0, 1]]


def test_nothing_counts_nothing() -> None:
    assert count_words([]).matrix.shape == (0, 0)
    assert count_terms(count_words(["", "…"]), list).matrix.shape == (2, 0)
