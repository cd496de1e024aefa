"""The same facts in every language: numbers, times, dates and names of texts that are translations of each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ragaliq.benchmark.located import Located, LocatedRows, Record
from ragaliq.text.quantities.entities import capitals, name_mentions
from ragaliq.text.quantities.extract import comparable, quantities
from ragaliq.text.quantities.mentions import Mention
from ragaliq.text.quantities.mismatch import unmatched_mentions


def parity_findings(languages: Sequence[LocatedRows]) -> Iterator[str]:
    """Yield where a text states other numbers, times, dates or names than the same text in the first language.

    Compared are chunks, references, nuggets, and the texts of queries where both state something. Words in capitals
    count as names if both corpora have them. Languages without a table of number words are left out.
    """
    known = [language for language in languages if comparable(language.lang)]
    texts = [TextsOf(language.lang, _texts(language)) for language in known]
    for other, there in zip(known[1:], texts[1:], strict=True):
        yield from fact_differences(texts[0], there, shared_names(known[0], other))


@dataclass(frozen=True, slots=True)
class ParallelText:
    """A text that has a counterpart in every language: its place, its name in a finding, itself.

    What a `question` states is compared where both languages state something.
    """

    where: str
    name: str
    text: str
    question: bool = False


@dataclass(frozen=True, slots=True)
class TextsOf:
    """The texts of a language, by kind and id."""

    lang: str
    texts: Mapping[tuple[str, str], ParallelText]


def fact_differences(one: TextsOf, two: TextsOf, names: frozenset[str]) -> Iterator[str]:
    """Yield where a text of the second language states other facts than that of the first.

    Nothing if one of the languages has no table of number words.
    """
    if comparable(one.lang) and comparable(two.lang):
        for key in two.texts:
            if key in one.texts:
                yield from _differences(key, one, two, names)


def record_differences(
    kind: str,
    langs: tuple[str, str],
    records: tuple[Mapping[str, Located[Record]], Mapping[str, Located[Record]]],
    alike: Callable[[Record], object],
) -> Iterator[str]:
    """Yield the ids that one of two languages lacks, and the records that differ in what must be `alike` in both."""
    one, two = records
    for here, there, lang in ((one, two, langs[1]), (two, one, langs[0])):
        for key in sorted(here.keys() - there.keys()):
            yield f"{here[key].where}: {kind} '{key}' is missing in '{lang}'"
    for key in sorted(one.keys() & two.keys()):
        if alike(one[key].record) != alike(two[key].record):
            yield f"{two[key].where}: {kind} '{key}' differs from '{langs[0]}' in more than its text"


def shared_names(one: LocatedRows, two: LocatedRows) -> frozenset[str]:
    """Return the words in capitals that the corpora of two languages have in common."""
    return _capitals(one) & _capitals(two)


def uncompared_languages(languages: Sequence[str]) -> str:
    """Return a note on the languages whose numbers are not compared, "" if there are none."""
    others = [lang for lang in languages if not comparable(lang)]
    return f"numbers are not compared in {', '.join(others)}: no number words are known" if others else ""


def _texts(language: LocatedRows) -> dict[tuple[str, str], ParallelText]:
    """Return the texts of a language that have a counterpart in every other, by kind and id."""
    texts: dict[tuple[str, str], ParallelText] = {}
    for doc_id, (chunk, where) in language.chunks.items():
        texts["chunk", doc_id] = ParallelText(where, f"chunk '{doc_id}'", chunk.text)
    for query_id, (item, where) in language.items.items():
        texts["text", query_id] = ParallelText(where, f"the text of '{query_id}'", item.query.text, True)
        if item.reference:
            texts["reference", query_id] = ParallelText(where, f"the reference of '{query_id}'", item.reference)
    for nugget_id, (nugget, where) in language.nuggets.items():
        texts["nugget", nugget_id] = ParallelText(where, f"nugget '{nugget_id}'", nugget.text)
    return texts


def _differences(key: tuple[str, str], one: TextsOf, two: TextsOf, names: frozenset[str]) -> Iterator[str]:
    text, langs = two.texts[key], (one.lang, two.lang)
    stated = [quantities(side.texts[key].text, side.lang) for side in (one, two)]
    if text.question and not all(map(_demands, stated)):
        return
    here, there = (
        mentions + name_mentions(side.texts[key].text, names) for mentions, side in zip(stated, (one, two), strict=True)
    )
    only = unmatched_mentions(here, there)
    told = [f"'{lang}' has {_quoted(texts)}" for lang, texts in zip(langs, only, strict=True) if texts]
    if told:
        missing = f", not in '{langs[0] if only[1] else langs[1]}'" if len(told) == 1 else ""
        yield f"{text.where}: {text.name} states other facts than in '{langs[0]}': {'; '.join(told)}{missing}"


def _demands(mentions: Sequence[Mention]) -> bool:
    return any(not each.strictness for each in mentions)


def _quoted(texts: Sequence[str]) -> str:
    return ", ".join(f"'{text}'" for text in texts)


def _capitals(language: LocatedRows) -> frozenset[str]:
    return frozenset().union(*(capitals(chunk.text) for chunk, _ in language.chunks.values()))
