"""Names exchanged and lost, in a small benchmark whose names are learned from its pairs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragaliq.benchmark.translation.lexicon import units
from ragaliq.benchmark.translation.name_spans import NameSpans
from ragaliq.benchmark.translation.names import name_findings
from ragaliq.types.translation import RecordKind, Severity, TranslationPair

# The houses in each language, and a frame: "The steward of HOUSE lives in room N".
HOUSES = {
    "en": ("Slate House", "Heron House", "Lantern House"),
    "de": ("Schieferhaus", "Reiherhaus", "Laternenhaus"),
    "fr": ("maison de l'Ardoise", "maison du Héron", "maison de la Lanterne"),
    "es": ("Casa Pizarra", "Casa Garza", "Casa Farol"),
    "ru": ("Сланцевый дом", "Дом Цапли", "Фонарный дом"),
    "zh": ("板岩楼", "苍鹭楼", "灯笼楼"),
}
FRAMES = {
    "en": "We know that {} has {} beds.",
    "de": "Wir wissen, dass es im {} {} Betten gibt.",
    "fr": "On sait que la {} compte {} lits.",
    "es": "Se sabe que la {} tiene {} camas.",
    "ru": "Известно, что в здании «{}» {} коек.",
    "zh": "我们知道{}有{}张床。",
}
PEOPLE = {
    **dict.fromkeys(("en", "de", "fr", "es"), "Greta Solvanne"), "ru": "Грета Сольванн", "zh": "格蕾塔·索尔万",
}  # fmt: skip
OTHERS = {
    **dict.fromkeys(("en", "de", "fr", "es"), "Wim Esterholm"), "ru": "Вим Эстерхольм", "zh": "维姆·埃斯特霍尔姆",
}  # fmt: skip


def benchmark(langs: str) -> list[TranslationPair]:
    source_lang, lang = langs.split(">")
    return [
        TranslationPair(
            RecordKind.NUGGET,
            f"n{beds}",
            source_lang,
            lang,
            FRAMES[source_lang].format(HOUSES[source_lang][beds % 3], beds),
            FRAMES[lang].format(HOUSES[lang][beds % 3], beds),
        )
        for beds in range(10, 40)
    ]


def found(pairs: list[TranslationPair]) -> list[tuple[str, Severity]]:
    return [(finding.id, finding.severity) for finding in name_findings(pairs)]


@pytest.mark.parametrize("langs", ["en>de", "en>fr", "en>es", "en>ru", "en>zh", "de>en"])
def test_an_exchanged_name_is_an_error_and_nothing_else_is(langs: str) -> None:
    pairs = benchmark(langs)
    assert found(pairs) == []
    lang = langs[-2:]
    pairs[7] = replace(pairs[7], target=FRAMES[lang].format(HOUSES[lang][(17 + 1) % 3], 17))
    assert found(pairs) == [("n17", Severity.ERROR)]


@pytest.mark.parametrize("langs", ["zh>fr", "de>fr"])
def test_names_are_read_in_the_translation_where_the_source_does_not_mark_them(langs: str) -> None:
    pairs = benchmark(langs)
    pairs[7] = replace(pairs[7], target=FRAMES["fr"].format(HOUSES["fr"][(17 + 1) % 3], 17))
    [finding] = name_findings(pairs)
    assert finding.id == "n17"
    assert finding.message.startswith("translation has")


@pytest.mark.parametrize("langs", ["zh>en", "zh>de", "zh>fr", "zh>es", "zh>ru", "de>zh"])
def test_a_capital_in_a_chinese_text_marks_no_names(langs: str) -> None:
    source_lang, lang = langs.split(">")
    pairs = [
        replace(
            pair,
            source=pair.source.replace(HOUSES[source_lang][beds % 3], (PEOPLE, OTHERS)[beds % 2][source_lang]),
            target=pair.target.replace(HOUSES[lang][beds % 3], (PEOPLE, OTHERS)[beds % 2][lang]),
        )
        for beds, pair in enumerate(benchmark(langs), start=10)
    ]
    pairs.append(TranslationPair(RecordKind.NUGGET, "gps", source_lang, lang, "使用GPS。", "使用GPS。"))
    assert found(pairs) == []
    pairs[7] = replace(pairs[7], target=pairs[7].target.replace(OTHERS[lang], PEOPLE[lang]))
    assert found(pairs) == [("n17", Severity.ERROR)]


@pytest.mark.parametrize("langs", ["zh>de", "de>zh"])
def test_a_german_noun_beside_a_script_without_capitals_is_no_name(langs: str) -> None:
    lang = langs[-2:]
    pairs = benchmark(langs)
    pairs[7] = replace(pairs[7], target=FRAMES[lang].format(HOUSES[lang][(17 + 1) % 3], 17))
    assert found(pairs) == []


def test_without_capitals_on_either_side_no_names_are_read() -> None:
    pairs = [TranslationPair(RecordKind.NUGGET, f"n{n}", "zh", "ja", f"GPS{n}号。", f"GPS {n}番。") for n in range(20)]
    assert found([*pairs, replace(pairs[0], id="lost", target="地図。")]) == []


@pytest.mark.parametrize("lang", ["de", "ru", "zh"])
def test_the_message_names_both(lang: str) -> None:
    pairs = benchmark(f"en>{lang}")
    pairs[7] = replace(pairs[7], target=FRAMES[lang].format(HOUSES[lang][0], 17))
    [finding] = name_findings(pairs)
    assert finding.kind == "name"
    assert "lantern" in finding.message
    assert "slate" in finding.message


@pytest.mark.parametrize("lang", ["de", "ru", "zh"])
def test_a_lost_name_is_a_warning(lang: str) -> None:
    pairs = benchmark(f"en>{lang}")
    pairs += [
        replace(
            pair,
            id=f"p{pair.id}",
            source=pair.source.replace(HOUSES["en"][int(pair.id[1:]) % 3], PEOPLE["en"]),
            target=pair.target.replace(HOUSES[lang][int(pair.id[1:]) % 3], PEOPLE[lang]),
        )
        for pair in pairs[:20]
    ]
    assert found(pairs) == []
    pairs[-1] = replace(
        pairs[-1], target=FRAMES[lang].format({"de": "Keller", "ru": "Подвал", "zh": "地下室"}[lang], 29)
    )
    assert found(pairs) == [(pairs[-1].id, Severity.WARNING)]


@pytest.mark.parametrize(
    ("lang", "target"),
    [
        ("de", "Fragen beantwortet der Archivar Wim Esterholm unter archive@slate.example."),
        ("fr", "L'archiviste Wim Esterholm répond aux questions à archive@slate.example."),
        ("zh", "档案员维姆·埃斯特霍尔姆在archive@slate.example解答问题。"),
    ],
)
def test_a_name_inside_an_address_is_in_nothings_place(lang: str, target: str) -> None:
    # The houses stay as they are, so that the address has one of them.
    pairs = [
        replace(pair, target=FRAMES[lang].format(HOUSES["en"][int(pair.id[1:]) % 3], pair.id[1:]))
        for pair in benchmark(f"en>{lang}")
    ]
    source = "Questions are answered by the archivist, Wim Esterholm, at archive@slate.example."
    pairs.append(TranslationPair(RecordKind.CHUNK, "c1", "en", lang, source, target))
    assert found(pairs) == []


def test_no_pairs_have_no_findings() -> None:
    assert found([]) == []
    assert found([replace(benchmark("en>zh")[0], source="", target="")]) == []


def test_names_are_capitalised_words_inside_sentences() -> None:
    texts = [
        "A guide meets Karel Vintorp at the Survey Hall in Brannick.",
        "Brannick is far. The hall is open on Monday.",
    ]
    spans = NameSpans(texts, "en")
    assert spans.names(texts[0]) == {
        "karel vintorp": 1, "karel": 1, "vintorp": 1, "survey hall": 1, "survey": 1, "brannick": 1,
    }  # fmt: skip
    # "Guide" and "hall" are words of the language, and "Monday" is a date.
    assert spans.names(texts[1]) == {"brannick": 1}
    assert spans.names("Write to Office@Brannick.example or `Karel`.") == {}


def test_units_are_stems_pairs_of_stems_and_ngrams() -> None:
    assert units("Das Haus Brannick hat 12 Räume", "de") == {
        "haus": 1, "brannick": 1, "haus brannick": 1, "raum": 1, "brannick raum": 1,
    }  # fmt: skip
    assert units("archive@brannick.example", "de") == {}
    assert units("格蕾塔·索尔万", "zh")["蕾塔·索尔"] == 1
    assert {"测绘", "绘馆", "测绘馆"} <= units("测绘馆", "zh").keys()
