"""The language × language matrices of results.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ragaliq.aggregate.cross_lingual import RECALL_DEPTH, Cell, Matrix, Share
from ragaliq.report.format import NONE, between, escaped, markdown, thousandths
from ragaliq.report.markdown.tables.systems import TEXTS


def matrix_section(matrix: Matrix) -> str:
    """Return a section of Markdown; an undefined cell is a dash."""
    parts = [
        escaped(f"## {_title(matrix.system)}"),
        "Rows: language of the queries. Columns: language of the documents. Mean weight (graded/expected):",
        _table(matrix, _mean_weight),
    ]
    if matrix.has_own:
        parts += [
            "Difference to the language's own documents (ci95; queries with a grade in both):",
            _table(matrix, _difference),
        ]
    if matrix.has_gold:
        parts += [
            f"Recall: all gold among the first {RECALL_DEPTH} documents retrieved (queries):",
            _table(matrix, lambda cell: _share(cell.retrieved)),
            "All gold among the documents shown to the reader (queries):",
            _table(matrix, lambda cell: _share(cell.shown)),
        ]
    else:
        parts.append(escaped(f"No recall: {matrix.data} has no gold of this version at hand."))
    if matrix.left_out:
        parts.append(escaped(f"Not shown, because they repeat runs that are: {', '.join(matrix.left_out)}"))
    return "\n\n".join(parts)


def _table(matrix: Matrix, text: Callable[[Cell], str]) -> str:
    def cell_text(lang: str, column: str) -> str:
        cell = matrix.cells.get((lang, column))
        return NONE if cell is None else text(cell)

    return markdown(
        [{"queries": lang} | {column: cell_text(lang, column) for column in matrix.columns} for lang in matrix.rows],
        texts=TEXTS,
    )


def _mean_weight(cell: Cell) -> str:
    return f"{thousandths(cell.mean_weight)} ({cell.n_graded}/{cell.n_expected})"


def _difference(cell: Cell) -> str:
    own = cell.over_own
    if own is None:
        return NONE
    return f"{thousandths(own.difference, sign=True)} ({between(own.interval, sign=True)}; {own.n})"


def _share(share: Share | None) -> str:
    return NONE if share is None else f"{thousandths(share.value)} ({share.n})"


def _title(system: Mapping[str, Any]) -> str:
    parts = [":".join(filter(None, (system[part]["kind"], system[part].get("model", ""))))
             for part in ("reader", "retriever", "embedder", "reranker")]  # fmt: skip
    return ", ".join(parts)
