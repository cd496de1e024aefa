from __future__ import annotations

from dataclasses import replace

from fakes import hits
from ragaliq.read.evidence import AnswerEvidence
from ragaliq.read.extractive import ExtractiveReader
from ragaliq.text.refusals import not_found
from ragaliq.types import AnswerOutcome, Query, Reading

CASES = {
    "en": (
        "When does the supply boat leave the harbour?",
        "The supply boat leaves the harbour at nine.",
        ["The kitchen is closed on Sunday.", "Dogs must be kept on a lead."],
    ),
    "de": (
        "Wann verlässt das Versorgungsschiff den Hafen?",
        "Das Versorgungsschiff verlässt den Hafen um neun.",
        ["Die Küche ist sonntags geschlossen.", "Hunde sind anzuleinen."],
    ),
    "fr": (
        "Quand le bateau de ravitaillement quitte-t-il le port ?",
        "Le bateau de ravitaillement quitte le port à neuf heures.",
        ["La cuisine est fermée dimanche.", "Les chiens sont tenus en laisse."],
    ),
    "es": (
        "¿Cuándo sale el barco de suministros del puerto?",
        "El barco de suministros sale del puerto a las nueve.",
        ["La cocina cierra el domingo.", "Los perros van con correa."],
    ),
    "ru": (
        "Когда судно снабжения выходит из порта?",
        "Судно снабжения выходит из порта в девять.",
        ["Кухня закрыта в воскресенье.", "Собак держат на поводке."],
    ),
    "zh": ("补给船几点离开港口？", "补给船九点离开港口。", ["厨房周日关门。", "狗必须拴绳。"]),
}


def query(text: str, lang: str = "en") -> Query:
    return Query("q1", lang, text)


def abstained(lang: str) -> Reading:
    return Reading(not_found(lang), AnswerOutcome.ABSTAINED)


def test_the_sentence_that_answers_is_found_wherever_it_stands() -> None:
    for lang in CASES:
        question, answer, others = CASES[lang]
        for context in ([answer, *others], [*others, answer], ["\n".join([others[0], answer]), others[1]]):
            found = ExtractiveReader().read(query(question, lang), hits(*context, lang=lang))
            assert found == Reading(answer, AnswerOutcome.ANSWERED), lang


def test_without_evidence_it_abstains_in_the_language_of_the_question() -> None:
    for lang in CASES:
        question, _, others = CASES[lang]
        assert ExtractiveReader().read(query(question, lang), hits(*others, lang=lang)) == abstained(lang), lang
        assert ExtractiveReader().read(query(question, lang), []) == abstained(lang), lang


LISTS = {
    "en": (
        "Which documents are checked on arrival?",
        ["Documents checked on arrival: the passport.", "On arrival the diving documents are checked too."],
        "The kitchen is closed on Sunday.",
    ),
    "de": (
        "Welche Papiere werden bei der Ankunft geprüft?",
        ["Bei der Ankunft wird der Pass geprüft.", "Auch die Papiere für Taucher werden bei der Ankunft geprüft."],
        "Die Küche ist sonntags geschlossen.",
    ),
    "fr": (
        "Quels documents sont vérifiés à l'arrivée ?",
        [
            "Le passeport est vérifié à l'arrivée avec d'autres documents.",
            "Les documents de plongée sont vérifiés à l'arrivée aussi.",
        ],
        "La cuisine est fermée dimanche.",
    ),
    "es": (
        "¿Qué documentos se revisan a la llegada?",
        ["A la llegada se revisa el pasaporte.", "También se revisan a la llegada los documentos de buceo."],
        "La cocina cierra el domingo.",
    ),
    "ru": (
        "Какие документы проверяют по прибытии?",
        ["По прибытии проверяют паспорт.", "По прибытии проверяют и документы водолазов."],
        "Кухня закрыта в воскресенье.",
    ),
    "zh": ("到达时检查哪些文件？", ["到达时检查护照文件。", "到达时还检查潜水文件。"], "厨房周日关门。"),
}
COMPARISONS = {
    "en": (
        "Which of the two boats is longer, the Auk or the Tern?",
        ["The Auk is a boat of 12 m.", "The Tern is a boat of 9 m."],
    ),
    "de": (
        "Welches der beiden Boote ist länger, Alk oder Möwe?",
        ["Das Boot Alk ist 12 m lang.", "Das Boot Möwe ist 9 m lang."],
    ),
    "fr": (
        "Lequel des bateaux est le plus long, Pingouin ou Sterne ?",
        ["Le bateau Pingouin mesure 12 m.", "Le bateau Sterne mesure 9 m."],
    ),
    "es": (
        "¿Cuál de los barcos es más largo, Alca o Charrán?",
        ["El barco Alca mide 12 m.", "El barco Charrán mide 9 m."],
    ),
    "ru": (
        "Какая из двух лодок больше, «Гагарка» или «Крачка»?",
        ["Лодка «Гагарка» длиной 12 м.", "Лодка «Крачка» длиной 9 м."],
    ),
    "zh": ("海雀号和燕鸥号两条船哪条更长，相差多少米？", ["海雀号船长12米。", "燕鸥号船长9米。"]),
}


def test_a_question_for_a_list_gets_what_stands_in_several_places() -> None:
    for lang, (question, answers, other) in LISTS.items():
        context = hits(answers[0], other, answers[1], lang=lang)
        found = ExtractiveReader(min_evidence=0).read(query(question, lang), context)
        assert found == Reading(" ".join(answers), AnswerOutcome.ANSWERED), lang
        assert ExtractiveReader(0, max_sentences=1).read(query(question, lang), context).text in answers, lang


