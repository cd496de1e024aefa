from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragaliq.text.abstention import abstains, not_found

LANGS = ("en", "de", "fr", "es", "ru", "zh")


@pytest.mark.parametrize("lang", LANGS)
def test_our_own_phrase_is_recognised(lang: str) -> None:
    assert abstains(not_found(lang), lang)
    assert abstains(not_found(lang).upper(), lang)
    assert abstains(f"  {not_found(lang)}\n", lang)


@pytest.mark.parametrize("lang", LANGS)
def test_english_is_recognised_in_every_language(lang: str) -> None:
    assert abstains(not_found("en"), lang)


def test_phrases_differ_and_an_unknown_language_gets_english() -> None:
    assert len({not_found(lang) for lang in LANGS}) == len(LANGS)
    assert not_found("xx") == not_found("en")
    assert abstains(not_found("xx"), "xx")


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "The provided documents do not mention a swimming pool."),
        ("en", "There is no information about pets in the context."),
        ("en", "I don’t know."),
        ("de", "Die Dokumente enthalten keine Informationen über Haustiere."),
        ("de", "Dazu wurde im Kontext nichts gefunden."),
        ("fr", "Les documents ne mentionnent pas les animaux."),
        ("fr", "Aucune information à ce sujet."),
        ("es", "Los documentos no mencionan las mascotas."),
        ("es", "No hay información sobre las mascotas."),
        ("ru", "В документах не указано, можно ли взять собаку."),
        ("ru", "Я не нашёл ответа."),
        ("zh", "文档中没有提到宠物。"),
        ("zh", "无法确定答案。"),
    ],
)
def test_other_words_for_finding_nothing(lang: str, text: str) -> None:
    assert abstains(text, lang)


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "The boat leaves on Tuesday."),
        ("en", "No, the kitchen is closed on Sunday."),
        ("de", "Nein, die Küche ist am Sonntag nicht geöffnet."),
        ("fr", "Non, la cuisine n’est pas ouverte le dimanche."),
        ("es", "No, la cocina cierra el domingo."),
        ("ru", "Нет, кухня закрыта в воскресенье."),
        ("zh", "不，厨房周日关门。"),
        ("en", ""),
        ("zh", " \n"),
    ],
)
def test_an_answer_is_no_abstention(lang: str, text: str) -> None:
    assert not abstains(text, lang)


@pytest.mark.parametrize(
    ("lang", "sentence", "blank"),
    [
        ("en", "The boat leaves on Tuesday at nine from the northern pier.", "\n"),
        ("zh", "船每周二九点从北码头出发。", ""),
    ],
)
def test_in_a_long_answer_only_the_first_sentence_abstains(lang: str, sentence: str, blank: str) -> None:
    long = blank.join([sentence] * 10)
    assert not abstains(f"{long}{blank}{not_found(lang)}", lang)
    assert abstains(f"{not_found(lang)}{blank}{long}", lang)
    assert abstains(f"{sentence}{blank}{not_found(lang)}", lang)


@pytest.mark.parametrize("lang", LANGS)
def test_no_reference_of_the_sample_is_taken_for_an_abstention(lang: str, sample: Path) -> None:
    answerable = [row for row in _rows(sample, lang) if row["answerable"]]
    assert len(answerable) == 46
    assert [row["query_id"] for row in answerable if abstains(str(row["reference"]), lang)] == []


@pytest.mark.parametrize("lang", LANGS)
def test_references_of_unanswerable_queries_abstain(lang: str, sample: Path) -> None:
    unanswerable = [row for row in _rows(sample, lang) if not row["answerable"]]
    assert len(unanswerable) == 8
    assert [row["query_id"] for row in unanswerable if not abstains(str(row["reference"]), lang)] == []


def _rows(sample: Path, lang: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (sample / "queries" / f"{lang}.jsonl").read_text("utf-8").splitlines()]
