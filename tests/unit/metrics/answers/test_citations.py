from __future__ import annotations

from ragaliq.metrics.answers.citations import CitationScores, citation_scores


def test_precision_is_over_citations_and_recall_over_sentences() -> None:
    # The second sentence cites nothing, the third one document that supports it in part.
    assert citation_scores([[1.0, 0.0], [], [0.5]]) == CitationScores((1 + 0 + 0.5) / 3, (1 + 0 + 0.5) / 3, 3, 3)
    assert citation_scores([[1.0, 1.0], [0.0]]) == CitationScores(2 / 3, 1 / 2, 3, 3)


def test_a_citation_without_a_finding_and_its_sentence_enter_no_mean() -> None:
    assert citation_scores([[1.0, None], [0.5, 0.0], []]) == CitationScores((1 + 0.5 + 0) / 3, (0.5 + 0) / 2, 3, 4)
    assert citation_scores([[None]]) == CitationScores(None, None, 0, 1)


def test_nothing_to_divide_by_is_undefined() -> None:
    assert citation_scores([]) == CitationScores(None, None)
    assert citation_scores([[], []]) == CitationScores(None, 0.0)
