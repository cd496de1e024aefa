"""The hold-out: faults planted in XQuAD's paragraphs and questions, which nothing is fitted to.

Its sound texts are none for names, whose thresholds were chosen on them.

Number, negation, untranslated and language as in the sample; an entity is an answer that is a name, in the place of
another such answer.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from fault import Fault, replaced
from negation_faults import negation_faults
from number_faults import number_faults
from planting import Case, cases
from sample_pairs import Key
from text_faults import language_faults, untranslated_faults

from ragaliq.types.translation import RecordKind, TranslationPair

XQUAD_LANGS = ("de", "ru", "zh")
_KINDS = ("number", "negation", "entity", "untranslated", "language")
# Two words with capitals: one may be the first word of a sentence.
_NAME = re.compile(r"(?!The |A |An )(?:[A-Z][\w'’-]+)(?: [A-Z][\w'’-]+)+")


def planted_in_xquad(folder: Path, lang: str, n: int, seed: int) -> tuple[list[TranslationPair], list[Case]]:
    """Return XQuAD's paragraphs and questions against English, and up to `n` cases of each kind."""
    texts = {known: dict(_texts(folder, known)) for known in ("en", *XQUAD_LANGS)}
    thirds = {known: of for known, of in texts.items() if known != lang}
    keys = sorted(texts["en"])
    pairs = [TranslationPair(*key, "en", lang, texts["en"][key], texts[lang][key]) for key in keys]
    names = _names(folder, lang)
    label = f"{seed} xquad {lang}"
    return pairs, cases(pairs, _KINDS, label, n, lambda kind, pair, rng: _faults(kind, pair, thirds, names, rng))


def _texts(folder: Path, lang: str) -> Iterator[tuple[Key, str]]:
    for place, paragraph in enumerate(_paragraphs(folder, lang)):
        yield (RecordKind.CHUNK, f"p{place:03d}"), paragraph["context"].strip()
        for question in paragraph["qas"]:
            yield (RecordKind.QUERY, question["id"]), question["question"].strip()


def _paragraphs(folder: Path, lang: str) -> list[dict]:  # type: ignore[type-arg]
    articles = json.loads((folder / f"xquad.{lang}.json").read_text(encoding="utf-8"))["data"]
    return [paragraph for article in articles for paragraph in article["paragraphs"]]


def _names(folder: Path, lang: str) -> dict[str, list[tuple[str, str]]]:
    """Paragraph → its answers that are names: English, and as the language writes them."""
    names: dict[str, list[tuple[str, str]]] = {}
    both = zip(_paragraphs(folder, "en"), _paragraphs(folder, lang), strict=True)
    for place, (english, other) in enumerate(both):
        theirs = {question["id"]: question["answers"][0]["text"] for question in other["qas"]}
        answers = [(question["answers"][0]["text"], theirs[question["id"]]) for question in english["qas"]]
        names[f"p{place:03d}"] = [(name, own) for name, own in answers if _NAME.fullmatch(name) and len(own) > 1]
    return names


def _faults(
    kind: str,
    pair: TranslationPair,
    thirds: Mapping[str, Mapping[Key, str]],
    names: Mapping[str, Sequence[tuple[str, str]]],
    rng: random.Random,
) -> Iterator[Fault]:
    if kind == "number":
        yield from number_faults(pair, rng)
    elif kind == "negation":
        yield from negation_faults(pair, rng)
    elif kind == "untranslated":
        yield from untranslated_faults(pair, rng)
    elif kind == "language":
        yield from _language(pair, {lang: texts[pair.record, pair.id] for lang, texts in thirds.items()}, rng)
    else:
        yield from _swapped(pair, names, rng)


def _language(pair: TranslationPair, thirds: dict[str, str], rng: random.Random) -> Iterator[Fault]:
    """Only in the languages that XQuAD ships here."""
    others = [lang for lang in thirds if lang != "en"]
    known = dict.fromkeys(("de", "es", "fr", "ru", "zh"), thirds[rng.choice(others)])
    for fault in language_faults(pair, known, rng):
        yield replace(fault, form=fault.form.split()[0])


def _swapped(
    pair: TranslationPair, names: Mapping[str, Sequence[tuple[str, str]]], rng: random.Random
) -> Iterator[Fault]:
    rest = sorted({own for id, answers in names.items() if id != pair.id for _, own in answers})
    for name, own in sorted(set(names.get(pair.id, ()))):
        places = [match.start() for match in re.finditer(re.escape(own), pair.target)]
        others = [other for other in rest if other not in pair.target and own not in other]
        # Of a name that occurs twice only one place would be swapped: a reader need not see that as a fault.
        if len(places) == 1 and name in pair.source and others:
            yield Fault("entity", "answer", replaced(pair.target, places[0], places[0] + len(own), rng.choice(others)))
