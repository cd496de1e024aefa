"""A question and two passages in each of six languages; the first passage, `d1`, answers."""

from __future__ import annotations

from fakes import chunk

CORPUS = {
    "en": ("When does the boat sail?", "The boats sail at nine.", "The kitchen is closed."),
    "de": ("Wann fährt das Boot?", "Das Boot fährt um neun.", "Die Küche ist zu."),
    "fr": ("Quand part le bateau ?", "Les bateaux partent à neuf heures.", "La cuisine est fermée."),
    "es": ("¿Cuándo sale el barco?", "Los barcos salen a las nueve.", "La cocina cierra."),
    "ru": ("Когда уходит лодка?", "Лодки уходят в девять.", "Кухня закрыта."),
    "zh": ("船几点开？", "船九点开。", "厨房关门了。"),
}
CHUNKS = [chunk(f"d{i}", text, lang) for lang, (_, *texts) in CORPUS.items() for i, text in enumerate(texts, start=1)]
