"""Units of a knowledge base in several languages, `doc_id@lang`, and runs of them collapsed to documents.

Translations of a document share its id, so that relevance is judged once for all languages. A ranking over the union
of the languages names units; before it is measured, each document counts once, as its best unit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

_MARK = "@"
_UNIT = re.compile(r"(.+)@([A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*)", re.DOTALL)
_Ranking = Mapping[str, float]


def unit_id(doc_id: str, lang: str) -> str:
    """Return the name of a document in one language: `doc_id@lang`."""
    return f"{doc_id}{_MARK}{lang}"


def split_unit(unit: str) -> tuple[str, str] | None:
    """Return the document and the language of a unit, parted at its last `@`; None if it is no such name."""
    parts = _UNIT.fullmatch(unit)
    return None if parts is None else (parts[1], parts[2])


def unit_languages(runs: Iterable[_Ranking], judged: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """Return the languages of a run of units, sorted; none if the run is of documents.

    A run is one of units if every one of its ids is written `doc_id@lang`, and no judged id ends in one of these marks.

    Args:
        runs: the rankings of the queries, unit → score.
        judged: the judged ids of the queries.
    """
    langs: set[str] = set()
    for ranking in runs:
        for unit in ranking:
            parts = split_unit(unit)
            if parts is None:
                return ()
            langs.add(parts[1])
    marks = tuple(unit_id("", lang) for lang in langs)
    return () if any(doc_id.endswith(marks) for docs in judged for doc_id in docs) else tuple(sorted(langs))


def collapse_units(ranking: _Ranking) -> dict[str, float]:
    """Return a ranking of units as one of documents: each document with the score of its best unit.

    Documents stand in the order in which their first units stand. Of equal scores the measures decide as ever, by the
    document's id, so that a collapsed run gives the same values in every program that orders as trec_eval does.

    Raises:
        ValueError: if an id is no unit.
    """
    best: dict[str, float] = {}
    for unit, score in ranking.items():
        doc_id = _parts(unit)[0]
        best[doc_id] = max(score, best.get(doc_id, score))
    return best


def within(ranking: _Ranking, lang: str) -> dict[str, float]:
    """Return the part of a ranking of units that is in one language, as a ranking of documents.

    Raises:
        ValueError: if an id is no unit.
    """
    return {_parts(unit)[0]: score for unit, score in ranking.items() if _parts(unit)[1] == lang}


def language_shares(rankings: Sequence[_Ranking], depth: int = 10) -> dict[str, float]:
    """Return the share of each language among the first `depth` units of rankings, languages sorted.

    The share is taken over the units that there are, all queries together, so that the shares add up to 1; it is empty
    if there are none. Equal scores stand as trec_eval orders them: by the unit's name, descending.

    Raises:
        ValueError: if an id is no unit, or `depth` is below 1.
    """
    if depth < 1:
        raise ValueError(f"depth must be at least 1, not {depth}")
    counts: Counter[str] = Counter()
    for ranking in rankings:
        first = sorted(ranking, key=lambda unit: (ranking[unit], unit.encode("utf-8", "surrogatepass")), reverse=True)
        counts.update(_parts(unit)[1] for unit in first[:depth])
    return {lang: counts[lang] / counts.total() for lang in sorted(counts)}


def _parts(unit: str) -> tuple[str, str]:
    parts = split_unit(unit)
    if parts is None:
        raise ValueError(f"'{unit}' is not written doc_id@lang")
    return parts
