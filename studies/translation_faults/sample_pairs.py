"""The parallel texts of the sample as pairs, with links and large amounts added to both sides by rule.

The sample has 10 e-mail addresses, no URL, no code span and two numbers above 999 in each language: too few places for
broken links and errors of scale. So some chunks, references and nuggets get one more sentence, in source and
translation, before anything is planted.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

from ragaliq.types.translation import RecordKind, TranslationPair

DATA = Path(__file__).resolve().parents[2] / "data" / "velmora"
LANGS = ("de", "es", "fr", "ru", "zh", "en")
# English is translated from German, every other language from English.
SOURCE = {"en": "de"}
# Records that get a link, and that get an amount.
_N_LINKED, _N_AMOUNTS = 60, 24

Key = tuple[RecordKind, str]

_LINK_SENTENCES = {
    "en": ("Details: {}", "Write to {} in case of doubt.", "Type {} on the terminal."),
    "de": ("Einzelheiten: {}", "Schreiben Sie im Zweifel an {}.", "Geben Sie {} am Terminal ein."),
    "fr": ("Détails : {}", "En cas de doute, écrivez à {}.", "Saisissez {} sur le terminal."),
    "es": ("Detalles: {}", "En caso de duda, escriba a {}.", "Introduzca {} en el terminal."),
    "ru": ("Подробности: {}", "В случае сомнений пишите на {}.", "Введите {} на терминале."),
    "zh": ("详情：{}", "如有疑问，请写信至{}。", "请在终端输入{}。"),
}
_AMOUNT_SENTENCE = {
    "en": "The yearly total is {} credits, {} times as much as before.",
    "de": "Die Jahressumme beträgt {} Guthabenpunkte, das {}-Fache der früheren.",
    "fr": "Le total annuel est de {} crédits, soit {} fois plus qu'avant.",
    "es": "El total anual es de {} créditos, {} veces más que antes.",
    "ru": "Годовая сумма составляет {} кредитов, в {} раза больше прежней.",
    "zh": "全年总额为{}信用点，是以前的{}倍。",
}
# Group separator and decimal sign.
_SIGNS = {
    "en": (",", "."), "de": (".", ","), "fr": ("\u202f", ","), "es": (".", ","), "ru": ("\u00a0", ","), "zh": ("", "."),
}  # fmt: skip


def sample_pairs(lang: str) -> list[TranslationPair]:
    """Every text of the sample against its translation into `lang`, the same ones with an added sentence."""
    source_lang = SOURCE.get(lang, "en")
    source, target = texts(source_lang), texts(lang)
    queries = {row["query_id"]: row for row in _rows("queries", lang)}
    owner = {row["nugget_id"]: row["query_id"] for row in _rows("nuggets", lang)}
    pairs = []
    for (record, id), text in source.items():
        query_id = id if record is RecordKind.REFERENCE else owner[id] if record is RecordKind.NUGGET else ""
        gold = [doc_id for group in queries[id]["gold"] for doc_id in group] if record is RecordKind.REFERENCE else []
        both = text, target[record, id]
        pairs.append(TranslationPair(record, id, source_lang, lang, *both, query_id=query_id, gold=tuple(gold)))
    return pairs


def texts(lang: str) -> dict[Key, str]:
    """Every text of the sample in a language, with the added sentences."""
    plain = dict(_plain_texts(lang))
    linked = _drawn(plain, _N_LINKED, "links")
    amounts = _drawn(plain, _N_AMOUNTS, "amounts")
    space = "" if lang == "zh" else " "
    for place, key in enumerate(linked):
        plain[key] += space + _LINK_SENTENCES[lang][place % 3].format(_link(place, key[1]))
    for place, key in enumerate(amounts):
        plain[key] += space + _AMOUNT_SENTENCE[lang].format(*_amount(place, lang))
    return plain


def _plain_texts(lang: str) -> Iterator[tuple[Key, str]]:
    for row in _rows("corpus", lang):
        yield (RecordKind.CHUNK, row["doc_id"]), row["text"]
    for row in _rows("queries", lang):
        yield (RecordKind.QUERY, row["query_id"]), row["text"]
        yield (RecordKind.REFERENCE, row["query_id"]), row["reference"]
    for row in _rows("nuggets", lang):
        yield (RecordKind.NUGGET, row["nugget_id"]), row["text"]


def _rows(folder: str, lang: str) -> list[dict]:  # type: ignore[type-arg]
    lines = (DATA / folder / f"{lang}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def _drawn(plain: dict[Key, str], n: int, name: str) -> list[Key]:
    """The same records in every language: half of them chunks, the rest references and nuggets.

    No table, whose last line a sentence would join.
    """
    rng = random.Random(f"added {name}")
    tables = {row["doc_id"] for row in _rows("corpus", "en") if "\n" in row["text"]}
    keys = sorted(key for key in plain if key[0] is not RecordKind.QUERY and key[1] not in tables)
    chunks = [key for key in keys if key[0] is RecordKind.CHUNK]
    others = [key for key in keys if key[0] is not RecordKind.CHUNK]
    return [*rng.sample(chunks, n // 2), *rng.sample(others, n - n // 2)]


def _link(place: int, id: str) -> str:
    words = ("handbook", "rooms", "forms", "archive", "depot", "weather")
    word, other = words[place % 6], words[(place // 6 + 1) % 6]
    if place % 3 == 0:
        return f"https://{word}.velmora.example/{other}/{id}.html?page={2 + place % 7}"
    if place % 3 == 1:
        return f"{other}.{id.split('-')[0]}@velmora.example"
    return f"`vm-{word} --room {'HKWT'[place % 4]}-{11 + place} --days {3 + place % 9}`"


def _amount(place: int, lang: str) -> tuple[str, str]:
    group, decimal = _SIGNS[lang]
    whole, times = 12_000 + 4_750 * place, f"{2 + place % 3}.{1 + place % 8}"
    return f"{whole:,}".replace(",", group), times.replace(".", decimal)
