"""Time grows with the length of a text and not with its square, whatever an answer repeats.

A ratio of two short times says little on a busy machine, so the processor time of a long text is bounded: what is
linear takes a tenth of the bound, what was quadratic took ten times the bound or more.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from ragaliq.judge.checks.names import names
from ragaliq.judge.offline.text_features import read
from ragaliq.text.answer_language import answer_language
from ragaliq.text.quantities.decimals import decimals_in_digits
from ragaliq.text.quantities.extract import quantities
from ragaliq.text.quantities.restated import restated
from ragaliq.text.refusal_clauses import clauses
from ragaliq.text.refusal_words import may_refuse
from ragaliq.text.sentences import sentence_starts, sentences

LENGTH, LONGEST_S = 50_000, 5.0
RUNS: list[tuple[str, str, Callable[[str], object]]] = [
    ("'", "sentences", sentences),
    (" »", "sentences", sentences),
    ("*", "sentence_starts", sentence_starts),
    ("A.", "answer_language", lambda text: answer_language(text, "en", text, [text])),
    ("@", "answer_language", lambda text: answer_language(text, "en")),
    ("\t", "clauses", lambda text: clauses(text, "en")),
    ("'", "may_refuse", lambda text: may_refuse(text, "zh")),
    ("A.B", "quantities", lambda text: quantities(text, "en")),
    ("A and ", "decimals", lambda text: decimals_in_digits(text.lower(), "en")),
    ("5 ° ", "restated", lambda text: restated(text, text, "en")),
    ("january 5 ", "restated", lambda text: restated(text, text, "en")),
    ("万", "names", names),
    ("one and ", "read", lambda text: read(text, "en")),
]


@pytest.mark.slow
@pytest.mark.parametrize(("piece", "name", "function"), RUNS, ids=[f"{name} {piece!r}" for piece, name, _ in RUNS])
def test_a_long_run(piece: str, name: str, function: Callable[[str], object]) -> None:
    function(piece * 20)
    for text in (piece * (LENGTH // len(piece)), f"a{piece * (LENGTH // len(piece))}b"):
        start = time.process_time()
        function(text)
        assert time.process_time() - start < LONGEST_S, name


def test_a_run_of_closing_quotes_ends_a_sentence_as_a_few_do() -> None:
    for count in (1, 3, 32):
        assert sentences(f"He left.{'*' * count} She stayed.") == [f"He left.{'*' * count}", "She stayed."]
    assert sentences(f"他走了。{'」' * 3}她留下。") == [f"他走了。{'」' * 3}", "她留下。"]
