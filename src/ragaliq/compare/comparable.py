"""Graded systems that are to be compared: read, named, and refused where a comparison would mean nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ragaliq.aggregate.grades.query_grades import QueryGrades, judge_names, judges_of, read_query_grades
from ragaliq.compare.rank_sets import on_other_footing, too_thin
from ragaliq.errors import InputError, listed
from ragaliq.formats.answers.reading import SUFFIXES

# Kinds of files that hold grades; a TREC run has none of these endings, or is compared under judgements.
_KINDS = SUFFIXES


@dataclass(frozen=True, slots=True)
class Comparable:
    """Systems as mappings from language to grades, in the order given, and what a reader must know.

    Attributes:
        systems: the systems; queries go by their ids where all of them have ids, else by their text.
        warnings: what makes the comparison doubtful, a line each.
        ranked: the systems may be ranked against each other.
    """

    systems: tuple[Mapping[str, QueryGrades], ...]
    warnings: tuple[str, ...] = ()
    ranked: bool = True


def read_comparable(paths: Sequence[Path], lang: str | None = None, mixed: bool = False) -> Comparable:
    """Read systems that are to be compared; `lang` takes one language alone.

    Raises:
        InputError: if a path holds no grades or not this language, or if judges or data differ and `mixed` does not
            allow that.
    """
    for path in paths:
        if path.is_file() and path.suffix not in _KINDS:
            raise InputError(
                f"{path}: neither a run folder nor graded rows (.jsonl, .csv, .tsv) nor a judged log (.json); TREC "
                "runs are compared with --qrels or --data"
            )
    sources = [read_query_grades(path) for path in paths]
    by_id = all(grades.by_id for source in sources for grades in source)
    systems = []
    for path, name, source in zip(paths, _names(paths, sources), sources, strict=True):
        chosen = [grades if by_id else grades.by_text() for grades in source if lang in (None, grades.lang)]
        if not chosen:
            langs = listed(grades.lang or "not named" for grades in source)
            raise InputError(f"{path}: no graded answers{f' in {lang!r} ({langs})' if lang else ''}; check the path")
        systems.append({grades.lang: replace(grades, name=name) for grades in chosen})
    return _checked(tuple(systems), mixed)


def _names(paths: Sequence[Path], sources: Sequence[Sequence[QueryGrades]]) -> list[str]:
    """Return what systems are called: as their folder or file where that tells them apart, else the whole path."""
    short = [source[0].name if source else path.stem for path, source in zip(paths, sources, strict=True)]
    return short if len(set(short)) == len(set(paths)) else [str(path) for path in paths]


def _checked(systems: tuple[Mapping[str, QueryGrades], ...], mixed: bool) -> Comparable:
    warnings = []
    for lang in systems[0]:
        if not all(lang in system for system in systems):
            continue
        own = [system[lang] for system in systems]
        refusal = _refusal(own)
        if refusal and not mixed:
            raise InputError(f"compare: {refusal}; --mixed compares them all the same")
        doubt = refusal.partition(";")[0] or on_other_footing(own) or too_thin(own)
        if doubt:
            warnings.append(f"{lang or 'no language'}: {doubt}")
    return Comparable(systems, tuple(warnings), not warnings)


def _refusal(systems: Sequence[QueryGrades]) -> str:
    """Return why the grades of systems are not on one scale, or an empty text."""
    judges = judges_of(systems)
    if len(judges) > 1:
        names = dict(zip(judges, judge_names(judges), strict=True))
        told = [f"{own.name}: {', '.join(names[judge] for judge in judges_of([own])) or 'none'}" for own in systems]
        return f"graded by different judges ({', '.join(told)}); grade anew with `ragaliq judge RUN --judge KIND:MODEL`"
    if len({own.data for own in systems if own.data}) > 1:
        told = [f"{own.name}: {own.data[:12]}" for own in systems if own.data]
        return f"the systems answer different data ({', '.join(told)}); compare runs on the same data"
    return ""
