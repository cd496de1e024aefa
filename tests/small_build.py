"""Three documents in three scripts, a build of them in this process, and what a build leaves."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fakes import Scripted
from ragaliq.build.context import BuildContext
from ragaliq.build.model.backend import Backend
from ragaliq.build.model.scripted import scripted_reply
from ragaliq.build.pipeline import chosen_stages, run_build
from ragaliq.build.workspace import Workspace
from ragaliq.llm import LLMSession

ASKING = ("generate", "critique", "nuggets", "closed-book", "judge")
STAGES = (
    "ingest", "chunk", "generate", "critique", "dedupe", "nuggets", "closed-book", "pool", "judge", "filter", "export",
)  # fmt: skip
DOCUMENTS = {
    "handbuch.md": "# Werkstatt\n\nDie Werkstatt öffnet montags um 08:30 Uhr und schließt um 17:00 Uhr. Jede Maschine "
    "wird alle 14 Tage von Frau Özdemir geprüft. Schutzbrillen, Handschuhe, Schürzen liegen im roten Schrank.\n\n"
    "## Lager\n\nIm Lager liegen höchstens 250 Bretter aus Eichenholz. Der Schlüssel zum Lager hängt beim Pförtner im "
    "Erdgeschoss. Wer Lack braucht, meldet sich drei Tage vorher bei der Leitung.\n",
    "порядок.txt": "Библиотека работает ежедневно с 09:15 до 20:45 без перерыва на обед. Читатель получает на руки не "
    "более 7 книг одновременно.\n\nПотерянную книгу читатель заменяет такой же или платит 1200 рублей. Зал редких "
    "изданий находится на третьем этаже рядом с лестницей. Сумки, зонты, пальто сдают в гардероб у входа.\n",
    "手册.md": "# 植物园\n\n植物园每天早上08:00开门，晚上19:30关门。温室里一共种着320种兰花，由园艺师李明照看。\n\n"
    "## 门票\n\n成人门票的价格是45元，学生凭证件只需要20元。团体参观必须提前5天打电话预约。"
    "食物、饮料、宠物都不能带进温室。\n",
}
SETTINGS = """\
name: small
version: "1"
sources:
  - path: ../documents
languages: []
chunk: {max_tokens: 90}
generate: {queries: 5, per_chunk: 4}
critique: {votes: 1, rewrites: 1}
pool: {retrievers: [bm25, char], depth: 20, judged: 3, negatives: 1}
unanswerable: 0.4
"""


def write_documents(folder: Path) -> Path:
    """Write the documents beside `folder/bench`, which gets its `build.yaml`; return that."""
    for name, text in DOCUMENTS.items():
        (folder / "documents").mkdir(parents=True, exist_ok=True)
        (folder / "documents" / name).write_text(text, encoding="utf-8")
    (folder / "bench").mkdir(exist_ok=True)
    (folder / "bench" / "build.yaml").write_text(SETTINGS, encoding="utf-8")
    return folder / "bench"


def context(bench: Path, backend: Backend | None = None, session: LLMSession | None = None) -> BuildContext:
    """Return what a call of the builder works with."""
    return BuildContext(Workspace(bench), session or LLMSession(), backend or Backend())


def build(bench: Path, stage: str = "all", backend: Backend | None = None, session: LLMSession | None = None) -> int:
    """Build, and return how many items failed."""
    return run_build(context(bench, backend, session), chosen_stages(stage))


def artifacts(bench: Path, *left_out: str) -> dict[str, bytes]:
    """Return all files of a build but its state; of rows and traces without the keys that are left out.

    Tokens that are left out are in the quality report, too.
    """
    files = {}
    for path in sorted(path for path in bench.rglob("*") if path.is_file()):
        name, data = path.relative_to(bench).as_posix(), path.read_bytes()
        if name == "build/state.json":
            continue
        if left_out and name.startswith("build/") and name.endswith(".jsonl"):
            kept = (json.loads(line).items() for line in data.splitlines())
            left = ({key: value for key, value in row if key not in left_out} for row in kept)
            data = "\n".join(json.dumps(row, ensure_ascii=False) for row in left).encode()
        if "usage" in left_out and name == "report.json":
            figures = json.loads(data)
            data = json.dumps(figures | {"calls": [{"stage": one["stage"]} for one in figures["calls"]]}).encode()
        if "usage" in left_out and name == "report.md":
            continue
        files[name] = data
    return files


def rows(bench: Path, stage: str) -> list[dict[str, Any]]:
    """Return the rows of a stage."""
    return [json.loads(line) for line in (bench / "build" / f"{stage}.jsonl").read_bytes().splitlines()]


def change(bench: Path, old: str, new: str) -> None:
    """Replace a text of `build.yaml`."""
    text = (bench / "build.yaml").read_text(encoding="utf-8")
    assert old in text
    (bench / "build.yaml").write_text(text.replace(old, new), encoding="utf-8")


def scripted_endpoint(request: Mapping[str, Any], number: int) -> Scripted:
    """Serve the rules in the place of a model."""
    return Scripted(scripted_reply(request["messages"], request.get("seed", 0)))
