"""Translation by rules: what the phrase book has, sentences with a gap, and clauses; any other text stays as it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import regex

from ragaliq.build.model.cloze import GAP, NUMBER, cloze, gap_in, longest_word, read_clozes
from ragaliq.build.model.phrase_book import clause_pairs, phrase_book, same_facts, split_known
from ragaliq.build.translation.spans import is_unspaced
from ragaliq.text.quantities.extract import comparable, quantities

_WORD = regex.compile(r"\d+月|\p{L}+")


def translate_by_rules(segments: Sequence[str], source_lang: str, lang: str) -> list[str]:
    """Return the translation of each segment; a segment that the phrase book cannot translate stays as it is."""
    book = _Book(source_lang, lang)
    return [book.translation(segment) or segment for segment in segments]


class _Book:
    """The phrase book from one language to another."""

    def __init__(self, source_lang: str, lang: str) -> None:
        self._source_lang, self._lang = source_lang, lang
        self._phrases = phrase_book(source_lang, lang)

    def translation(self, text: str) -> str:
        """Return the translation of a text; empty if there is none."""
        return self._whole(text) or self._cloze(text) or self._clause(text)

    def _whole(self, text: str) -> str:
        parts = [self._phrases[part] for part in split_known(text, self._phrases)]
        return ("" if is_unspaced(self._lang) else " ").join(parts)

    def _cloze(self, text: str) -> str:
        questions = []
        for before, behind in read_clozes(text, self._source_lang):
            fitting = [one for one in self._phrases if one.startswith(before) and one.endswith(behind)
                       and len(one) > len(before) + len(behind)]  # fmt: skip
            # A longer one has further sentences in the gap.
            sentence = min(fitting, key=len, default="")
            if not sentence:
                return ""
            gap = sentence[len(before) : len(sentence) - len(behind)]
            questions.append(cloze(self._phrases[sentence], self._gap(sentence, gap), self._lang))
        return " ".join(questions)

    def _gap(self, sentence: str, gap: str) -> str:
        """Return the part of a sentence's translation to blank out where its source has `gap`.

        It is what says the same, else what the rules would blank, else another word: the first of these with which the
        rest of both sentences states the same.
        """
        target, langs = self._phrases[sentence], (self._source_lang, self._lang)
        rest = sentence.replace(gap, GAP, 1)
        candidates = [one for one in self._candidates(gap, target) if one]
        fitting = (one for one in candidates if same_facts(rest, target.replace(one, GAP, 1), langs))
        return next(fitting, candidates[0])

    def _candidates(self, gap: str, target: str) -> Iterator[str]:
        # Between Han characters and words of other scripts there is no blank.
        apart = r"\p{N}" if gap.isdigit() else r"\p{Latin}\p{Cyrillic}\p{N}"
        if regex.search(rf"(?<![{apart}]){regex.escape(gap)}(?![{apart}])", target):
            yield gap
        yield self._same_value(gap, target)
        if "," in gap or "、" in gap:
            yield gap_in("list", target)
        if NUMBER.search(gap):
            yield gap_in("numeric", target)
        yield longest_word(target)
        yield from sorted(_WORD.findall(target), key=len, reverse=True)
        yield target

    def _same_value(self, gap: str, target: str) -> str:
        """Return the part of a sentence that states the number, time, month or weekday that `gap` states."""
        if not (comparable(self._source_lang) and comparable(self._lang)):
            return ""
        stated = {mention.readings for mention in quantities(gap, self._source_lang)}
        texts = [mention.text for mention in quantities(target, self._lang) if mention.readings in stated]
        # A month alone may be part of a date there.
        texts += [
            word for word in _WORD.findall(target)
            if any(mention.readings in stated for mention in quantities(word, self._lang))
        ]  # fmt: skip
        return next((text for text in texts if text in target), "")

    def _clause(self, text: str) -> str:
        for sentence, said in self._phrases.items():
            if text in sentence:
                pairs = dict(clause_pairs(sentence, said, (self._source_lang, self._lang)))
                if text in pairs:
                    return pairs[text]
        return ""
