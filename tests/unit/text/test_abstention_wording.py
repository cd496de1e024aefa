from __future__ import annotations

from ragaliq.text.refusals import abstains, mentions_gap

# In the words of chat models.
WORDINGS = {
    "en": [
        "The context does not specify the amount.",
        "Unfortunately, the given text does not include that information.",
        "I'm sorry, but I cannot provide that information based on the context.",
        "The provided information doesn't say when.",
        "There is no mention of the stipend in the provided context.",
        "The email address is not provided in the context you've given.",
        "This information is not available in the given documents.",
        "I cannot answer this question based on the provided context.",
        "It is not possible to determine the date from the given text.",
        "The answer is not explicitly stated.",
        "The name of the company is not mentioned.",
        "Based on the context, the deadline is unknown.",
        "I do not have enough information to answer.",
        "The question cannot be answered from the documents.",
        "The document doesn't provide an email address for it.",
        "No email address is given in the text.",
        "The exact amount is not specified.",
    ],
    "de": [
        "Der bereitgestellte Text enthält keine Informationen über das Stipendium.",
        "Leider enthält der gegebene Kontext keine Angabe dazu.",
        "Aus dem Kontext geht nicht hervor, wann der Ausweis ausgestellt wird.",
        "Die E-Mail-Adresse wird im Text nicht genannt.",
        "Die Antwort auf diese Frage ist im Kontext nicht enthalten.",
        "Ich kann diese Frage anhand des Kontexts nicht beantworten.",
        "Das Dokument gibt keine Auskunft über den Namen der Versicherung.",
        "Es gibt keine Informationen über die Versicherung.",
        "Der Name der Versicherung ist nicht angegeben.",
        "Das monatliche Stipendium ist nicht explizit genannt.",
        "Es tut mir leid, aber ich kann diese Information nicht finden.",
        "Im bereitgestellten Kontext wird keine E-Mail-Adresse erwähnt.",
        "Die bereitgestellten Dokumente liefern keine Informationen dazu.",
        "Der Text liefert keine Angaben zum Datum.",
        "Die Information fehlt im Text.",
        "Basierend auf dem Kontext kann ich die Frage nicht beantworten.",
        "Die genaue Anzahl wird nicht erwähnt.",
    ],
    "fr": [
        "Le texte fourni ne précise pas le montant.",
        "Le contexte ne mentionne pas l'adresse e-mail.",
        "Je suis désolé, mais je ne peux pas fournir cette information.",
        "L'adresse e-mail n'est pas mentionnée dans le contexte.",
        "Le document ne spécifie pas la date limite.",
        "Il n'y a pas d'information sur l'assurance dans le texte.",
        "Les informations fournies ne permettent pas de répondre à la question.",
        "Le montant n'est pas précisé.",
        "Je n'ai pas trouvé d'informations à ce sujet.",
        "Aucune adresse e-mail n'est mentionnée.",
        "Il n'est pas possible de déterminer la date à partir du contexte.",
        "La réponse n'est pas dans le texte.",
        "Malheureusement, le contexte fourni ne contient pas cette information.",
        "Désolé, mais le texte ne fournit pas de réponse.",
    ],
    "es": [
        "El contexto no especifica el monto exacto.",
        "El texto proporcionado no menciona la dirección de correo electrónico.",
        "Lo siento, pero no puedo proporcionar esa información.",
        "La dirección de correo electrónico no se menciona en el contexto.",
        "No se proporciona información sobre el seguro.",
        "El nombre de la compañía no está especificado en el texto.",
        "No tengo información suficiente para responder.",
        "La información proporcionada no incluye la fecha.",
        "No se especifica el nombre.",
        "La fecha límite no se menciona.",
        "El documento no contiene esa información.",
        "No hay información sobre el seguro en el texto proporcionado.",
        "No se puede determinar a partir del contexto.",
    ],
    "ru": [
        "В предоставленном контексте нет информации о стипендии.",
        "В тексте не указано, сколько стоит.",
        "К сожалению, в данном контексте не указана дата.",
        "Предоставленный текст не содержит информации о страховой компании.",
        "Извините, но я не могу ответить на этот вопрос.",
        "Адрес электронной почты не указан.",
        "Контекст не предоставляет информации об этом.",
        "Информация о стипендии отсутствует.",
        "Конкретные шесть областей не указаны.",
        "В документе не упоминается название компании.",
        "Невозможно определить дату на основе контекста.",
        "Название не приводится в тексте.",
        "На основании предоставленной информации невозможно ответить на вопрос.",
        "Этот вопрос не рассматривается в тексте.",
        "Точная сумма не упоминается.",
        "Я не могу предоставить эту информацию.",
    ],
    "zh": [
        "文档中并未具体列出研究站的五个重点领域。",
        "根据上下文信息，我无法提供有关岛上暴风雨的具体建议。",
        "根据上下文，截止日期是未知。",
        "文中没有提供邮箱地址。",
        "根据提供的信息，无法回答该问题。",
        "上下文中没有提到具体金额。",
        "抱歉，我无法找到相关信息。",
        "该文档没有提供有关保险公司的信息。",
        "未提供相关信息。",
        "没有明确说明截止日期。",
        "具体船只编号未列出。",
        "给定的上下文不包含该信息。",
        "很抱歉，提供的文本中没有这个信息。",
    ],
}


def test_chat_models_abstain_in_many_words() -> None:
    for lang, texts in WORDINGS.items():
        assert [text for text in texts if not abstains(text, lang)] == [], lang


def test_rules_in_the_negative_are_answers() -> None:
    cases: list[tuple[str, str]] = [
        ("en", "Towels are not provided."),
        ("en", "Keys are not given to guests."),
        ("de", "Nach 22 Uhr ist die Küche nicht besetzt."),
        ("fr", "Si aucune solution n’est trouvée, écrivez à la médiatrice."),
        ("es", "No se permite fumar en la cocina."),
        ("ru", "Сдавать пробы без этикетки не разрешается."),
        ("zh", "未经允许不得进入。"),
    ]
    for lang, text in cases:
        assert not abstains(text, lang), (lang, text)


def test_a_gap_is_found_anywhere_in_a_long_text() -> None:
    long = "The boat leaves on Tuesday at nine from the northern pier. " * 6
    assert not abstains(long + "The price is not mentioned in the text.", "en")
    assert mentions_gap(long + "The price is not mentioned in the text.", "en")
    assert not mentions_gap(long, "en")