def test_a_comparison_gets_both_sides() -> None:
    for lang, (question, sides) in COMPARISONS.items():
        other = CASES[lang][2][1]
        found = ExtractiveReader(min_evidence=0).read(query(question, lang), hits(sides[0], other, sides[1], lang=lang))
        assert found == Reading(" ".join(sides), AnswerOutcome.ANSWERED), lang


def test_meaning_decides_where_words_do_not() -> None:
    for lang, question, answer, other in (
        ("en", "What must I pay for a meal in the evening?", "Dinner costs 13 euros.", "The evening is quiet."),
        ("de", "Was kostet das Essen am Abend?", "Für ein Abendmahl zahlt man 13 Euro.", "Am Abend ist es ruhig."),
        ("fr", "Combien coûte le repas du soir ?", "Le dîner est à 13 euros.", "Le soir est calme."),
        ("es", "¿Cuánto cuesta la comida de la noche?", "Por cenar se pagan 13 euros.", "La noche es tranquila."),
        ("ru", "Сколько стоит еда вечером?", "За ужин берут 13 евро.", "Вечером тихо."),
        ("zh", "晚上吃饭要花多少钱？", "晚餐收13欧元。", "晚上很安静。"),
    ):
        context = hits(other, answer, lang=lang, scores=[1.0, 1.0])
        assert ExtractiveReader(min_evidence=0).read(query(question, lang), context).text == answer, lang


def test_thai_is_read_without_spaces() -> None:
    answer, others = "เรือเสบียงออกจากท่าเรือเวลา 9:00", ["ห้องครัวปิดวันอาทิตย์", "ต้องจูงสุนัขด้วยสายจูง"]
    question = query("เรือเสบียงออกจากท่าเรือเมื่อไร", "th")
    assert ExtractiveReader().read(question, hits(*others, answer, lang="th")).text == answer
    assert ExtractiveReader().read(question, hits(*others, lang="th")) == abstained("th")


def test_a_language_that_the_encoder_does_not_know_is_read_by_words_alone() -> None:
    answer, others = (
        "Το πλοίο αναχωρεί από το λιμάνι στις εννέα.",
        ["Η κουζίνα κλείνει την Κυριακή.", "Οι σκύλοι δένονται."],
    )
    question = query("Πότε αναχωρεί το πλοίο από το λιμάνι;", "el")
    assert ExtractiveReader().read(question, hits(*others, answer, lang="el")).text == answer
    assert ExtractiveReader().read(question, hits(*others, lang="el")) == abstained("el")


def test_a_context_in_another_language_is_read_by_meaning() -> None:
    answer, others = "Das Versorgungsschiff verlässt den Hafen um 9:00 Uhr.", CASES["de"][2]
    question = query(CASES["en"][0])
    assert ExtractiveReader().read(question, hits(*others, answer, lang="de")).text == answer
    assert ExtractiveReader().read(question, hits(*others, lang="de")) == abstained("en")


def test_the_least_evidence_can_be_set() -> None:
    context = hits("Red boats sail.", "Green trains roll.")
    assert ExtractiveReader(min_evidence=0).read(query("boat?"), context).text == "Red boats sail."
    assert ExtractiveReader(min_evidence=99).read(query("boat?"), context) == abstained("en")


def test_a_second_sentence_of_the_chunk_adds_what_the_first_one_lacks() -> None:
    context = hits("Filler text is here. The boat has a radio. The captain sleeps below.", "Trains roll.")
    first, second = "The boat has a radio.", "The captain sleeps below."
    question = query("The boat has a radio, the captain sleeps?")
    assert ExtractiveReader(min_evidence=0).read(question, context).text == f"{first} {second}"
    assert ExtractiveReader(min_evidence=0, max_sentences=1).read(question, context).text in (first, second)
    question = query("Has the boat a radio?")
    assert ExtractiveReader(min_evidence=0).read(question, context).text == first


def test_the_better_ranked_of_equal_sentences_answers() -> None:
    same = "The boat sails at nine."
    context = [replace(hit, chunk=replace(hit.chunk, title=str(hit.rank))) for hit in hits(same, same, scores=[1, 1])]
    evidence = AnswerEvidence(query("When does the boat sail?"), context)
    assert evidence.values[0] == evidence.values[1]
    assert evidence.best == 0


def test_the_score_of_a_chunk_counts_beside_its_words() -> None:
    context = hits("The boat sails at nine, x.", "The boat sails at nine, y.", scores=[0.5, 1.0])
    assert ExtractiveReader(min_evidence=0).read(query("When does the boat sail?"), context).text.endswith("y.")


def test_sentences_keep_their_order() -> None:
    context = hits("The captain sleeps. The boat has a loud radio.", "Trains roll.")
    found = ExtractiveReader(min_evidence=0).read(query("The boat has a loud radio, the captain sleeps?"), context)
    assert found.text == "The captain sleeps. The boat has a loud radio."


def test_a_title_is_evidence() -> None:
    titled = [replace(hit, chunk=replace(hit.chunk, title="Red boats of Brannick")) for hit in hits("They sail.")]
    question = query("Red boats of Brannick?")
    assert AnswerEvidence(question, titled).weight() > AnswerEvidence(question, hits("They sail.")).weight()


def test_a_context_without_scores_is_read() -> None:
    context = hits("Green trains roll.", "Red boats sail.", scores=[0.0, 0.0])
    assert ExtractiveReader(min_evidence=0).read(query("boats sail?"), context).text == "Red boats sail."


def test_a_row_of_a_table_answers_with_its_heads() -> None:
    table = "| Day | Boat |\n|---|---|\n| Monday | red |\n| Friday | blue |"
    found = ExtractiveReader(min_evidence=0).read(query("Which boat sails on Friday, the blue one?"), hits(table))
    assert found.text == "Day: Friday; Boat: blue"
