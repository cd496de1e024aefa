"""A build whose chunks and nuggets are written here: what comes before the pool needs no model."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fakes import CannedBackend, CannedModel
from ragaliq.build.context import BuildContext
from ragaliq.build.model.scripted import scripted_reply
from ragaliq.build.stage_row import StageRow, content_hash
from ragaliq.build.workspace import Workspace
from ragaliq.llm import LLMSession, Request
from ragaliq.storage.files import write_atomic

SOURCE = "notes/house.md"
# Query → nugget → documents that hold it.
Support = Mapping[str, Mapping[str, Sequence[str]]]


def doc_id(number: int) -> str:
    return f"d{number:02}"


def fact(nugget_id: str) -> str:
    """Four words that no other nugget has."""
    name = "".join(chr(ord("a") + int(char)) if char.isdigit() else char for char in nugget_id if char.isalnum())
    return " ".join(f"{start}{name}" for start in ("kor", "lum", "bes", "tav"))


def rules(request: Request) -> str:
    """What the scripted model says: a document supports a nugget if it holds its words."""
    return scripted_reply(request.messages, int(request.parameters.get("seed", 0)))


def settings(**sections: Any) -> str:
    quiet = {"pool": {"retrievers": ["bm25"], "negatives": 0}}
    return json.dumps(
        {"name": "house", "sources": [{"path": ".", "name": "house"}], "unanswerable": 0.0, **quiet, **sections}
    )


def written_build(
    path: Path, support: Support, n_docs: int = 12, model: CannedModel | None = None, **sections: Any
) -> BuildContext:
    """Return a build of `n_docs` documents, each of which holds the facts that `support` gives it.

    Nuggets whose id ends in `o` are okay, all others vital. A query is written from the first document of its first
    nugget; its closed-book answer is one word that stands nowhere.
    """
    workspace = Workspace(path)
    write_atomic(workspace.settings_file, settings(**sections).encode())
    texts = {doc_id(number): [f"filler{doc_id(number)} stands alone"] for number in range(1, n_docs + 1)}
    for facts in support.values():
        for nugget_id, holders in facts.items():
            for holder in holders:
                texts[holder].append(fact(nugget_id))
    write_chunks(workspace, {name: ". ".join(parts) + "." for name, parts in texts.items()})
    rows, books = [], []
    for query_id, facts in support.items():
        gold = next((holders[0] for holders in facts.values() if holders), "")
        weights = {name: "okay" if name.endswith("o") else "vital" for name in facts}
        listed = [{"nugget_id": name, "text": fact(name), "importance": weights[name]} for name in facts]
        value = {"text": f"What about {fact(next(iter(facts)))}?", "reference": " ".join(map(fact, facts)),
                 "type": "single", "origin": "generated", "gold": [[gold]] if gold else [],
                 "nuggets": listed}  # fmt: skip
        rows.append(StageRow(query_id, "en", value, inputs=query_id))
        book = {"subquestions": [f"What {one['text']}?" for one in listed], "answers": [{"answer": "nowhere"}],
                "solved": 0.0}  # fmt: skip
        books.append(StageRow(query_id, "en", book, inputs=query_id))
    workspace.write_rows("nuggets", rows)
    workspace.write_rows("closed-book", books)
    return BuildContext(workspace, LLMSession(), CannedBackend(models={"": model or CannedModel(rules)}))


def write_chunks(workspace: Workspace, texts: Mapping[str, str]) -> None:
    """Write a source, its copy and its chunks."""
    source, rows = "", []
    for name, text in texts.items():
        value = {"source_id": SOURCE, "start": len(source), "end": len(source) + len(text), "title": "", "text": text}
        rows.append(StageRow(name, "en", value))
        source += f"{text}\n"
    write_atomic(workspace.build / "documents" / SOURCE, source.encode())
    inputs = content_hash(["ingest", SOURCE, source, "en"])
    workspace.write_rows("ingest", [StageRow(SOURCE, "en", {"kind": "prose"}, inputs=inputs)])
    workspace.write_rows("chunk", rows)


def values(context: BuildContext, stage: str) -> dict[str, Mapping[str, Any]]:
    """Return the values of a stage's rows by id."""
    return {row.item_id: row.value for row in context.workspace.rows(stage)}
