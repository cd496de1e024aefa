"""Measure whether judge recall comes out as planted, on the sample's exhaustive nuggets.

    python studies/builder/judge_recall.py --out studies/builder/judge_recall.json

The sample says for every nugget which of its documents support it, and no others do. A judge that knows them errs on
purpose: of the supporting cells it calls a tenth not supporting, and for a twentieth it quotes what does not stand in
the document, either once, or however often it is asked. The builder's judge stage asks it about every document of the
sample, in batches, and about random documents outside a small pool, as a build does. Recall is the share of supporting
cells that the stage finds to support, of those that it has a label for; its Wilson interval should hold the planted
rate. Cells whose quotes stay wrong must end as missing, never as "no".
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ragaliq.benchmark.load import load_benchmark
from ragaliq.build.context import BuildContext
from ragaliq.build.model.planned import PlannedCalls
from ragaliq.build.stage_row import StageRow
from ragaliq.build.stages import judge
from ragaliq.build.validity.estimate import share_of
from ragaliq.build.workspace import Workspace
from ragaliq.llm import LLMSession, Reply, Request
from record import write

SAMPLE = Path(__file__).resolve().parents[2] / "data" / "velmora"
MISSED, WRONG_QUOTES = 0.10, 0.05
SEEDS = 20
# Documents of a query's pool in the second part: its gold; and how many random others are judged beside them.
NEGATIVES = 20
_TEXT = re.compile(r"^=====[0-9a-f]{16} ([A-Z]+)(?: (\d+))?\n(.*?)(?=^=====[0-9a-f]{16} |\Z)", re.MULTILINE | re.DOTALL)
Truth = Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class Sample:
    """The sample in English: document → text, query → nugget text → documents."""

    texts: dict[str, str]
    nuggets: dict[str, dict[str, frozenset[str]]]
    questions: dict[str, str]


class ErringJudge:
    """Knows which document supports which nugget, and errs as planted; the same cell errs in the same way."""

    name = "erring"

    def __init__(self, sample: Sample, seed: int, stubborn: bool) -> None:
        self._sample, self._seed, self._stubborn = sample, seed, stubborn
        self._doc_ids = {text.strip(): doc_id for doc_id, text in sample.texts.items()}
        self._asked: Counter[str] = Counter()
        self.planted: Counter[str] = Counter()

    def key(self, request: Request) -> str:
        """Return a key of the request."""
        return hashlib.sha256(json.dumps(list(request.messages), sort_keys=True).encode()).hexdigest()

    async def complete(self, request: Request, accept: Callable[[Reply], bool]) -> Reply:
        """Return the reply."""
        prompt = next(message["content"] for message in request.messages if message["role"] == "user")
        texts: dict[str, list[str]] = {}
        for label, _, text in _TEXT.findall(prompt):
            texts.setdefault(label, []).append(text.removesuffix("\n"))
        assert request.query is not None
        truth = self._sample.nuggets[request.query.query_id]
        documents = [(self._doc_ids[text.strip()], text) for text in texts["DOCUMENT"]]
        entries = [
            {"nugget": number, "reason": "known", "documents": [
                {"document": place, **self._cell(nugget, doc_id, text, truth[nugget])}
                for place, (doc_id, text) in enumerate(documents, start=1)
            ]}
            for number, nugget in enumerate(texts["NUGGET"], start=1)
        ]  # fmt: skip
        return Reply(json.dumps({"nuggets": entries}, ensure_ascii=False))

    def _cell(self, nugget: str, doc_id: str, text: str, supporting: frozenset[str]) -> dict[str, str]:
        if doc_id not in supporting:
            return {"label": "not_support", "quote": ""}
        cell = f"{self._seed}\0{nugget}\0{doc_id}"
        chance = int(hashlib.sha256(cell.encode()).hexdigest()[:12], 16) / 16**12
        first = not self._asked[cell]
        self._asked[cell] += 1
        self.planted["positives"] += first
        if chance < MISSED:
            self.planted["missed"] += first
            return {"label": "not_support", "quote": ""}
        if chance < MISSED + WRONG_QUOTES and (first or self._stubborn):
            self.planted["quotes"] += first
            return {"label": "support", "quote": "What nobody ever wrote into any document of this station."}
        return {"label": "support", "quote": text[: max(40, len(text) // 3)]}


@dataclass(frozen=True)
class OneModel:
    """A backend of one model."""

    model: ErringJudge

    def open(self, session: LLMSession, model: str = "", planned: PlannedCalls | None = None) -> ErringJudge:
        """Return the model."""
        return self.model


def main() -> int:
    """Measure, print, write the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, help="write the figures to this JSON file")
    options = parser.parse_args()
    sample = load_sample()
    everything = {query_id: sorted(sample.texts) for query_id in sample.nuggets}
    figures: dict[str, object] = {"planted": {"missed": MISSED, "wrong_quotes": WRONG_QUOTES}}
    for name, stubborn in (("quotes wrong once", False), ("quotes always wrong", True)):
        runs = [measured(sample, everything, seed, stubborn) for seed in range(SEEDS)]
        figures[name] = {
            "seeds": SEEDS,
            "intervals_that_hold_the_rate": sum(run["holds"] for run in runs),
            "cells_lost": sum(run["lost"] for run in runs),
            "missing_turned_into_no": sum(run["turned"] for run in runs),
            "first": runs[0],
        }
        print(name, figures[name], sep=": ")
    figures["random documents"] = at_random(sample)
    print("random documents", figures["random documents"], sep=": ")
    if options.out:
        write(options.out, figures)
        print(f"figures: {options.out}")
    return 0


