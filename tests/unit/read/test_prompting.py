"""What a reader model is told, in the language of the question."""

from __future__ import annotations

from pathlib import Path

import pytest

from fakes import hits
from ragaliq.errors import ConfigError
from ragaliq.read.prompting import ReaderPrompt
from ragaliq.text.language import identify
from ragaliq.text.refusals import not_found
from ragaliq.types import Query

QUESTIONS = {
    "en": "When does the boat leave?",
    "de": "Wann verlässt das Schiff den Hafen?",
    "fr": "Quand le bateau quitte-t-il le port ?",
    "es": "¿Cuándo sale el barco del puerto?",
    "ru": "Когда судно выходит из порта?",
    "zh": "补给船几点离开港口？",
}
LABELS = {
    "en": ("Documents:", "Question: "),
    "de": ("Dokumente:", "Frage: "),
    "fr": ("Documents :", "Question : "),
    "es": ("Documentos:", "Pregunta: "),
    "ru": ("Документы:", "Вопрос: "),
    "zh": ("文档：", "问题："),
}


def written(tmp_path: Path, text: str) -> str:
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_query_is_asked_in_its_language() -> None:
    for lang in QUESTIONS:
        question = QUESTIONS[lang]
        system, user = ReaderPrompt().messages(Query("q", lang, question), hits("Eins.", "Zwei $x.", lang=lang))
        documents, asked = LABELS[lang]
        assert user == {"role": "user", "content": f"{documents}\n\n[1] Eins.\n\n[2] Zwei $x.\n\n{asked}{question}"}, (
            lang
        )
        assert system["role"] == "system", lang
        assert system["content"].endswith(not_found(lang)), lang
        assert identify(system["content"], LABELS) == lang, lang


def test_a_region_has_the_texts_of_its_language() -> None:
    asked = Query("q", "de-AT", QUESTIONS["de"])
    assert ReaderPrompt().messages(asked, [])[0] == ReaderPrompt().messages(Query("q", "de", ""), [])[0]


def test_another_language_is_asked_in_english_for_an_answer_in_its_own() -> None:
    system, user = ReaderPrompt().messages(Query("q", "it", "Quando parte la nave?"), hits("Alle nove.", lang="it"))
    assert "in the language of the question" in " ".join(system["content"].split())
    assert user["content"] == "Documents:\n\n[1] Alle nove.\n\nQuestion: Quando parte la nave?"


def test_a_prompt_in_english_still_abstains_in_the_language_of_the_question() -> None:
    for lang in QUESTIONS:
        system, user = ReaderPrompt(language="en").messages(Query("q", lang, QUESTIONS[lang]), [])
        assert system["content"].startswith("You answer questions from documents"), lang
        assert system["content"].endswith(not_found(lang)), lang
        assert user["content"] == f"Documents:\n\n\n\nQuestion: {QUESTIONS[lang]}", lang


def test_plain_texts_are_for_all_languages(tmp_path: Path) -> None:
    prompt = ReaderPrompt(written(tmp_path, "version: 1\nsystem: Say $not_found.\nuser: $context / $question\n"))
    for lang in ("de", "en", "it"):
        system, user = prompt.messages(Query("q", lang, "?"), hits("A."))
        assert system["content"] == f"Say {not_found(lang)}."
        assert user["content"] == "[1] A. / ?"


def test_a_language_of_its_own_comes_before_the_plain_texts_and_those_before_english(tmp_path: Path) -> None:
    file = written(tmp_path, "version: 1\nsystem: plain\nsystem.de: deutsch\nsystem.en: english\nuser: $question\n")
    systems = {lang: ReaderPrompt(file).messages(Query("q", lang, "?"), [])[0]["content"] for lang in QUESTIONS}
    others = dict.fromkeys(QUESTIONS, "plain")
    assert systems == {**others, "de": "deutsch", "en": "english"}


def test_a_file_that_cannot_ask_every_query_is_refused(tmp_path: Path) -> None:
    cases: list[tuple[str, str]] = [
        ("user: $question\n", "text 'system' is missing; add it"),
        ("system: a\nuser.de: $question\n", "text 'user' is missing; add it"),
        ("system.en: a\nuser.en: $question\nsystem.de: b\n", "text 'user.de' is missing; add it"),
        ("system: a\nuser: $question\nsytem.de: b\n", "unknown text 'sytem.de'; did you mean 'system.en'?"),
        ("system: a\nuser: $question\nbrief: b\n", "unknown text 'brief'; known: system, system.en, user, user.en"),
        ("system: a\nuser: $question\nuser.de: $qestion\n", "text 'user.de': placeholder 'qestion'"),
        ("system: a\nuser: $context\n", "text 'user' lacks $question"),
        ("system: $question\nuser: b\nsystem.fr: c\n", "text 'user' lacks $question"),
    ]
    for text, message in cases:
        path = written(tmp_path, f"version: 1\n{text}")
        with pytest.raises(ConfigError) as caught:
            ReaderPrompt(path)
        assert str(caught.value).startswith(f"{path}: {message}"), text


def test_a_prompt_language_without_texts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no texts for prompt_language 'it'; known: de, en, es, fr, ru, zh"):
        ReaderPrompt(language="it")
    plain = written(tmp_path, "version: 1\nsystem: a\nuser: $question\n")
    with pytest.raises(ConfigError, match="prompt_language 'en'; it has one text for all; leave the option out"):
        ReaderPrompt(plain, language="en")


def test_the_hash_covers_the_wording_and_the_language(tmp_path: Path) -> None:
    def file(text: str) -> str:
        return written(tmp_path, f"version: 1\nsystem: {text}\nuser: $question\nsystem.en: e\n")

    one = ReaderPrompt(file("a")).hash
    assert len(one) == 12
    assert ReaderPrompt(file("a")).hash == one
    assert ReaderPrompt(file("b")).hash != one
    assert ReaderPrompt(file("a"), language="en").hash != one


def test_the_hash_covers_the_sentences_of_abstention(monkeypatch: pytest.MonkeyPatch) -> None:
    before = ReaderPrompt().hash
    monkeypatch.setattr("ragaliq.read.prompting.not_found", lambda lang: "No idea.")
    assert ReaderPrompt().hash != before
