"""An index on disk by corpus size: time, memory and disk of building it, and the time of a query.

    python studies/scale/index.py --out studies/scale/index.json

Each size and language is built and asked in processes of its own, whose anonymous memory is watched: pages of mapped
files are the system's to drop. The vectors are drawn (`corpus.py`); what a model takes is measured apart, on 10,000
texts, with `--embedding`. Queries come one by one: BM25 over words, dense vectors, both fused.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median, quantiles

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from corpus import LANGS, DrawnEmbedder, chunks, queries

from ragaliq.retrieve.bm25 import K1, Analysis, B
from ragaliq.retrieve.hybrid import Bm25Retriever, DenseRetriever, HybridRetriever
from ragaliq.retrieve.index import exact, inverted
from ragaliq.retrieve.stored.build import CorpusSource, IndexPlan, build_index
from ragaliq.retrieve.stored.index import StoredIndex
from record import write

_HERE = Path(__file__).resolve().parent
SIZES = (10_000, 100_000, 1_000_000)
_WARM, _ASKED, _TOP = 120, 100, 20


def main() -> None:
    """Read the options; measure all sizes, or one of them in a process of its own."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=_HERE / "index.json", help="file of the figures")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="chunks of a language (10k, 100k, 1M)")
    parser.add_argument("--langs", default=",".join(LANGS), help="languages, each an index (en,ru,zh)")
    parser.add_argument("--embedding", action="store_true", help="time the shipped embedder on 10,000 texts, too")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        kind, lang, n, folder = options.child[:4]
        print(json.dumps(_build(lang, int(n), Path(folder)) if kind == "build" else
                         _ask(lang, int(n), Path(folder), kind == "compiled")))  # fmt: skip
        return
    rows: list[dict[str, object]] = []
    for n in map(int, options.sizes.split(",")):
        for lang in options.langs.split(","):
            with tempfile.TemporaryDirectory(prefix="index") as temp:
                rows.append({"n": n, "lang": lang, **_child("build", lang, n, temp)})
                for way in ("plain", "compiled"):
                    rows[-1][way] = _child(way, lang, n, temp)
            print(rows[-1], file=sys.stderr)
    figures: dict[str, object] = {"sizes": rows, "growth": _growth(rows)}
    if options.embedding:
        figures["embedding"] = _embedding()
    write(options.out, figures)
    print(f"figures: {options.out}")


def _growth(rows: Sequence[Mapping[str, object]]) -> dict[str, float]:
    """Return for each language the exponent with which index time grows from the smallest size to the greatest."""
    exponents = {}
    for lang in dict.fromkeys(str(row["lang"]) for row in rows):
        own = [row for row in rows if row["lang"] == lang]
        first, last = own[0], own[-1]
        if first is not last:
            times = float(str(last["index_s"])) / float(str(first["index_s"]))
            exponents[lang] = round(math.log(times) / math.log(float(str(last["n"])) / float(str(first["n"]))), 3)
    return exponents


def _child(kind: str, lang: str, n: int, folder: str) -> dict[str, object]:
    command = [sys.executable, str(Path(__file__)), "--child", kind, lang, str(n), folder]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    peak = _Peak(process.pid)
    out, _ = process.communicate()
    if process.returncode:
        raise SystemExit(f"{kind} {lang} {n}: failed")
    return {**json.loads(out.splitlines()[-1]), "peak_mb": peak.mb()}


class _Peak:
    """Watches the anonymous memory of a process."""

    def __init__(self, pid: int) -> None:
        self._status = Path(f"/proc/{pid}/status")
        self._most = 0
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while True:
            try:
                text = self._status.read_text(encoding="ascii")
            except OSError:
                return
            line = next((line for line in text.splitlines() if line.startswith("RssAnon:")), "")
            if not line:
                return
            self._most = max(self._most, int(line.split()[1]))
            time.sleep(0.02)

    def mb(self) -> int:
        """Return the most, in MB, once the process has ended."""
        self._thread.join()
        return round(self._most / 1000)


def _build(lang: str, n: int, folder: Path) -> dict[str, object]:
    plan = IndexPlan({"name": "drawn", "hash": str(n)}, ((Analysis(), K1, B),), DrawnEmbedder(), True, {})
    start, cpu = time.perf_counter(), time.process_time()
    build_index(folder / "index", [CorpusSource(lang, lambda: chunks(lang, n), lambda: "drawn")], plan)
    wall, used = time.perf_counter() - start, time.process_time() - cpu
    start = time.perf_counter()
    for _ in chunks(lang, n):
        pass
    drawing = time.perf_counter() - start
    disk = sum(path.stat().st_size for path in (folder / "index").rglob("*") if path.is_file())
    text = (folder / "index" / lang / "chunks.jsonl").stat().st_size
    return {
        "index_s": round(wall - drawing, 2), "cpu_s": round(used - drawing, 2), "drawing_s": round(drawing, 2),
        "disk_mb": round(disk / 1e6, 1), "text_mb": round(text / 1e6, 1),
    }  # fmt: skip


def _ask(lang: str, n: int, folder: Path, compiled: bool) -> dict[str, object]:
    if not compiled:
        exact.COMPILE_AFTER = inverted.COMPILE_AFTER = sys.maxsize
    start = time.perf_counter()
    stored = StoredIndex(folder / "index")
    embedder = DrawnEmbedder()
    retrievers = {
        "bm25": Bm25Retriever(),
        "dense": DenseRetriever(embedder),
        "hybrid": HybridRetriever(embedder, channels=["words", "vectors"]),
    }
    for retriever in retrievers.values():
        retriever.index(stored.corpora[lang])
    figures: dict[str, object] = {"open_s": round(time.perf_counter() - start, 3)}
    asked = queries(lang, n, _WARM + _ASKED)
    for name, retriever in retrievers.items():
        times = []
        for query in asked:
            start = time.perf_counter()
            retriever.retrieve(query, _TOP)
            times.append((time.perf_counter() - start) * 1000)
        warm = times[_WARM:]
        figures[name] = {"p50_ms": round(median(warm), 2), "p95_ms": round(quantiles(warm, n=20)[-1], 2)}
    return figures


def _embedding() -> dict[str, object]:
    """Return what the shipped encoder takes for the texts of 10,000 chunks."""
    from ragaliq.retrieve import Side
    from ragaliq.retrieve.embed.use_multilingual import UseMultilingualEmbedder

    embedder, texts = UseMultilingualEmbedder(), [chunk.text for chunk in chunks("en", 10_000)]
    embedder.embed(texts[:1], Side.PASSAGE)
    start, cpu = time.perf_counter(), time.process_time()
    embedder.embed(texts, Side.PASSAGE)
    wall, used = time.perf_counter() - start, time.process_time() - cpu
    return {"texts": len(texts), "wall_s": round(wall, 1), "cpu_s": round(used, 1)}


if __name__ == "__main__":
    main()