def load_sample() -> Sample:
    """Return the sample's English part; of equal nuggets of a query one stays."""
    benchmark = load_benchmark(SAMPLE, ["en"])
    nuggets: dict[str, dict[str, frozenset[str]]] = {}
    for nugget in benchmark.nuggets["en"]:
        nuggets.setdefault(nugget.query_id, {})[nugget.text] = frozenset(nugget.doc_ids)
    questions = {item.query.query_id: item.query.text for item in benchmark.items["en"]}
    return Sample({chunk.doc_id: chunk.text for chunk in benchmark.chunks["en"]}, nuggets, questions)


def measured(sample: Sample, documents: Mapping[str, list[str]], seed: int, stubborn: bool) -> dict[str, Any]:
    """Return what the judge stage finds of a judge's supporting cells."""
    model = ErringJudge(sample, seed, stubborn)
    labels = judged(sample, documents, model)
    supporting = {
        (query_id, nugget, doc_id)
        for query_id, own in sample.nuggets.items()
        for nugget, doc_ids in own.items()
        for doc_id in doc_ids & set(documents[query_id])
    }
    counts = Counter(labels.get(cell, "lost") for cell in supporting)
    answered = len(supporting) - counts["missing"]
    recall = share_of(counts["support"], answered)
    assert recall.share is not None and recall.share.low is not None and recall.share.high is not None
    return {
        "cells": len(labels),
        "supporting": len(supporting),
        "found": counts["support"],
        "missing": counts["missing"],
        "recall": round(recall.share.value, 4),
        "interval": [round(recall.share.low, 4), round(recall.share.high, 4)],
        # Of the labelled cells a tenth of all is missed; cells without a label are no part of them.
        "holds": recall.share.low <= expected(stubborn) <= recall.share.high,
        "planted": dict(model.planted),
        "lost": counts["lost"],
        "turned": counts["not_support"] - model.planted["missed"],
    }


def expected(stubborn: bool) -> float:
    """Return the recall that is planted: of the cells that get a label."""
    labelled = 1 - WRONG_QUOTES if stubborn else 1.0
    return (labelled - MISSED) / labelled


def at_random(sample: Sample) -> dict[str, object]:
    """Return what random documents tell, as in a build: the pool is the gold of each query's first nugget alone."""
    documents = {}
    for query_id, own in sample.nuggets.items():
        pool = next(iter(own.values()))
        rest = sorted((doc_id for doc_id in sample.texts if doc_id not in pool), key=lambda d: draw(query_id, d))
        documents[query_id] = rest[:NEGATIVES]
    labels = judged(sample, documents, ErringJudge(sample, 0, False))
    found = {(query_id, doc_id) for (query_id, _, doc_id), label in labels.items() if label == "support"}
    truth = {(query_id, doc_id) for query_id, own in sample.nuggets.items() for doc_ids in own.values()
             for doc_id in doc_ids if doc_id in documents[query_id]}  # fmt: skip
    n = sum(map(len, documents.values()))
    share = share_of(len(found), n).share
    assert share is not None and share.low is not None and share.high is not None
    return {
        "documents": n,
        "truly_supporting": round(len(truth) / n, 5),
        "judged_supporting": round(share.value, 5),
        "interval": [round(share.low, 5), round(share.high, 5)],
    }


def draw(query_id: str, doc_id: str) -> str:
    """Return the place of a document in a drawn order."""
    return hashlib.sha256(f"{query_id}\0{doc_id}".encode()).hexdigest()


def judged(sample: Sample, documents: Mapping[str, list[str]], model: ErringJudge) -> dict[tuple[str, str, str], str]:
    """Return the label of each cell: query, nugget's text, document; the stage is asked twice, as a user would."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(Path(folder))
        workspace.settings_file.write_text("name: recall\njudge: {rounds: 2}\n", encoding="utf-8")
        chunks = [
            StageRow(doc_id, "en", {"source_id": doc_id, "start": 0, "end": len(text), "title": "", "text": text})
            for doc_id, text in sample.texts.items()
        ]
        workspace.write_rows("chunk", chunks)
        named = {
            query_id: {f"{query_id}_n{number}": text for number, text in enumerate(own, start=1)}
            for query_id, own in sample.nuggets.items()
        }
        workspace.write_rows("nuggets", [_nugget_row(sample, query_id, own) for query_id, own in named.items()])
        pools = [
            StageRow(query_id, "en", {"withheld": False, "documents": [{"doc_id": doc_id} for doc_id in doc_ids]})
            for query_id, doc_ids in documents.items()
        ]
        workspace.write_rows("pool", pools)
        context = BuildContext(workspace, LLMSession(cache=None), OneModel(model))  # type: ignore[arg-type]
        judge.judge(context)
        return {
            (row.value["query_id"], named[row.value["query_id"]][cell["nugget_id"]], cell["doc_id"]): cell["label"]
            for row in workspace.rows("judge")
            for cell in row.value["cells"]
        }


def _nugget_row(sample: Sample, query_id: str, named: Mapping[str, str]) -> StageRow:
    nuggets = [{"nugget_id": name, "text": text, "importance": "vital"} for name, text in named.items()]
    value = {"text": sample.questions[query_id], "reference": " ".join(named.values()), "nuggets": nuggets}
    return StageRow(query_id, "en", value)


if __name__ == "__main__":
    sys.exit(main())
