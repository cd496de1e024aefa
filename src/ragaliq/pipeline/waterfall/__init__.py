"""The failure waterfall of a run: which stage loses a query's gold, and what the reader answers from other contexts.

`gold` says what became of one group of gold, `gold_texts` has its texts, `located` reads the run's files for it,
`conditions` asks reader and judge again, `waterfall` is the stage that writes `waterfall.jsonl`, `planned` says what it
would show to the reader.
"""

__all__ = ["planned", "waterfall"]
