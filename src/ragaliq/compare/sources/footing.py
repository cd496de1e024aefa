"""Whether systems may be held against each other: one judge, the same data, enough of the same queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragaliq.aggregate.grades.query_grades import judge_names, judges_of
from ragaliq.compare.rank_sets import on_other_footing, too_thin
from ragaliq.compare.sources.system_values import SystemValues
from ragaliq.errors import InputError


def check_footing(systems: Sequence[Mapping[str, SystemValues]], mixed: bool) -> tuple[str, ...]:
    """Return what makes a comparison of systems doubtful, a line for each language that all of them have.

    Raises:
        InputError: if judges or data differ, and `mixed` does not allow that.
    """
    warnings = []
    for lang in systems[0]:
        if not all(lang in system for system in systems):
            continue
        own = [system[lang] for system in systems]
        refusal = _refusal(own)
        if refusal and not mixed:
            raise InputError(f"{refusal}; --mixed takes them all the same")
        doubt = refusal.partition(";")[0] or on_other_footing(own) or too_thin(own)
        if doubt:
            warnings.append(f"{lang or 'no language'}: {doubt}")
    return tuple(warnings)


def _refusal(systems: Sequence[SystemValues]) -> str:
    """Return why the values of systems are not on one scale, or an empty text."""
    judges = judges_of(systems)
    if len(judges) > 1:
        names = dict(zip(judges, judge_names(judges), strict=True))
        told = [f"{own.name}: {', '.join(names[judge] for judge in judges_of([own])) or 'none'}" for own in systems]
        return (
            f"graded by different judges ({', '.join(told)}); grade again with `ragaliq judge RUN --judge KIND:MODEL`"
        )
    if len({own.data for own in systems if own.data}) > 1:
        told = [f"{own.name}: {own.data[:12]}" for own in systems if own.data]
        return f"the systems answer different data ({', '.join(told)}); compare runs on the same data"
    return ""
