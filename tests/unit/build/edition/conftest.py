from __future__ import annotations

import json
from pathlib import Path

import pytest

from unit.build.edition.small_template import ITEMS, PAGES, SLOTS, Make


@pytest.fixture
def make_template(tmp_path: Path) -> Make:
    """Write a small template in three languages; `slots` and `items` replace its own."""

    def make(slots: str = SLOTS, items: str = ITEMS, folder: str = "bench") -> Path:
        root = tmp_path / folder
        template = root / "template"
        pools = Path(__file__).parents[4] / "data" / "velmora" / "template"
        for part in ("slots", "items", *PAGES):
            (template / part).mkdir(parents=True, exist_ok=True)
        (template / "slots" / "pier.yaml").write_text(slots, encoding="utf-8")
        rows = items.split("- id: q2")
        (template / "items" / "pier.yaml").write_text(rows[0], encoding="utf-8")
        (template / "items" / "boats.yaml").write_text("- id: q2" + rows[1] if len(rows) > 1 else "", encoding="utf-8")
        head = {
            "name": "harbour",
            "version": "1.0",
            "title": "Harbour",
            "licence": "CC0-1.0",
            "languages": list(PAGES),
            "canary": "00000000-0000-4000-8000-000000000001",
        }
        (template / "bench.json").write_text(json.dumps(head), encoding="utf-8")
        for lang, (pier, boats, question, reference, wrong, colour) in PAGES.items():
            page = template / lang
            (page / "pools.yaml").write_bytes((pools / lang / "pools.yaml").read_bytes())
            (page / "phrases.yaml").write_text("abstention: [none, nothing]\n", encoding="utf-8")
            (page / "pier.md").write_text(pier, encoding="utf-8")
            (page / "boats.md").write_text(boats, encoding="utf-8")
            kinds = ("paraphrase", "extras", "incomplete", "contradicting")
            exam = {**dict.fromkeys(kinds, reference), "near_miss": wrong}
            words = {"text": question, "reference": reference, "nuggets": [reference, reference], "exam": exam}
            _write(page / "pier.yaml", {"q1": words})
            plain = {"text": question + "!", "reference": colour, "nuggets": [colour]}
            open_ = {"text": question + "?", "reference": "none"}
            exam = dict.fromkeys((*kinds, "near_miss"), colour)
            last = {"text": question + ".", "reference": colour, "nuggets": [colour, colour], "exam": exam}
            _write(page / "boats.yaml", {"q2": plain, "q3": open_, "q4": last})
        return root

    return make


def _write(path: Path, value: object) -> None:
    # JSON is YAML.
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
