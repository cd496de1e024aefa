"""A benchmark's statistics per language."""

from __future__ import annotations

from collections import Counter
from statistics import fmean

from ragaliq.corpus.benchmark import Benchmark


def statistics_table(benchmark: Benchmark) -> str:
    """Return a Markdown table: counts of chunks, queries, types and nuggets, and mean lengths in code points."""
    import pandas

    rows = []
    for lang in benchmark.languages:
        chunks, items, nuggets = benchmark.chunks[lang], benchmark.items[lang], benchmark.nuggets[lang]
        answerable = [item for item in items if item.answerable]
        gold = [len({doc_id for group in item.gold for doc_id in group}) for item in answerable]
        rows.append(
            {
                "lang": lang,
                "chunks": len(chunks),
                "chunk chars": f"{fmean(len(chunk.text) for chunk in chunks):.0f}",
                "queries": len(items),
                "unanswerable": len(items) - len(answerable),
                "query chars": f"{fmean(len(item.query.text) for item in items):.0f}",
                "reference chars": f"{fmean(len(item.reference) for item in items):.0f}",
                "gold chunks/query": f"{fmean(gold):.2f}" if gold else "—",
                "nuggets": len(nuggets),
                "nuggets/query": f"{len(nuggets) / len(answerable):.2f}" if answerable else "—",
                "types": ", ".join(f"{kind} {n}" for kind, n in sorted(Counter(item.type for item in items).items())),
            }
        )
    return str(pandas.DataFrame(rows).astype(str).to_markdown(index=False, disable_numparse=True))
