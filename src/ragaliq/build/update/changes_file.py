"""What each update has changed: `DIR/build/changes.jsonl`, a row for each, the oldest first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ragaliq.storage.files import read_jsonl

# A row of `DIR/build/changes.jsonl`. Its keys: `serial`, `version`, `earlier_version`, `settings` (keys of `build.yaml`
# that differ), `documents` (see `document_changes`; `unasked`: added ones that no candidate was written from), `chunks`
# (how many were `kept`, of these `moved`, `added`, `retired`), `added` (queries, ids), `kept` (how many), `retired`
# (rows of `retired.jsonl`, one a language), `languages` (`added`, `dropped`; `each`: how many each query is in),
# `unanswerable` (how `many` of how many `queries`, and the `share` that is asked for),
# `stages` (name → `rows`, of these `changed`, and `calls`: different requests that the earlier rows do not come from),
# `inputs` (hash of what they follow from).
Changes = dict[str, Any]
CHANGES_FILE = "changes.jsonl"


def read_changes(build: Path) -> list[Changes]:
    """Return the changes of all updates, the oldest first."""
    path = build / CHANGES_FILE
    return [row for _, row in read_jsonl(path)] if path.is_file() else []
