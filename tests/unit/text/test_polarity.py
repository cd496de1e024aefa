from __future__ import annotations

from ragaliq.text.polarity import affirmed, answer_word, function_words, hedges, negations
from ragaliq.text.terms import fold

OPENINGS = {
    "en": ("Yes, it is open.", "No, it is closed.", "No less than three days."),
    "de": ("Ja, sie ist offen.", "Nein, sie ist zu.", "Jahreszeiten zählen."),
    "fr": ("Oui, elle est ouverte.", "Non, elle est fermée.", "Nonante jours."),
    "es": ("Sí, está abierta.", "No, está cerrada.", "No hay cena."),
    "ru": ("Да, открыта.", "Нет, закрыта.", "Далеко."),
    "zh": ("是的，开放。", "不，关闭。", "不是所有人都去。"),
}


def test_yes_and_no_open_an_answer() -> None:
    for lang in OPENINGS:
        assert [answer_word(fold(text), lang) for text in OPENINGS[lang]] == [1, -1, 0], lang
        assert answer_word(fold("Yes."), lang) == 1, lang
        assert answer_word("**" + fold(OPENINGS[lang][0]), lang) == 1, lang


def test_negations_are_counted() -> None:
    cases: list[tuple[str, str, int]] = [
        ("en", "Dogs aren't allowed, and cats are not either.", 2),
        ("de", "Hunde sind nicht erlaubt, Katzen verboten.", 2),
        ("fr", "Les chiens n'entrent jamais.", 2),
        ("fr", "Il n'y a que 5 chambres, il ne reste que le hall.", 0),
        ("fr", "Il n'y a pas que 5 chambres.", 1),
        ("es", "Nunca entran perros.", 1),
        ("ru", "Собакам нельзя.", 1),
        ("zh", "禁止带狗，不仅如此。", 1),
        ("en", "Notable dogs are allowed.", 0),
    ]
    for lang, text, count in cases:
        assert negations(fold(text), lang) == count, (lang, text)


def test_a_denial_has_the_same_words_and_a_negation() -> None:
    cases: list[tuple[str, str, str]] = [
        ("en", "The sea is blue.", "The sea isn't blue!"),
        ("de", "Hunde dürfen hinein", "Hunde dürfen nicht hinein"),
        ("fr", "Les chiens peuvent entrer", "Les chiens ne peuvent pas entrer"),
        ("es", "Los perros pueden entrar", "Los perros no pueden entrar"),
        ("ru", "Море синее", "Море не синее"),
        ("zh", "可以带狗", "不可以带狗"),
        ("ar", "البحر أزرق", "البحر ليس أزرق"),
        ("hi", "समुद्र नीला है", "समुद्र नीला नहीं है"),
        ("it", "Il mare è blu", "Il mare non è blu"),
        ("nl", "De zee is blauw", "De zee is niet blauw"),
        ("pl", "Morze jest niebieskie", "Morze nie jest niebieskie"),
        ("pt", "O mar é azul", "O mar não é azul"),
        ("tr", "Deniz mavi", "Deniz mavi değil"),
        ("uk", "Море синє", "Море не синє"),
        ("ko", "개는 들어갈 수 있다", "개는 못 들어갈 수 있다"),
        ("ja", "海は青い", "海は青いない"),
    ]
    for lang, said, denied in cases:
        assert affirmed(fold(said), lang) == affirmed(fold(denied), lang) != [], lang
        assert negations(fold(said), lang) == 0 < negations(fold(denied), lang), lang


def test_vague_words_are_counted() -> None:
    assert hedges("it is usually open, possibly on sunday", "en") == 2
    assert hedges("通常开放", "zh") == 1
    assert hedges("it is open", "en") == 0


def test_function_words_are_known_for_the_languages_that_have_them() -> None:
    assert "der" in function_words("de-AT")
    assert function_words("zh") == function_words("yo") == frozenset()
