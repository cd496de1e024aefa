"""What the sources ask of a translated benchmark."""

from __future__ import annotations

import pytest

from ragaliq.benchmark.translation.check import check_pairs
from ragaliq.build.settings import TranslateSettings
from ragaliq.types.translation import RecordKind, Severity, TranslationPair

SOURCE = """\
# Help desk

Write to help@orvella.example or see https://orvella.example/help?id=7 about the PRT-12 printer and the LAN.

- Bring your badge.
- Wait at the door.
"""
TARGETS = {
    "de": "# Anlaufstelle\n\nSchreiben Sie an help@orvella.example oder lesen Sie https://orvella.example/help?id=7 "
    "über den Drucker PRT-12 und das LAN.\n\n- Bringen Sie Ihren Ausweis mit.\n- Warten Sie an der Tür.\n",
    "fr": "# Assistance\n\nÉcrivez à help@orvella.example ou consultez https://orvella.example/help?id=7 au sujet de "
    "l’imprimante PRT-12 et du LAN.\n\n- Apportez votre badge.\n- Attendez à la porte.\n",
    "es": "# Asistencia\n\nEscriba a help@orvella.example o consulte https://orvella.example/help?id=7 sobre la "
    "impresora PRT-12 y la LAN.\n\n- Traiga su credencial.\n- Espere junto a la puerta.\n",
    "ru": "# Служба поддержки\n\nПишите на help@orvella.example или читайте https://orvella.example/help?id=7 о "
    "принтере PRT-12 и сети LAN.\n\n- Возьмите с собой пропуск.\n- Подождите у двери.\n",
    "zh": "# 服务台\n\n关于打印机PRT-12和LAN，请写信至help@orvella.example，或查看https://orvella.example/help?id=7。\n\n"
    "- 请带上您的证件。\n- 请在门口等候。\n",
}
# What upstream's translations break, and the finding that says so. Small letters may be right, as in German "Nato".
BROKEN = {
    "a letter of an e-mail": ("help@orvella", "hilfe@orvella", "link", Severity.ERROR),
    "a link": ("/help?id=7", "/help?id=8", "link", Severity.ERROR),
    "a code": ("PRT-12", "PRT-21", "name", Severity.ERROR),
    "capitals": ("LAN", "Lan", "name", Severity.WARNING),
}


def findings(lang: str, target: str) -> list[tuple[str, Severity]]:
    """Return kind and severity of what is found in a translation, hints left out."""
    pair = TranslationPair(RecordKind.CHUNK, "c1", "en", lang, SOURCE, target)
    return [(one.kind, one.severity) for one in check_pairs([pair]) if one.severity is not Severity.HINT]


@pytest.mark.parametrize("lang", TARGETS)
def test_d5_capitals_links_and_bullets_stay(lang: str) -> None:
    whole = TARGETS[lang]
    assert findings(lang, whole) == []
    for what, (old, new, kind, severity) in BROKEN.items():
        assert old in whole
        assert (kind, severity) in findings(lang, whole.replace(old, new)), what
    assert "structure" in dict(findings(lang, whole.replace("\n- ", "\n"))), "bullets that are lost"
    last = whole.rindex("\n- ")
    assert ("structure", Severity.ERROR) in findings(lang, whole[:last] + "\n"), "a line of the list that is lost"


def test_d5_the_translator_is_asked_without_chance() -> None:
    assert TranslateSettings().temperature <= 0.001
