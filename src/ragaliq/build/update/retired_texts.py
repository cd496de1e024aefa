"""The texts of queries that were retired on request: no other query may ask the same."""

from __future__ import annotations

from ragaliq.build.context import BuildContext
from ragaliq.build.update.changes_file import read_changes
from ragaliq.build.update.requests import retired_queries
from ragaliq.build.update.staying import ON_REQUEST


def texts_retired_on_request(context: BuildContext) -> dict[str, dict[str, str]]:
    """Return language → query → text of what was retired on request, in the last update and all before it."""
    update = context.workspace.update
    if not update.serial:
        return {}
    before = [row for one in read_changes(context.workspace.build) if one["serial"] < update.serial
              for row in one["retired"] if row["reason"] == ON_REQUEST]  # fmt: skip
    texts = {(row["lang"], row["query_id"]): row["text"] for row in before}
    texts |= {(row.lang, row.item_id): row.value["text"] for row in retired_queries(context.earlier, update.retire)}
    found: dict[str, dict[str, str]] = {}
    for (lang, query_id), text in sorted(texts.items()):
        found.setdefault(lang, {})[query_id] = text
    return found
