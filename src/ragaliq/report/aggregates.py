"""The output of `ragaliq aggregate`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragaliq.aggregate.summary import Summary
from ragaliq.compare.file_ranks import FileRanks
from ragaliq.compare.sources.summaries import ValueSummaries
from ragaliq.metrics.statistics.ranks.rank_sets import RankSet
from ragaliq.report.format import NONE, bullets, csv_text, escaped, markdown, number, ranks
from ragaliq.report.value_aggregates import value_objects, value_rows, value_tables
from ragaliq.storage.files import json_text

_VALUES = (
    "scored: items with a value of those that should be there. ci95: of the mean, over items. bounds: the mean if all "
    "missing items had the least, or the greatest value; bounds_ci95: within which it is with 95 % certainty whatever "
    f"they had; {NONE} where the range is not known (--range LO,HI). "
    "rank_ci: the ranks that the data leave open."
)


# Keys whose value is an interval.
_ENDS = (
    "weighted_score_ci", "weighted_score_bounds", "weighted_score_bounds_ci", "language_consistency_ci",
    "new_sample_ci",
)  # fmt: skip


def render_aggregates(
    summaries: Sequence[tuple[str, Summary]],
    form: str,
    ranked: FileRanks | None = None,
    others: ValueSummaries | None = None,
) -> str:
    """Return summaries, each with the name of its file, as `json`, `csv` or `md`.

    `ranked` holds the ranks that the data leave open, by file and language, and the footnotes of `md`; `others` are
    other tools' files, which come after the grades. `csv` holds one of the two.
    """
    ranked = ranked or FileRanks({}, {}, {})
    values = others.rows if others else ()
    notes = (*ranked.notes, *(others.notes if others else ()))
    objects = [
        {
            "file": name,
            **summary.to_json(),
            "rank_ci": _ends(ranked.placed.get((name, summary.lang))),
            "selection_frequency": ranked.selection.get((name, summary.lang)),
            "new_sample_ci": summary.aggregates.new_sample_ci,
        }
        for name, summary in summaries
    ]
    if form == "json":
        return json_text([*objects, *value_objects(values)])
    rows = [_flat(row) for row in objects]
    if form == "csv":
        return csv_text(rows or value_rows(values))
    if not rows:
        return "\n\n".join([*value_tables(values), _VALUES, *([bullets(notes)] if notes else [])])
    scale = "weighted_score: mean_weight squared; mean_nonzero: mean grade of the grades above 0, 1 to 5."
    if ranked.notes:
        scale += (
            " rank_ci: the ranks that the data leave open, with 95 % certainty for all languages together; what cannot "
            "be told apart need not be equal; a detectable difference is seen with a chance of 80 %. "
            "selection_frequency: how often the file comes first when the queries are drawn again, which is not a "
            "probability of being best. new_sample_ci: 95 % interval of weighted_score on as many other queries."
        )
    more = ["# Other tools' files", *value_tables(values), _VALUES] if values else []
    return "\n\n".join([*_tables(rows), scale, *more, *([bullets(notes)] if notes else [])])


def _columns(row: Mapping[str, Any]) -> list[str]:
    """Return the keys of a row with the mean weight beside its square."""
    keys = [key for key in row if key != "mean_weight"]
    place = keys.index("weighted_score") + 1
    return [*keys[:place], "mean_weight", *keys[place:]]


def _tables(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return one table, or one for each of several languages where one of them has several files."""
    cells = [{key: _cell(row[key]) for key in _columns(row)} for row in rows]
    by_lang: dict[str, list[dict[str, str]]] = {}
    for row in cells:
        by_lang.setdefault(row["lang"], []).append(row)
    if len(by_lang) == 1 or max(map(len, by_lang.values()), default=1) == 1:
        return [markdown(cells)]
    return [part for lang, own in by_lang.items() for part in (escaped(f"## {lang or NONE}"), markdown(own))]


def _ends(rank_set: RankSet | None) -> list[int] | None:
    return None if rank_set is None else [rank_set.low, rank_set.high]


def _cell(value: Any) -> str:
    if value is None:
        return NONE
    return number(value) if isinstance(value, float) else str(value)


def _both(key: str, ends: Sequence[float] | None) -> dict[str, float | None]:
    low, high = ends or (None, None)
    return {f"{key}_low": low, f"{key}_high": high}


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """Return an aggregate object as one row of a table."""
    flat: dict[str, Any] = {}
    for key, value in row.items():
        if key == "counts":
            flat.update(value)
        elif key in _ENDS:
            flat |= _both(key, value)
        elif key == "rank_ci":
            flat[key] = None if value is None else ranks(*value)
        elif key == "abstention":
            own = value or {}
            for name in ("precision", "recall"):
                flat |= {f"abstention_{part}": own.get(part) for part in (name, f"{name}_n")}
                flat |= _both(f"abstention_{name}_ci", own.get(f"{name}_ci"))
            flat["abstention_f1"] = own.get("f1")
        else:
            flat[key] = value
    return flat
