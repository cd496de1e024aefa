"""A negation lost in a translation, so that the sentence states the opposite.

Only in a sentence with one negation, whose counterpart in the source has one too: dropping one of two ("No … nadie")
leaves it negative.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from fault import Fault, aligned, replaced

from ragaliq.types.translation import TranslationPair

# What negates, for counting; wider than what is changed.
_MARKS = {
    "en": r"\b(?:not|no|never|nobody|nothing|none|without|neither|nor|nowhere|cannot)\b|n't\b",
    "de": r"\b(?:nicht|kein\w*|nie|niemals|niemand\w*|nichts|ohne|nirgends|weder|noch nie)\b",
    "fr": r"\b(?:ne|pas|jamais|personne ne|aucune?|rien|sans|nul|ni)\b|\bn['’]",
    "es": r"\b(?:no|nadie|nunca|jamás|ningun[oa]?|ningún|nada|sin|ni|tampoco)\b",
    "ru": r"\b(?:не|нельзя|нет|никто|никого|никому|никогда|ничего|ни|без|нигде|никак\w*)\b",
    "zh": r"不(?![同断仅过久但管论间])|没|未(?!来)|无(?![线论])|禁|勿|非(?!常)",
}
# Not a negation of the sentence: "not only", "n'… que", A-not-A questions.
_OTHER = {
    "en": r"\bnot only\b",
    "de": r"\bnicht nur\b",
    "fr": r"\b(?:ne|n['’]).{1,60}\bque?\b|pas seulement",
    "es": r"no solo|sino",
    "ru": r"не только|чуть не|не раз\b",
    "zh": r"(.)[不没]\1|不仅|不只|[^，。]没有[^，。]*[？?]",
}
# Pattern → what it becomes, in this order.
_LOST: dict[str, tuple[tuple[str, str], ...]] = {
    "en": (
        (r"\bcannot\b", "can"),
        (r"\bwon't\b", "will"),
        (r"n't\b", ""),
        (r"\bno longer\b", "still"),
        (r"\bno one\b|\bnobody\b", "everyone"),
        (r"\bnever\b", "always"),
        (r"\bnothing\b", "everything"),
        (r"\bnone\b", "all"),
        (r"\bwithout\b", "with"),
        (r" not\b", ""),
        (r"\bno (?=\w)", ""),
    ),
    "de": (
        (r"\b(k)(eine?[nrsm]?)\b", r"\2"),
        (r"\bkein\b", "ein"),
        (r"\bniemand\b", "jeder"),
        (r"\bniemals\b|\bnie\b", "immer"),
        (r"\bnichts\b", "alles"),
        (r"\bohne\b", "mit"),
        (r" nicht mehr\b", " noch"),
        (r" nicht\b", ""),
    ),
    "fr": (
        (r"\b(?:ne |n['’])([^.,;:]{2,25}?) (?:pas|jamais|plus)\b", r"\1"),
        (r"\bne pas ", ""),
        (r"\b(?:personne|nul) ne ", "chacun "),
        (r"\baucun ([^.,;:]{3,30}?) n(?:e |['’])", r"chaque \1 "),
        (r"\baucune ([^.,;:]{3,30}?) n(?:e |['’])", r"chaque \1 "),
        (r"\b(?:ne |n['’])([^.,;:]{2,25}?) aucun(e?)\b", r"\1 un\2"),
        (r"\bsans\b", "avec"),
    ),
    "es": (
        (r"\bnadie\b", "cualquiera"),
        (r"\bnunca\b", "siempre"),
        (r"\bningún\b", "cualquier"),
        (r"\bninguna\b", "cualquier"),
        (r"\bnada\b", "todo"),
        (r"\bsin\b", "con"),
        (r"\bno (?=\w)", ""),
    ),
    "ru": (
        (r"\bнельзя\b", "можно"),
        (r"\bникто не\b", "каждый"),
        (r"\bникогда не\b", "всегда"),
        (r"^нет\b", "да"),
        (r"\bнет\b", "есть"),
        (r"\bничего не\b", "всё"),
        (r"\bне (?=\w)", ""),
    ),
    "zh": (
        (r"不得|不可以|不准", "可以"),
        (r"禁止", "允许"),
        (r"没有", "有"),
        (r"不能", "能"),
        (r"不要", "要"),
        (r"无需|无须|不用|不必", "需要"),
        (r"无人", "人人"),
        (r"不再", "仍"),
        (r"未(?!来)", "已"),
        (r"不可", "可"),
        (r"不(?![同断仅过久但管论间足如])", ""),
    ),
}


def negation_faults(pair: TranslationPair, rng: random.Random) -> Iterator[Fault]:
    """Yield the target with the one negation of a sentence lost."""
    del rng
    for source, target in aligned(pair.source, pair.target):
        lang = pair.lang
        if not _marks(pair.source_lang, source.text) or re.search(_OTHER[lang], target.text, re.IGNORECASE):
            continue
        for pattern, new in _LOST[lang]:
            match = re.search(pattern, target.text, re.IGNORECASE)
            if match is None:
                continue
            rest = target.text[: match.start()] + " " + match.expand(new) + " " + target.text[match.end() :]
            if not _marks(lang, rest):
                sentence = replaced(target.text, *match.span(), match.expand(new)).strip()
                sentence = sentence[0].upper() + sentence[1:] if target.text[0].isupper() else sentence
                form = re.sub(r"\W+", " ", match[0].lower()).strip()
                yield Fault(
                    "negation",
                    form if lang != "fr" else form.split()[-1],
                    replaced(pair.target, target.start, target.end, sentence),
                )
            break


def _marks(lang: str, text: str) -> list[str]:
    return [match[0] for match in re.finditer(_MARKS[lang], text, re.IGNORECASE)]
