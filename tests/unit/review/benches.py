"""A benchmark in six languages with judgements of nuggets, for a person to judge; translated here or not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from ragaliq.benchmark.load import load_benchmark
from ragaliq.build.parity.parity_rows import ItemShift, ParityRows, keep_parity
from ragaliq.build.stage_row import StageRow, content_hash
from ragaliq.build.workspace import Workspace
from ragaliq.review.labels import LabelFile, label_file
from ragaliq.review.session import Session
from ragaliq.review.sheets import Choice, make_sheets
from ragaliq.review.sources.benchmark import BenchmarkSource
from ragaliq.review.values import ReviewTask
from ragaliq.storage.files import read_jsonl, write_atomic, write_jsonl
from small import CHUNKS, LANGS, QUERIES, write_small

AT = "2026-03-01T10:00:00+00:00"
# A chunk of two segments, where the benchmark is translated here.
TWO = {
    "en": ("A night on a tent pitch costs 14 euros for each adult.", "Children under six stay for free."),
    "de": ("Eine Nacht auf einem Zeltplatz kostet 14 Euro für jeden Erwachsenen.",
           "Kinder unter sechs Jahren sind frei."),
    "fr": ("Une nuit sur un emplacement de tente coûte 14 euros par adulte.",
           "C'est gratuit pour les moins de six ans."),
    "es": ("Una noche en una parcela para tienda cuesta 14 euros por adulto.",
           "Los niños menores de seis años no pagan."),
    "ru": ("Ночь на месте для палатки стоит 14 евро для каждого взрослого.", "Дети до шести лет живут бесплатно."),
    "zh": ("在帐篷区住一晚，每位成人收费14欧元。", "六岁以下儿童免费。"),
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


def translate_here(folder: Path, lang: str = "de", more: Sequence[tuple[str, str]] = ()) -> Path:
    """Leave what `ragaliq build translate` reads and writes for one language; chunk stay-02 becomes that of `TWO`.

    A segment for each text, of that chunk two; `more` are further segments with their translations.
    """
    number = LANGS.index(lang)
    texts = {doc_id: (rows[0], rows[number]) for doc_id, rows in CHUNKS.items()}
    texts["stay-02"] = " ".join(TWO["en"]), " ".join(TWO[lang])
    pairs = list(zip(TWO["en"], TWO[lang], strict=True))
    pairs += [pair for doc_id, pair in texts.items() if doc_id != "stay-02"]
    pairs += [pair for _, _, rows in QUERIES.values() for pair in zip(rows[0], rows[number], strict=True)]
    workspace = Workspace(folder)
    segments = [{"source": source, "target": target, "status": "translated"} for source, target in [*pairs, *more]]
    workspace.write_rows("translate", [StageRow("all", lang, {"segments": segments})])
    queries = []
    for query_id, (_, gold, rows) in QUERIES.items():
        text, reference, *facts = rows[0]
        nuggets = [{"nugget_id": f"{query_id}-{n}", "text": fact} for n, fact in enumerate(facts, start=1)]
        value = {"text": text, "reference": reference, "answerable": bool(gold), "nuggets": nuggets, "withheld": []}
        queries.append(StageRow(query_id, "en", value))
    workspace.write_rows("filter", queries)
    write_texts(folder, lang, texts)
    return folder


def write_texts(folder: Path, lang: str, texts: Mapping[str, tuple[str, str]]) -> None:
    """Give all chunks a text in English and one in another language, in the benchmark and in the build's rows."""
    workspace = Workspace(folder)
    for place, code in enumerate(("en", lang)):
        path = folder / "corpus" / f"{code}.jsonl"
        rows = [row | {"text": texts[row["doc_id"]][place]} for _, row in read_jsonl(path)]
        write_jsonl(path, [{**row, "end": row["start"] + len(row["text"])} for row in rows])
    documents, chunks = [], []
    for doc_id, (text, _) in texts.items():
        source_id = f"{doc_id}.md"
        write_atomic(workspace.build / "documents" / source_id, text.encode())
        inputs = content_hash(["ingest", source_id, text, "en"])
        documents.append(StageRow(source_id, "en", {"kind": "prose"}, inputs=inputs))
        value = {"source_id": source_id, "start": 0, "end": len(text), "title": "", "text": text}
        chunks.append(StageRow(doc_id, "en", value))
    workspace.write_rows("ingest", documents)
    workspace.write_rows("chunk", chunks)
    workspace.finish("translate", "", ("ingest", "chunk", "filter"))


def write_parity(folder: Path, flagged: Sequence[tuple[str, str]]) -> None:
    """Flag items by language and query."""
    rows = [
        ItemShift(query_id, lang, -0.4, 0.01, (lang, query_id) in flagged) for lang in LANGS for query_id in QUERIES
    ]
    keep_parity(folder, load_benchmark(folder).hash, ParityRows(31, len(QUERIES), rows))


@contextmanager
def bench_session(
    folder: Path, task: ReviewTask, choice: Choice | None = None, rater: str = "ada", at: str = AT
) -> Iterator[Session]:
    """A session on a benchmark, at a clock that stands still."""
    source = BenchmarkSource(folder)
    with LabelFile(label_file(folder, rater)) as labels:
        yield Session(source, make_sheets(source, task, choice or Choice()), task, rater, labels, lambda: at)
