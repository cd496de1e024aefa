"""Measure how far the builder's scripted questions are from people's questions, on XQuAD in de, en, ru and zh.

    python studies/builder/xquad.py --out studies/builder/xquad.json

The paragraphs are the documents; the builder writes its questions from them by rules (`--backend scripted`), and
`certify` compares these with the questions that people asked on the same paragraphs. For control the certificate's
comparison is made once more with half of the people's questions in the place of the built ones, which are then of the
kind that they should be: the distance it finds is the method's own.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from ragaliq.benchmark.collections import load_collections
from ragaliq.benchmark.load import load_benchmark
from ragaliq.build.validity.certificate import ValidityCertificate, certify_benchmark
from ragaliq.build.validity.configurations import MEASURES, ConfigurationScores
from ragaliq.build.validity.discrimination import discriminative_power
from ragaliq.build.validity.human_questions import read_human_questions
from ragaliq.build.validity.rank_agreement import rank_agreement
from ragaliq.cli import main as ragaliq
from ragaliq.formats.reading.collection import Collection
from ragaliq.storage.files import write_jsonl
from ragaliq.types import Query
from record import write

SHARED = Path(os.environ.get("RAGALIQ_SHARED_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
# One chunk a paragraph; nothing is withheld, since people asked about all of them; a small pool, since only the ranking
# of retrievers counts here.
SETTINGS = """\
name: xquad-{lang}
sources: [{{path: ../documents-{lang}, name: p}}]
languages: [{lang}]
chunk: {{max_tokens: 4096}}
generate: {{queries: {queries}, per_chunk: 3}}
unanswerable: 0
pool: {{retrievers: [bm25, char], judged: 4, negatives: 1}}
"""


def main() -> int:
    """Build, certify, write the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=SHARED / "xquad", help="the XQuAD files")
    parser.add_argument("--queries", type=int, default=400, help="candidates a language (400)")
    parser.add_argument("--out", type=Path, help="write the figures to this JSON file")
    options = parser.parse_args()
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for lang, collection in sorted(load_collections(options.data).items()):
            bench, human = prepared(Path(folder), lang, collection, options.queries)
            if ragaliq(["build", "all", "--bench", str(bench), "--no-traces", "--no-cache"]):
                return 1
            figures[lang] = {
                "built": shown(certify_benchmark(bench, human), lang),
                "built, matched to people's": shown(certify_benchmark(bench, human, "human"), lang),
                "control: half of people's": control(bench, human, lang),
            }
            print(lang, json.dumps(figures[lang], ensure_ascii=False), file=sys.stderr)
    if options.out:
        write(options.out, {"queries": options.queries, "languages": figures})
        print(f"figures: {options.out}")
    return 0


def prepared(folder: Path, lang: str, collection: Collection, queries: int) -> tuple[Path, Path]:
    """Write documents, settings and people's questions; return the benchmark's folder and the questions' file."""
    documents, bench = folder / f"documents-{lang}", folder / f"bench-{lang}"
    documents.mkdir()
    bench.mkdir()
    texts = {chunk.doc_id: chunk.text for chunk in collection.chunks()}
    for number, text in enumerate(texts.values()):
        (documents / f"{number:04}.txt").write_text(text, encoding="utf-8")
    (bench / "build.yaml").write_text(SETTINGS.format(lang=lang, queries=queries), encoding="utf-8")
    rows = [
        {"query_id": query.query_id, "lang": lang, "question": query.text, "quote": texts[doc_id]}
        for query in collection.queries
        for doc_id, relevance in collection.qrels[query.query_id].items()
        if relevance > 0
    ]
    human = folder / f"human-{lang}.jsonl"
    write_jsonl(human, rows)
    return bench, human


def control(bench: Path, human: Path, lang: str) -> dict[str, object]:
    """Return the figures of one half of the people's questions beside the other one."""
    benchmark = load_benchmark(bench)
    questions = read_human_questions(human, benchmark.chunks).questions
    order = np.random.default_rng(0).permutation(len(questions))
    qrels = {one.question_id: dict.fromkeys(one.doc_ids, 1) for one in questions}
    scorer = ConfigurationScores(lang, benchmark.chunks[lang])
    scores = scorer.scores([Query(one.question_id, lang, one.text) for one in questions], qrels)
    one, two = order[: len(order) // 2], order[len(order) // 2 :]
    return {
        measure: figures_of(
            [asdict(row) for row in rank_agreement(measure, values[:, one], values[:, two])],
            asdict(discriminative_power(measure, values[:, one], values[:, two])),
        )
        for measure, values in ((measure, scores[measure]) for measure in MEASURES)
    }


def shown(certificate: ValidityCertificate, lang: str) -> dict[str, object]:
    """Return what of a certificate belongs into the figures."""
    (one,) = (row for row in certificate.languages if row.lang == lang)
    found: dict[str, object] = {"n_built": one.built, "n_human": one.human, "configurations": one.distinct}
    if one.matching is not None:
        found["balance"] = {row.feature: [rounded(row.before), rounded(row.after)] for row in one.matching.balance}
    for power in one.discrimination:
        rows = [asdict(row) for row in one.agreement if row.measure == power.measure]
        found[power.measure] = figures_of(rows, asdict(power))
    return found


def figures_of(agreement: list[dict[str, Any]], power: Mapping[str, Any]) -> dict[str, object]:
    """Return the figures of one measure."""
    found: dict[str, object] = {}
    for row in agreement:
        found[row["coefficient"]] = {
            "half": row["half"],
            **{key: interval(row[key]) for key in ("value", "ceiling", "built", "distance")},
            "verdict": row["verdict"],
        }
    found["told apart"] = {key: rounded(power[key]) for key in ("n", "built", "human", "disagreements")}
    return found


def interval(estimate: Mapping[str, float | None] | None) -> list[float | None] | None:
    """Return value, low and high."""
    return None if estimate is None else [rounded(estimate[key]) for key in ("value", "low", "high")]


def rounded(value: float | None) -> float | None:
    """Return a value to three digits."""
    return None if value is None else round(value, 3)


if __name__ == "__main__":
    sys.exit(main())
