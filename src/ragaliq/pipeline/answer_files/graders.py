"""Who grades and checks the rows of a file, and the columns that they add."""

from __future__ import annotations

from dataclasses import dataclass

from ragaliq.components import check as check_component
from ragaliq.components import make
from ragaliq.config import Component
from ragaliq.errors import InputError
from ragaliq.formats.answers.columns import Columns
from ragaliq.judge import Judge
from ragaliq.judge.checks.support import Checker
from ragaliq.llm import LLMSession
from ragaliq.pipeline.check import NO_CHECK, make_checker
from ragaliq.pipeline.manifest import judge_identity
from ragaliq.storage.files import Row

_GRADED, _JUDGE = ("grade", "outcome", "feedback"), ("judge", "prompt_hash")
_CHECKED, _CHECKER = ("supported_share", "support", "check_outcome"), ("checker",)
ADDED = (*_GRADED, "refuses", *_CHECKED, *_JUDGE, *_CHECKER)


@dataclass(frozen=True, slots=True)
class RowGraders:
    """Who grades the answers against references, and who checks them against contexts; None where nobody does."""

    judge: Judge | None
    checker: Checker | None

    @property
    def identity(self) -> Row:
        """The columns that say who they are."""
        by: Row = {} if self.judge is None else dict(zip(_JUDGE, judge_identity(self.judge), strict=True))
        return by if self.checker is None else {**by, "checker": " ".join(filter(None, judge_identity(self.checker)))}

    @property
    def added(self) -> tuple[str, ...]:
        """The columns that they add to a row, in order."""
        absent = (*(() if self.judge else (*_GRADED, *_JUDGE)), *(() if self.checker else (*_CHECKED, *_CHECKER)))
        return tuple(name for name in ADDED if name not in absent)


def make_graders(columns: Columns, judge: Component, check: Component, session: LLMSession) -> RowGraders:
    """Return the judge if there are references, and the checker if there are contexts.

    Raises:
        ConfigError: if a kind, a model or an option is unknown.
        InputError: if there are only contexts, and nobody is to check.
    """
    for stage, component in (("judge", judge), ("check", check)):
        if component != NO_CHECK:
            check_component(stage, component, seed=0, session=session)
    if not columns.reference and check == NO_CHECK:
        raise InputError(f"check '{check}': there are no references, so nothing else can be asked; leave it out")
    return RowGraders(
        make("judge", judge, seed=0, session=session) if columns.reference else None,
        make_checker(check, session) if columns.contexts and check != NO_CHECK else None,
    )
