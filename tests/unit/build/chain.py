"""A build whose chunks are written down, asked of canned models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fakes import CannedBackend, CannedModel
from ragaliq.build.context import BuildContext
from ragaliq.build.stage_row import StageRow
from ragaliq.build.workspace import Workspace
from ragaliq.llm import LLMSession

# One passage a language, each with one fact that no other has.
PASSAGES = {
    "de": "Die Kantine der Forschungsstation öffnet an jedem Werktag um sieben Uhr und schließt am Abend um acht Uhr.",
    "en": "The canteen of the research station opens at seven on every working day and closes at eight in the evening.",
    "es": "El comedor de la estación de investigación abre a las siete todos los días laborables y cierra a las ocho.",
    "fr": "La cantine de la station de recherche ouvre à sept heures chaque jour ouvrable et ferme à huit heures.",
    "ru": "Столовая исследовательской станции открывается в семь часов каждый рабочий день и закрывается в восемь.",
    "zh": "研究站的食堂在每个工作日的早上七点开门，晚上八点关门，周末和公共假期的开放时间另行通知，请看公告栏。",
}


def build_in(
    folder: Path, chunks: Mapping[str, Sequence[str]], models: Mapping[str, CannedModel], settings: str = ""
) -> BuildContext:
    """A build whose chunks `LANG:d1`, `LANG:d2`, … have the given texts; each stands alone in its source, at 100."""
    workspace = Workspace(folder / "bench")
    workspace.build.mkdir(parents=True, exist_ok=True)
    workspace.settings_file.write_text(settings or "seed: 0\n", encoding="utf-8")
    rows = [
        StageRow(f"{lang}:d{number}", lang, {"source_id": f"{lang}/{number}.md", "start": 100, "end": 100 + len(text),
                                            "title": "", "tokens": len(text), "text": text})
        for lang, texts in chunks.items() for number, text in enumerate(texts, start=1)
    ]  # fmt: skip
    workspace.write_rows("chunk", rows)
    return BuildContext(workspace, LLMSession(), CannedBackend(models=models))


def candidate_row(item_id: str, text: str, reference: str, lang: str = "en", **value: Any) -> StageRow:
    """A row of a candidate that was generated from the first chunk of its language."""
    base = {"text": text, "reference": reference, "type": "single", "origin": "generated", "gold": [[f"{lang}:d1"]]}
    return StageRow(item_id, lang, {**base, **value}, inputs=item_id)


def votes(**scores: int) -> dict[str, Any]:
    """A vote of 5 on every criterion but those named."""
    names = ("usefulness", "standalone", "groundedness", "single_answer", "no_leakage")
    return {name: {"reason": f"reason of {name}", "score": scores.get(name, 5)} for name in names}
