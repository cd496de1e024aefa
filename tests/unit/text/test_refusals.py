from __future__ import annotations

import json
from pathlib import Path

from ragaliq.text.refusals import abstains, not_found

LANGS = ("en", "de", "fr", "es", "ru", "zh")


def test_our_own_phrase_is_recognised() -> None:
    for lang in LANGS:
        assert abstains(not_found(lang), lang), lang
        assert abstains(not_found(lang).upper(), lang), lang
        assert abstains(f"  {not_found(lang)}\n", lang), lang


def test_english_is_recognised_in_every_language() -> None:
    for lang in LANGS:
        assert abstains(not_found("en"), lang), lang


def test_phrases_differ_and_an_unknown_language_gets_english() -> None:
    assert len({not_found(lang) for lang in LANGS}) == len(LANGS)
    assert not_found("xx") == not_found("en")
    assert abstains(not_found("xx"), "xx")


def test_other_words_for_finding_nothing() -> None:
    cases: list[tuple[str, str]] = [
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
    ]
    for lang, text in cases:
        assert abstains(text, lang), (lang, text)


def test_an_answer_is_no_abstention() -> None:
    cases: list[tuple[str, str]] = [
        ("en", "The boat leaves on Tuesday."),
        ("en", "No, the kitchen is closed on Sunday."),
        ("de", "Nein, die Küche ist am Sonntag nicht geöffnet."),
        ("fr", "Non, la cuisine n’est pas ouverte le dimanche."),
        ("es", "No, la cocina cierra el domingo."),
        ("ru", "Нет, кухня закрыта в воскресенье."),
        ("zh", "不，厨房周日关门。"),
        ("en", ""),
        ("zh", " \n"),
    ]
    for lang, text in cases:
        assert not abstains(text, lang), (lang, text)


def test_in_a_long_answer_only_the_first_sentence_abstains() -> None:
    cases: list[tuple[str, str, str]] = [
        ("en", "The boat leaves on Tuesday at nine from the northern pier.", "\n"),
        ("zh", "船每周二九点从北码头出发。", ""),
    ]
    for lang, sentence, blank in cases:
        long = blank.join([sentence] * 10)
        assert not abstains(f"{long}{blank}{not_found(lang)}", lang), lang
        assert abstains(f"{not_found(lang)}{blank}{long}", lang), lang
        assert abstains(f"{sentence}{blank}{not_found(lang)}", lang), lang


def test_no_reference_of_the_sample_is_taken_for_an_abstention(sample: Path) -> None:
    for lang in LANGS:
        answerable = [row for row in _rows(sample, lang) if row["answerable"]]
        assert len(answerable) == 148, lang
        assert [row["query_id"] for row in answerable if abstains(str(row["reference"]), lang)] == [], lang


def test_references_of_unanswerable_queries_abstain(sample: Path) -> None:
    for lang in LANGS:
        unanswerable = [row for row in _rows(sample, lang) if not row["answerable"]]
        assert len(unanswerable) == 26, lang
        assert [row["query_id"] for row in unanswerable if not abstains(str(row["reference"]), lang)] == [], lang


def _rows(sample: Path, lang: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (sample / "queries" / f"{lang}.jsonl").read_text("utf-8").splitlines()]


