"""A tiny benchmark in three languages: parallel texts and queries under the same ids."""

from __future__ import annotations

from pathlib import Path

from ragaliq.storage.files import write_json, write_jsonl

TEXTS = {
    "de": {
        "canteen": "Die Kantine in der Halle Alster öffnet um sieben Uhr und schließt um 19:30 Uhr.",
        "lost": "Fundsachen liegen 90 Tage lang am Schalter B12 und werden danach verkauft.",
        "permit": "Eine Parkerlaubnis kostet 45 Euro im Monat; das Formular heißt P-45.",
    },
    "en": {
        "canteen": "The canteen in the hall Alster opens at seven and closes at 19:30.",
        "lost": "Lost property stays at desk B12 for 90 days and is sold afterwards.",
        "permit": "A parking permit costs 45 euros a month; the form is called P-45.",
    },
    "zh": {
        "canteen": "Alster大厅的食堂七点开门，19:30关门。",
        "lost": "失物在B12柜台保存90天，之后出售。",
        "permit": "停车证每月45欧元，表格名为P-45。",
    },
}
# Question, reference, gold; nobody can answer the last one.
QUERIES: dict[str, tuple[tuple[str, str, str, list[list[str]]], ...]] = {
    "de": (
        ("q1", "Wann schließt die Kantine in der Halle Alster?", "Um 19:30 Uhr.", [["canteen"]]),
        ("q2", "Wie lange liegen Fundsachen am Schalter B12?", "90 Tage lang.", [["lost"]]),
        ("q3", "Wer hat das Dach entworfen?", "Das steht in keinem Text.", []),
    ),
    "en": (
        ("q1", "When does the canteen in the hall Alster close?", "At 19:30.", [["canteen"]]),
        ("q2", "How long does lost property stay at desk B12?", "For 90 days.", [["lost"]]),
        ("q3", "Who designed the roof?", "No text says so.", []),
    ),
    "zh": (
        ("q1", "Alster大厅的食堂几点关门？", "19:30。", [["canteen"]]),
        ("q2", "失物在B12柜台保存多久？", "90天。", [["lost"]]),
        ("q3", "屋顶是谁设计的？", "没有文本提到。", []),
    ),
}


def write_parallel(folder: Path) -> Path:
    """Write the benchmark in our own layout, and return its folder."""
    write_json(folder / "bench.json", {"name": "hall", "version": "1", "languages": list(TEXTS)})
    for lang, texts in TEXTS.items():
        chunks = [
            {"doc_id": doc_id, "source_id": "hall.md", "start": 0, "end": len(text), "text": text, "title": ""}
            for doc_id, text in texts.items()
        ]
        queries = [
            {"query_id": query_id, "lang": lang, "text": text, "reference": reference, "answerable": bool(gold),
             "type": "single", "gold": gold}
            for query_id, text, reference, gold in QUERIES[lang]
        ]  # fmt: skip
        for kind, rows in (("corpus", chunks), ("queries", queries), ("nuggets", [])):
            (folder / kind).mkdir(parents=True, exist_ok=True)
            write_jsonl(folder / kind / f"{lang}.jsonl", rows)
    return folder
