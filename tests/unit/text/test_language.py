from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ragaliq.text.language import (
    COMMON,
    SUPPORTED,
    identify,
    in_language,
    is_foreign,
    is_in_any_other,
    languages_of,
    likeliest,
    load_detector,
)

TEXTS = {
    "en": "The supply boat leaves the harbour every Tuesday morning.",
    "de": "Das Versorgungsschiff verlässt den Hafen jeden Dienstagmorgen.",
    "fr": "Le bateau de ravitaillement quitte le port chaque mardi matin.",
    "es": "El barco de suministros sale del puerto todos los martes por la mañana.",
    "ru": "Судно снабжения выходит из порта каждый вторник утром.",
    "zh": "补给船每周二早上从港口出发。",
    "hi": "आपूर्ति नाव हर मंगलवार सुबह बंदरगाह से निकलती है।",
    "th": "เรือขนส่งเสบียงออกจากท่าเรือทุกเช้าวันอังคาร",
}


def test_the_language_of_a_sentence() -> None:
    for lang in TEXTS:
        assert identify(TEXTS[lang], [lang]) == lang, lang
        assert in_language(TEXTS[lang], lang) is True, lang


def test_a_sentence_is_in_one_language_alone() -> None:
    for lang in COMMON:
        for text_lang in COMMON:
            assert in_language(TEXTS[text_lang], lang) is (text_lang == lang), (lang, text_lang)


def test_only_letters_of_prose_count_towards_the_least_length() -> None:
    cases: list[tuple[str, bool]] = [
        ("the boat is at the harbour"[:-1], True),  # 20 letters
        ("the boat is at the harbour"[:-2], False),  # 19 letters
        ("今天船不会来了", True),  # 7 · 3 = 21
        ("今天船不来了", False),  # 6 · 3 = 18
        ("", False),
        ("1,250.00 € (09:15–17:30) 2024/25 §§ 12–15 100 % 42", False),
        ("office@velmora.example https://velmora.example/the/long/way www.velmora.example/and/on", False),
        ("see office@velmora.example, it is there that they all answer", True),
    ]
    for text, decided in cases:
        assert (identify(text, ["en", "zh"]) is not None) is decided, text
        assert (in_language(text, "zh") is not None) is decided, text


def test_a_sentence_of_another_language_is_told_from_a_name() -> None:
    for lang in COMMON:
        for text_lang in COMMON:
            assert is_foreign(TEXTS[text_lang], lang) is (text_lang != lang), (lang, text_lang)
    names = ["Marshall Space Flight Center", "Alpha Repertory Television Service (ARTS)", "School of Social Service"]
    names += ["Hashimoto-Thyreoiditis", "South African Schools Act 1996", "12.345.678.901", "Юрий Алексеевич Гагарин"]
    for name in names:
        assert not any(is_foreign(name, lang) for lang in COMMON), name
    assert not is_foreign(TEXTS["en"], "xx")


def test_a_text_in_no_language_is_in_no_other() -> None:
    # The detector has a label for it.
    for text in (
        "lorem xkcd qwz trfgh plmk zzxy bvnm kjhg wqert ytrew",
        "aaaa bbbb cccc dddd eeee ffff gggg hhhh iiii",
    ):
        assert not any(is_in_any_other(text, lang) for lang in COMMON), text
        assert identify(text, SUPPORTED) != "zxx", text
        assert "zxx" not in languages_of([text] * 3), text


def test_cantonese_and_wu_are_chinese() -> None:
    texts = [
        "我哋聽日去邊度食飯？佢話嗰間餐廳好好食，不過要早啲去先有位。",
        "佢哋唔知點解今日咁多人喺度，我都唔明白。",
        "阿拉上海人侪欢喜吃生煎馒头，侬晓得伐？伊拉勿肯去。",
    ]
    for text in texts:
        assert identify(text, SUPPORTED) == "zh", text
        assert not is_in_any_other(text, "zh"), text
        assert is_in_any_other(text, "en"), text
        for lang in {"yue", "wuu", "zh"} & SUPPORTED:
            assert in_language(text, lang) is True, (text, lang)
            assert not is_foreign(text, lang), (text, lang)
    assert languages_of(texts) == ["zh", "zh", "zh"]


def test_a_language_that_the_detector_does_not_know_is_undecided() -> None:
    assert in_language(TEXTS["en"], "xx") is None


def test_the_likeliest_of_few_candidates_needs_no_length() -> None:
    cases: list[tuple[str, str]] = [("где это?", "ru"), ("where is it?", "en")]
    for text, lang in cases:
        assert likeliest(text, ["ru", "en"]) == lang, (text, lang)


@given(st.text(min_size=10))
def test_the_answer_is_a_candidate_or_none(text: str) -> None:
    assert identify(text, ["it"]) in {None, "it", *COMMON}


def test_the_languages_of_texts_that_nobody_named() -> None:
    texts = [
        "Wann öffnet die Kantine am Montag? Um sieben Uhr.",
        "Where is the library of the campus? Behind the lake.",
        "Wo?",
        "Où se trouve la bibliothèque ? Derrière le lac.",
        "¿Dónde está la biblioteca? Detrás del lago grande.",
        "Где находится столовая? В главном здании у озера.",
        "图书馆在哪里？在湖边的主楼里。",
        "Und wann schließt die Kantine am Sonntag?",
    ]
    # A short text is in the language of most others, unless its script is another.
    assert languages_of([*texts, "几点？", "Где?"]) == ["de", "en", "de", "fr", "es", "ru", "zh", "de", "zh", "ru"]
    assert languages_of(["Wo?"]) == ["de"] and languages_of([]) == []


def test_a_language_beyond_ours_is_a_candidate_where_texts_are_surely_in_it() -> None:
    italian = [
        "Quanto costa il biglietto dell'autobus per il centro? Il biglietto costa due euro.",
        "A che ora apre la mensa universitaria il lunedì mattina? Apre alle sette e mezza.",
    ]
    assert languages_of([*italian, "Dove?"]) == ["it", "it", "it"]
    # One alone may be a mistake of the detector.
    english = ["Where is the library of the campus? Behind the lake."] * 3
    assert languages_of([*english, italian[0]])[:3] == ["en"] * 3


def test_the_codes_are_those_of_the_detector() -> None:
    assert set(load_detector().labels) == SUPPORTED


def test_one_candidate_is_the_answer() -> None:
    assert [likeliest(TEXTS["de"], ["fr"]), likeliest("", ["zh-TW"]), likeliest("?", ["fr", "xx"])] == [
        "fr",
        "zh-TW",
        "fr",
    ]
