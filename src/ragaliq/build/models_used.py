"""Which models a benchmark is built with, and which of them are of one family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragaliq.benchmark.layout import SCRIPTED
from ragaliq.build.context import BuildContext
from ragaliq.config import Component
from ragaliq.judge.families import same_family


def built_with(context: BuildContext) -> dict[str, list[str]]:
    """Return the models by what they do.

    They are `generator` (writes and votes), `judge` (of support), `closed_book` and, if it translates, `translator`.
    """
    settings = context.settings
    generator = context.model().name
    solvers = [context.model(name).name for name in settings.closed_book.models] or [generator]
    translated = settings.translate.languages
    translators = {"translator": [context.model(settings.translate.model).name]} if translated else {}
    return {
        "generator": [generator],
        "judge": [context.model(settings.judge.model).name],
        "closed_book": sorted(set(solvers)),
        **translators,
    }


def model_warnings(context: BuildContext) -> list[str]:
    """Return the warnings about the models of a build: rules instead of a model, and models of one family."""
    models = built_with(context)
    writers = sorted({*models["generator"], *models["judge"]})
    lines = []
    if SCRIPTED in writers:
        lines.append(
            "warning[scripted]: rules replaced the model: the benchmark is well-formed, not valid; its figures "
            "say nothing about your documents, and no ranking by it means anything"
        )
    lines += _same(models["generator"], models["judge"], "judge of support", "nobody sees what it overlooks in its own "
                   "questions; name another one in judge.model")  # fmt: skip
    lines += _same(writers, _ranked(context), "retriever under test", "rankings by its own relevance judgements are "
                   "circular (arXiv 2412.17156)")  # fmt: skip
    return lines


def _same(writers: Sequence[str], others: Sequence[str], role: str, meaning: str) -> list[str]:
    lines = []
    for writer in writers:
        for other in others:
            family = same_family(writer, other)
            if family is not None and writer != SCRIPTED:
                lines.append(
                    f"warning[builder-family]: builder '{writer}' and {role} '{other}' are of one family ({family}): "
                    f"{meaning}"
                )
    return lines


def _ranked(context: BuildContext) -> list[str]:
    """Return the models behind the retrievers that fill the pool and are measured in the report."""
    settings = context.settings.pool
    parts = [Component.parse(name, "pool") for name in (settings.embedder, *settings.retrievers)]
    return sorted({part.model for part in parts if part.model})


def models_line(models: Mapping[str, Sequence[str]]) -> str:
    """Return `built_with` in one line."""
    return "; ".join(f"{role.replace('_', '-')}: {', '.join(names)}" for role, names in models.items())
