"""Documents of the sample in three scripts, a build of them whose calls are counted, and an update of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fakes import CannedBackend, CannedModel
from ragaliq.build.model.scripted import scripted_reply
from ragaliq.build.pipeline import chosen_stages, run_build
from ragaliq.build.update.begin import begin_update
from ragaliq.build.update.changelog import finish_update
from ragaliq.llm import Request
from small_build import context
from unit.build.folders import write_folder

SOURCES = Path(__file__).resolve().parents[4] / "data" / "velmora" / "sources"
# Language → characters of each document.
LANGS = {"de": 1500, "ru": 1500, "zh": 700}
NAMES = ("aquarium", "diving", "meals", "weather")
SETTINGS = """\
name: station
sources: [{path: ../documents}]
chunk: {max_tokens: 200}
generate: {queries: 14, per_chunk: 2, types: {single: 2, numeric: 1, multi-hop: 1}}
critique: {votes: 1, rewrites: 1}
pool: {retrievers: [bm25], depth: 20, judged: 2, negatives: 1}
unanswerable: 0.3
"""
# A paragraph a language that no document of the sample has.
NEWS = {
    "de": "Seit dem Umbau steht neben der Ausgabe ein Wasserspender mit drei Hähnen. Er kühlt das Wasser auf 4 Grad.",
    "ru": "После ремонта рядом с раздачей стоит кулер с тремя кранами. Он охлаждает воду до четырёх градусов, 4 °C.",
    "zh": "改建以后，取餐口旁边放着一台有三个龙头的饮水机。它把水冷却到4度，每天早上由值班员清洗一次。",
}


def write_station(folder: Path) -> Path:
    """Write the documents and the settings; return the benchmark's folder."""
    for lang, size in LANGS.items():
        for name in NAMES:
            text = (SOURCES / lang / f"{name}.md").read_text(encoding="utf-8")
            write_folder(folder / "documents", {f"{name}.{lang}.md": text[: text.rindex("\n\n", 0, size)] + "\n"})
    return write_folder(folder / "bench", {"build.yaml": SETTINGS})


def counted() -> CannedModel:
    """The rules, under their own name, with the requests kept."""
    return CannedModel(
        lambda request: scripted_reply(request.messages, int(request.parameters.get("seed", 0))), name="scripted"
    )


def build(bench: Path, model: CannedModel | None = None) -> list[Request]:
    """Build, and return what was asked."""
    model = model or counted()
    assert run_build(context(bench, CannedBackend(models={"": model})), chosen_stages("all")) == 0
    return model.requests


def update(bench: Path, retire: Sequence[str] = (), model: CannedModel | None = None) -> list[Request] | None:
    """Update, and return what was asked; None if nothing has changed."""
    model = model or counted()
    work = context(bench, CannedBackend(models={"": model}))
    if not begin_update(work, retire):
        assert not model.requests
        return None
    assert run_build(work, chosen_stages("all")) == 0
    finish_update(work)
    return model.requests


def about(request: Request) -> tuple[str, str]:
    """Return language and id of what a request is about."""
    assert request.query is not None
    return request.query.lang, request.query.query_id


def insert(bench: Path, name: str, lang: str, at: int = 1) -> None:
    """Put the news of a language behind the first paragraphs of a document."""
    path = bench.parent / "documents" / f"{name}.{lang}.md"
    parts = path.read_text(encoding="utf-8").split("\n\n")
    path.write_text("\n\n".join([*parts[:at], NEWS[lang], *parts[at:]]), encoding="utf-8")


def shipped(bench: Path, kind: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Return what the benchmark has of a kind, by language and id."""
    key = {"queries": "query_id", "nuggets": "nugget_id", "corpus": "doc_id"}[kind]
    found = {}
    for path in sorted((bench / kind).glob("*.jsonl")):
        for line in path.read_bytes().splitlines():
            row = json.loads(line)
            found[path.stem, row[key]] = row
    return found


def rows_of(bench: Path, stage: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the rows of a stage by language and id."""
    lines = (bench / "build" / f"{stage}.jsonl").read_bytes().splitlines()
    return {(row["lang"], row["id"]): row for row in map(json.loads, lines)}


def changes(bench: Path) -> dict[str, Any]:
    """Return the changes of the last update."""
    value: dict[str, Any] = json.loads((bench / "build" / "changes.jsonl").read_bytes().splitlines()[-1])
    return value


def kept_chunks(bench: Path) -> set[tuple[str, str]]:
    """Return language and id of the chunks that are there."""
    return {key for key, row in rows_of(bench, "chunk").items() if row["decision"] == "kept"}


def pooled(bench: Path) -> dict[tuple[str, str], set[str]]:
    """Return the pooled documents of each query."""
    return {key: {one["doc_id"] for one in row["documents"]} for key, row in rows_of(bench, "pool").items()}