# Negations of every kind that are answers all the same.
ANSWERS = {
    "en": [
        "If the source is not available, use the second pump.",
        "No, dogs are not allowed in the canteen.",
        "The text must not exceed 300 words.",
        "Do not leave the passage open at night.",
        "Samples without a label are not accepted; no information is stored about them.",
        "The form is not available in paper form.",
        "Nobody may work there alone.",
        "Neither dogs nor cats are allowed in the canteen.",
        "The text may be neither cut nor translated.",
        "It is not possible to book more than two nights.",
        "Lost keys cannot be replaced on Sundays.",
        "The north passage is not covered by insurance.",
    ],
    "de": [
        "Das Handbuch gibt es nicht in gedruckter Form.",
        "Ich kann die Probe nicht ohne Handschuhe anfassen.",
        "Nein, private Elektroheizungen sind nicht erlaubt.",
        "Der Text darf nicht länger als 300 Wörter sein.",
        "Die Dokumente dürfen nicht kopiert werden.",
        "Die Quelle ist nicht trinkbar.",
        "Nichts davon muss angemeldet werden.",
        "Die Unterlagen werden nicht zurückgegeben.",
        "Keine Angst, der Alarm wird nur getestet.",
        "Man darf dort nicht allein arbeiten.",
        "Weder Hunde noch Katzen dürfen in die Kantine.",
        "Der Text darf weder gekürzt noch übersetzt werden.",
    ],
    "fr": [
        "La source n'est pas potable.",
        "Le passage souterrain n'est pas ouvert la nuit.",
        "Non, les chiens ne sont pas admis.",
        "Le texte ne doit pas dépasser 300 mots.",
        "Il n'y a pas de dîner à la cantine de la Jetée.",
        "Les documents ne peuvent pas être copiés.",
        "Personne ne doit y travailler seul.",
        "Le manuel n'existe pas en version papier.",
        "Rien ne doit être laissé dans le couloir.",
        "Le guide n'accompagne pas les visiteurs.",
    ],
    "es": [
        "El agua de la fuente no contiene sal.",
        "No, los perros no están permitidos.",
        "El texto no debe superar las 300 palabras.",
        "No hay cena en el comedor del Muelle.",
        "Los documentos no se pueden copiar.",
        "El manual no existe en papel.",
        "Nadie puede trabajar allí solo.",
        "La información es gratuita y no caduca.",
        "No se puede reservar más de dos noches.",
        "El pasaje no se abre de noche.",
    ],
    "ru": [
        "Источник питания не отключают ночью.",
        "Справочник не выдается на дом.",
        "Нет, собаки не допускаются.",
        "Текст не должен превышать 300 слов.",
        "В Причальной столовой нет ужина.",
        "Документы нельзя копировать.",
        "Никто не должен работать там один.",
        "Информация обновляется не реже раза в день.",
        "Без метки образцы не принимаются.",
        "Проход не открывают ночью.",
    ],
    "zh": [
        "手册没有纸质版。",
        "资料室晚上没有人值班。",
        "不，狗不允许进入食堂。",
        "文本不得超过300字。",
        "码头食堂没有晚餐。",
        "文件不能复印。",
        "任何人不得单独在那里工作。",
        "信息台周日没有开放。",
        "没有标签的样品不予接收。",
        "晚上通道不开放。",
    ],
}

ABSTENTIONS = {
    "en": [
        "The documents do not mention the price.",
        "I could not find any information about vaccinations.",
        "There is no information on this in the context.",
        "The handbook does not say what a ticket costs.",
        "I don't know.",
        "This is not stated in the provided documents.",
        "No information about the library was found.",
        "The provided context doesn't contain the answer.",
        "The handbook mentions neither an accident nor a year.",
        "Neither the price nor the date is mentioned in the handbook.",
    ],
    "de": [
        "Im Handbuch steht nicht, was eine Fahrkarte kostet.",
        "Die Dokumente enthalten keine Informationen dazu.",
        "Ich konnte dazu keine Informationen finden.",
        "Das wird in den Dokumenten nicht erwähnt.",
        "Ich weiß es nicht.",
        "Es wurden keine Angaben zu Impfungen gefunden.",
        "Der Kontext enthält keine Angaben über Hunde.",
        "Das Handbuch nennt weder ein Unglück noch ein Jahr.",
        "Im Handbuch steht weder, was eine Monatskarte kostet, noch, ob es eine gibt.",
        "Weder Preis noch Datum sind im Text angegeben.",
    ],
    "fr": [
        "Le manuel ne dit pas combien coûte un billet.",
        "Aucune information n'a été trouvée à ce sujet.",
        "Les documents ne mentionnent pas de vaccins.",
        "Je ne sais pas.",
        "Cette information ne figure pas dans les documents.",
        "Le contexte ne contient aucune information sur les chiens.",
    ],
    "es": [
        "El manual no dice cuánto cuesta un billete.",
        "No se ha encontrado información sobre las vacunas.",
        "Los documentos no mencionan los perros.",
        "No lo sé.",
        "Esa información no aparece en los documentos.",
        "En el contexto no se indica el precio.",
    ],
    "ru": [
        "В справочнике не сказано, сколько стоит билет.",
        "Информация об этом не найдена.",
        "В документах нет информации о прививках.",
        "Я не знаю.",
        "Документы не содержат ответа.",
        "В тексте не упоминается библиотека.",
    ],
    "zh": [
        "手册中没有说明船票价格。",
        "文档中未提及疫苗。",
        "没有找到相关信息。",
        "无法回答这个问题。",
        "根据上下文无法确定。",
        "文件中没有相关内容。",
        "不知道。",
    ],
}


def test_a_negation_alone_is_no_abstention() -> None:
    for lang, texts in ANSWERS.items():
        assert [text for text in texts if abstains(text, lang)] == [], lang


def test_abstentions_in_other_words_are_recognised() -> None:
    for lang, texts in ABSTENTIONS.items():
        assert [text for text in texts if not abstains(text, lang)] == [], lang


def test_a_long_answer_that_mentions_a_gap_at_its_end_is_an_answer() -> None:
    assert not abstains("The boat leaves on Tuesday at nine from the northern pier. " * 5 + not_found("en"), "en")
