"""A benchmark in six languages with judgements of nuggets, for a person to judge; translated here or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ragaliq.benchmark.load import load_benchmark
from ragaliq.build.stage_row import StageRow, row_to_json
from ragaliq.review.labels import LabelFile, label_file
from ragaliq.review.session import Session
from ragaliq.review.sheets import Choice, make_sheets
from ragaliq.review.sources.benchmark import BenchmarkSource
from ragaliq.review.values import ReviewTask
from ragaliq.storage.files import write_json, write_jsonl
from small import CHUNKS, LANGS, QUERIES, write_small

AT = "2026-03-01T10:00:00+00:00"
# A chunk of two segments.
TWO = {
    "en": ("A night on a tent pitch costs 14 euros for each adult;", "children under six stay for free."),
    "de": ("Eine Nacht auf einem Zeltplatz kostet 14 Euro für jeden Erwachsenen;",
           "Kinder unter sechs Jahren sind frei."),
}  # fmt: skip


def write_bench(folder: Path) -> Path:
    """Each nugget is supported by its chunk and judged against two others, `lake-04` and `food-01`."""
    write_small(folder)
    for lang in LANGS:
        lines = []
        for query_id, (_, gold, _) in QUERIES.items():
            for number, doc_id in enumerate(gold, start=1):
                others = [other for other in ("lake-04", "food-01") if other != doc_id]
                cells = [(doc_id, 1), *((other, 0) for other in others)]
                lines += [f"{query_id} {query_id}-{number} {name} {label}\n" for name, label in sorted(cells)]
        (folder / "nugget_qrels").mkdir(exist_ok=True)
        (folder / "nugget_qrels" / f"{lang}.tsv").write_text("".join(lines), encoding="utf-8")
    return folder


def translate_here(folder: Path, lang: str = "de") -> Path:
    """Leave the rows of `ragaliq build translate` for one language: a segment for each text, of one chunk two."""
    number = LANGS.index(lang)
    pairs = list(zip(TWO["en"], TWO[lang], strict=True))
    pairs += [(texts[0], texts[number]) for doc_id, texts in CHUNKS.items() if doc_id != "stay-02"]
    pairs += [pair for _, _, rows in QUERIES.values() for pair in zip(rows[0], rows[number], strict=True)]
    segments = [{"source": source, "target": target, "status": "translated"} for source, target in pairs]
    write_jsonl(folder / "build" / "translate.jsonl", [row_to_json(StageRow("all", lang, {"segments": segments}))])
    return folder


def write_parity(folder: Path, flagged: Sequence[tuple[str, str]]) -> None:
    """Flag items by language and query."""
    rows = [
        {"query_id": query_id, "lang": lang, "shift": -0.4, "p": 0.01, "flagged": (lang, query_id) in flagged}
        for lang in LANGS
        for query_id in QUERIES
    ]
    write_jsonl(folder / "build" / "parity.jsonl", rows)
    write_json(folder / "build" / "parity.json", {"benchmark": load_benchmark(folder).hash})


@contextmanager
def bench_session(
    folder: Path, task: ReviewTask, choice: Choice | None = None, rater: str = "ada", at: str = AT
) -> Iterator[Session]:
    """A session on a benchmark, at a clock that stands still."""
    source = BenchmarkSource(folder)
    with LabelFile(label_file(folder, rater)) as labels:
        yield Session(source, make_sheets(source, task, choice or Choice()), task, rater, labels, lambda: at)
