"""What the memory holds of a segment that a person changed."""

from __future__ import annotations

from pathlib import Path

from fakes import CannedBackend
from ragaliq.build.context import BuildContext
from ragaliq.build.stage_row import StageRow
from ragaliq.build.translation.edits import Edit, append_edits
from ragaliq.build.translation.memory import Translated, edited_rows, memory_of
from ragaliq.build.translation.segment import SegmentStatus
from ragaliq.build.workspace import Workspace
from ragaliq.llm import LLMSession


def entry(source: str, target: str) -> dict[str, str]:
    return {"source": source, "target": target, "status": "translated", "back": f"<{target}>"}


def test_an_edit_leaves_no_back_translation_of_what_it_replaces(tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    context = BuildContext(Workspace(tmp_path), LLMSession(), CannedBackend())
    rows = [StageRow("d1", "de", {"segments": [entry("Open.", "Auf."), entry("Shut.", "Zu.")]}),
            StageRow("d1", "ru", {"segments": [entry("Open.", "Открыто.")]})]  # fmt: skip
    append_edits(tmp_path, [Edit("en", "de", "Open.", "Auf.", "Offen.", "Ida", "2031-01-01T00:00:00Z", "xliff")])
    edited = edited_rows(context, rows)
    assert memory_of(edited, "de") == {"Open.": Translated("Offen.", SegmentStatus.EDITED),
                                       "Shut.": Translated("Zu.", SegmentStatus.TRANSLATED, "<Zu.>")}  # fmt: skip
    assert memory_of(edited, "ru") == {"Open.": Translated("Открыто.", SegmentStatus.TRANSLATED, "<Открыто.>")}
