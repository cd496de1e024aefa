"""A leaderboard as tables for people, as CSV for spreadsheets, as JSON for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragaliq.compare.leaderboard.table import Leaderboard, LeaderboardRow, Placing
from ragaliq.metrics.statistics.ranks.rank_sets import RankSet
from ragaliq.report.format import (
    NONE,
    between,
    bold_if,
    bullets,
    csv_text,
    digits,
    escaped,
    markdown,
    named,
    plus_minus,
    ranks,
    seconds,
    short,
    span,
    with_interval,
)
from ragaliq.storage.files import json_text

_TEXTS = ("system", "errors")
_SHRUNKEN = (
    "Shrunken scores by language: of what makes a system better in one language than in another, {kept:.0%} is kept; "
    "the rest is what sampling queries explains."
)
# Names listed in the sentence.
_NAMED = 5


def render_leaderboard(board: Leaderboard, form: str) -> str:
    """Return a leaderboard as `md`, `csv` or `json`: the sentence first, the systems, what they took, the legend."""
    if form == "json":
        return json_text(_to_json(board))
    if form == "csv":
        return csv_text([_flat(row, board) for row in board.rows])
    parts = [escaped(leaderboard_sentence(board)), *([bullets(board.warnings)] if board.warnings else [])]
    parts += [markdown([_cells(row, board) for row in board.rows], texts=_TEXTS)]
    lossy = any(row.total.lost.bounds for row in board.rows)
    parts += [markdown([_beside(row, lossy) for row in board.rows], texts=_TEXTS)]
    if board.kept is not None:
        parts += [
            _SHRUNKEN.format(kept=board.kept),
            markdown([_shrunken(row, board) for row in board.rows], texts=_TEXTS),
        ]
    return "\n\n".join([*parts, bullets([*_legend(board), *board.notes])])


def leaderboard_sentence(board: Leaderboard) -> str:
    """Return who comes first for certain, or which systems may."""
    count, leading = board.n_ranked, board.leading
    if len(board.rows) == 1:
        return f"One system: {board.rows[0].name}."
    if count < 2:
        return f"The order of these {len(board.rows)} systems is not a ranking: {_why_unranked(board)}."
    everyone = "both" if count == 2 else f"all {count}"
    all_of_them = everyone if count == len(board.rows) else f"the {count} ranked systems"
    on = f"on the {board.n_shared} {_answers(board)} that {all_of_them} have a value for"
    if len(leading) == 1:
        return f"{leading[0]} is better than every other system for certain (95 %), {on}."
    if len(leading) == count:
        return f"Which of the {count} systems is the best cannot be told, {on}."
    behind = [row.name for row in board.rows if row.total.rank is not None and row.name not in leading]
    are = "is" if len(behind) == 1 else "are"
    return (
        f"Which of {len(leading)} systems is the best cannot be told: {named(leading, _NAMED)}; "
        f"{named(behind, _NAMED)} {are} not the best for certain (95 %), {on}."
    )


def _why_unranked(board: Leaderboard) -> str:
    if board.warnings:
        return "; ".join(board.warnings)
    if not board.shared:
        return "no language is in all of them"
    if not board.joined:
        return "queries of several languages cannot be joined without ids; --lang takes one language"
    return "they share fewer than two queries"


def _answers(board: Leaderboard) -> str:
    return "queries" if len(board.shared) == 1 else f"answers in {len(board.shared)} languages"


def _score(board: Leaderboard) -> str:
    squared = any(row.total.squared for row in board.rows)
    return "weighted score" if squared else board.metric.name.replace("_", " ")


def _cells(row: LeaderboardRow, board: Leaderboard) -> dict[str, str]:
    total = row.total
    certain = total.rank is not None and total.rank.first and board.n_ranked > 1
    return {
        "system": row.name,
        f"{_score(board)} (ci95)": bold_if(certain, with_interval(total.score, total.score_interval)),
        "rank_ci": _ranks(total.rank),
        "selected": NONE if row.selected is None else f"{row.selected:.0%}",
        **{lang or NONE: _language(row.languages.get(lang)) for lang in _columns(board)},
    }


def _shrunken(row: LeaderboardRow, board: Leaderboard) -> dict[str, str]:
    langs = {lang: row.languages.get(lang) for lang in board.shared}
    return {"system": row.name, **{lang: short(own.shrunken_score if own else None) for lang, own in langs.items()}}


def _columns(board: Leaderboard) -> Sequence[str]:
    """Return the languages that have a column; the only language is the total."""
    return board.languages if len(board.languages) > 1 else ()


def _language(placing: Placing | None) -> str:
    if placing is None:
        return NONE
    rank = "" if placing.rank is None else f", {_ranks(placing.rank)}"
    return f"{plus_minus(placing.score, placing.score_interval)}{rank}"


def _ranks(rank: RankSet | None) -> str:
    return NONE if rank is None else ranks(rank.low, rank.high)


def _beside(row: LeaderboardRow, lossy: bool) -> dict[str, str]:
    valued, items = _counts(row)
    p50, p95 = row.seconds or (None, None)
    return {
        "system": row.name,
        "n": f"{valued}/{items}",
        "coverage": NONE if not items else short(valued / items),
        "errors": ", ".join(f"{count} {why}" for why, count in row.failures.items()) or "0",
        **({"bounds (ci95)": _bounds(row.total)} if lossy else {}),
        "new sample": span(row.total.score_of_new_sample, lambda end, _: short(end)).replace(" … ", "–"),
        "USD per 1,000": digits(row.cost, 3),
        "p50 s": seconds(p50),
        "p95 s": seconds(p95),
    }


def _bounds(own: Placing) -> str:
    bounds, interval = own.score_bounds
    return NONE if bounds is None else f"{between(bounds)} ({between(interval)})"


def _counts(row: LeaderboardRow) -> tuple[int, int]:
    own = row.languages.values()
    return sum(placing.n_valued for placing in own), sum(placing.n_items for placing in own)


def _legend(board: Leaderboard) -> list[str]:
    several = len(board.languages) > 1
    over = "" if not several else f" over {', '.join(lang or NONE for lang in board.shared) or 'no language'}"
    less = " Less is better." if board.metric.less_is_better and "less is better" not in board.metric.meaning else ""
    together = (
        "those of the languages hold together for all languages at once, and those of the first column for themselves"
        if len(board.shared) > 1
        else "those of all languages hold together"
    )
    lines = [
        f"{_score(board)}: `{board.metric.name}`{over}, of the values that each system has: {board.metric.meaning}."
        f"{less}",
        "rank_ci: the ranks that the data leave open, over the queries that all ranked systems have; with "
        f"95 % all sets hold at once{f' ({together})' if several else ''}. Systems that share ranks need not be equal.",
        "selected: how often the system comes first when the queries are drawn again; not the probability that it is "
        "the best.",
        "new sample: where the score on as many other queries would be (95 %).",
        *(["Languages: score ± half of its 95 % interval, rank_ci."] if several else []),
        "n: values of the items asked, in all languages; errors: why the others have none; "
        "USD: of 1,000 answers, at list prices or as the file has it; p50, p95: seconds of an answer.",
    ]
    if board.looks > 1:
        lines.append(
            f"One of {board.looks} looks planned while queries are added: rank_ci holds for all of them at once."
        )
    if any(row.total.lost.bounds for row in board.rows):
        lines.append(
            "bounds: the score if all missing values were the least, or the greatest there can be; in brackets, within "
            "which it is with 95 % certainty whatever they are, sampling included."
        )
    return lines


def _to_json(board: Leaderboard) -> dict[str, Any]:
    """Return the table as programs read it; undefined is None."""
    metric = board.metric
    return {
        "metric": metric.name,
        "meaning": metric.meaning,
        "less_is_better": metric.less_is_better,
        "languages": list(board.languages),
        "languages_shared": list(board.shared),
        "n_shared": board.n_shared,
        "leading": list(board.leading),
        "interactions_kept": board.kept,
        "seed": board.seed,
        "looks": board.looks,
        "systems": [_system(row) for row in board.rows],
        "warnings": list(board.warnings),
        "notes": list(board.notes),
    }


def _system(row: LeaderboardRow) -> dict[str, Any]:
    p50, p95 = row.seconds or (None, None)
    return {
        "system": row.name,
        **_placing(row.total),
        "selected": row.selected,
        "errors": dict(row.failures),
        "usd_per_1000": row.cost,
        "seconds_p50": p50,
        "seconds_p95": p95,
        "languages": {
            lang: {**_placing(own), "score_shrunken": own.shrunken_score, "mean_shrunken": own.shrunken}
            for lang, own in row.languages.items()
        },
    }


def _placing(own: Placing) -> dict[str, Any]:
    return {
        "score": own.score,
        "score_ci": own.score_interval,
        "mean": own.mean,
        "ci": own.interval,
        "score_ci_new_sample": own.score_of_new_sample,
        "score_bounds": own.score_bounds.bounds,
        "score_bounds_ci": own.score_bounds.interval,
        "rank_ci": None if own.rank is None else [own.rank.low, own.rank.high],
        "n": own.n_valued,
        "n_expected": own.n_items,
        "coverage": own.coverage,
    }


def _flat(row: LeaderboardRow, board: Leaderboard) -> dict[str, Any]:
    """Return a system as one line of a table; what is not known is empty."""
    p50, p95 = row.seconds or (None, None)
    cells: dict[str, Any] = {
        "system": row.name,
        **_flat_placing("", row.total),
        "selected": row.selected,
        "errors": sum(row.failures.values()),
        "usd_per_1000": row.cost,
        "seconds_p50": p50,
        "seconds_p95": p95,
    }
    for lang in _columns(board):
        own = row.languages.get(lang)
        keys = _flat_placing(f"{lang or 'no language'}_", own or row.total)
        cells |= keys if own else dict.fromkeys(keys)
    return cells


def _flat_placing(prefix: str, own: Placing) -> Mapping[str, Any]:
    low, high = own.score_interval or (None, None)
    rank = own.rank
    return {
        f"{prefix}score": own.score,
        f"{prefix}ci95_low": low,
        f"{prefix}ci95_high": high,
        f"{prefix}rank_best": None if rank is None else rank.low,
        f"{prefix}rank_worst": None if rank is None else rank.high,
        f"{prefix}n": own.n_valued,
        f"{prefix}n_expected": own.n_items,
        f"{prefix}coverage": own.coverage,
    }
