"""The quality report of a built benchmark: `report.json` and `report.md`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from ragaliq.build.models_used import models_line
from ragaliq.build.quality.built import FILTERED
from ragaliq.build.quality.calls import StageCalls
from ragaliq.build.quality.contents import Contents
from ragaliq.build.quality.discriminability import MEASURE, SystemFigure
from ragaliq.build.quality.figures import BuildFigures
from ragaliq.build.quality.funnel import StageYield
from ragaliq.report.format import NONE, between, bullets, counted_share, escaped, markdown, p_value, thousandths
from ragaliq.report.markdown.build.card import CARD_HEADING, write_card
from ragaliq.report.markdown.build.certificate_block import MARK
from ragaliq.report.markdown.build.pool import pool_sections
from ragaliq.report.markdown.build.translation import translation_sections
from ragaliq.storage.files import write_atomic, write_json
from ragaliq.storage.foreign import is_json_of, refuse_foreign

_LEVEL = 0.05
_HEADING = "# Quality report: "


def refuse_foreign_build_report(folder: Path) -> None:
    """Refuse a folder in which another hand wrote `report.json`, `report.md` or `CARD.md`; raises InputError."""
    marks = {
        "report.json": is_json_of({"inputs": str}),
        "report.md": lambda text: text.startswith(_HEADING),
        "CARD.md": lambda text: text.startswith(CARD_HEADING) or MARK in text,
    }
    for name, is_ours in marks.items():
        refuse_foreign(folder / name, is_ours, "move it away")


def write_build_report(folder: Path, figures: BuildFigures) -> None:
    """Write `report.json`, `report.md` and `CARD.md`; what a person wrote below the mark of the card stays."""
    write_atomic(folder / "report.md", (render_build(figures) + "\n").encode("utf-8"))
    write_card(folder / "CARD.md", figures)
    # Written last: it shows that all are there.
    write_json(folder / "report.json", figures.to_json())


def render_build(figures: BuildFigures) -> str:
    """Return the report; a figure that is not defined is a dash."""
    parts = [
        escaped(f"{_HEADING}{figures.name} {figures.version}"),
        f"Built with {escaped(models_line(figures.built_with))}. What each figure means, and what it does not mean: "
        "docs/build.md of ragaliq. Intervals are at 95 %, over queries.",
    ]
    if figures.warnings:
        parts += ["## Read this first", bullets(figures.warnings)]
    parts += _sizes(figures)
    parts += _yields(figures.stages) + _calls(figures.calls)
    parts += _candidates(figures)
    parts += pool_sections(figures)
    parts += _closed_book(figures)
    parts += _systems(figures.systems)
    parts += translation_sections(figures.translations)
    return "\n\n".join(parts)


def _sizes(figures: BuildFigures) -> list[str]:
    rows = [{"set": name, **row} for name, own in figures.sizes.items() for row in own]
    note = (
        "The columns of FreshStack's table 3; tokens are words, or characters in scripts without spaces. Filtered is "
        "the benchmark; unfiltered (`build/unfiltered`) also has the queries that the filter's rules removed. Columns "
        "on nuggets and relevant documents leave unanswerable queries out."
    )
    return [
        "## Sizes",
        markdown(rows),
        note,
        markdown([_contents_row(one) for one in figures.contents]),
        "`words in gold`: mean share of a question's words that occur in its documents; near 1 a search by words is "
        "enough.",
        markdown(_types(figures.contents), numeric=True),
    ]


def _contents_row(one: Contents) -> dict[str, str]:
    unanswerable = one.queries - one.answerable
    return {
        "lang": one.lang,
        "queries": str(one.queries),
        "unanswerable": counted_share(unanswerable, one.queries),
        "several documents needed": counted_share(one.several_documents, one.answerable),
        "nuggets": str(one.nuggets),
        "queries by nuggets": ", ".join(f"{count}: {n}" for count, n in one.nugget_counts.items()),
        "vital": thousandths(one.vital),
        "supported": thousandths(one.supported),
        "words in gold": thousandths(one.words_in_gold),
        "where from": ", ".join(f"{origin} {n}" for origin, n in one.origins.items()),
    }


def _types(contents: Sequence[Contents]) -> list[dict[str, str]]:
    names = sorted({name for one in contents for name in one.types})
    return [{"lang": one.lang, **{name: str(one.types.get(name, 0)) for name in names}} for one in contents]


def _yields(stages: Sequence[StageYield]) -> list[str]:
    rows = [
        {
            "stage": one.stage,
            "items": f"{one.items} {one.unit}",
            "kept": str(one.kept),
            "removed": str(one.items - one.kept),
            "coverage": NONE if one.coverage is None else f"{one.coverage:.1%}",
            "why removed": ", ".join(f"{reason} {n}" for reason, n in one.removed.items()) or NONE,
        }
        for one in stages
    ]
    parts = [
        "## Yield",
        markdown(rows),
        "Items are kept or removed with a reason, in every stage (`build/STAGE.jsonl` has the row of each). Coverage "
        "is the share that did not fail: a failed item has no result.",
    ]
    langs = sorted({lang for one in stages for lang in one.kept_by_lang})
    if len(langs) > 1:
        by_lang = [
            {"kept": one.stage, **{lang: str(one.kept_by_lang.get(lang, 0)) for lang in langs}} for one in stages
        ]
        parts.append(markdown(by_lang, numeric=True))
    return parts


def _calls(calls: Sequence[StageCalls]) -> list[str]:
    if not calls:
        return []
    rows = [
        {"calls of models": one.stage, "n": str(one.calls), "prompt tokens": str(one.prompt_tokens),
         "completion tokens": str(one.completion_tokens), "without a report": str(one.unreported)}
        for one in calls
    ]  # fmt: skip
    return [markdown(rows), "Tokens as the endpoint reported them; rules and many recordings report none."]


def _candidates(figures: BuildFigures) -> list[str]:
    evidence = figures.evidence
    rows = [
        {
            "criterion": one.criterion,
            "texts": str(one.texts),
            **_by_score(one.counts),
            "all votes the same": NONE if one.agree is None else f"{one.agree:.1%}",
            "α": thousandths(one.alpha),
        }
        for one in figures.votes
    ]
    return [
        "## Candidates",
        f"Evidence: of {evidence.n} candidates that a model wrote, {evidence.matched} cite evidence that is in their "
        f"passages ({thousandths(evidence.share)}). Rewritten after criticism: {figures.rewritten} of those kept.",
        markdown(rows),
        "Votes of the critique by score. α is Krippendorff's, ordinal, of the votes on one text; it is low where "
        "nearly all votes are the same. One model's votes agree easily, so agreement does not show correctness.",
    ]


def _by_score(counts: dict[str, int]) -> dict[str, str]:
    """Return the columns of scores, 5 first."""
    return {score: str(counts[score]) for score in sorted(counts, reverse=True)}


def _closed_book(figures: BuildFigures) -> list[str]:
    solved = [
        {"model": one.model, "queries": str(one.queries), "answers": str(one.answers),
         "solved": thousandths(one.solved), "queries always solved": counted_share(one.always, one.queries)}
        for one in figures.solved
    ]  # fmt: skip
    gaps = [
        {"lang": one.lang, "queries": str(one.queries), "by sub-questions": thousandths(one.subquestions),
         "by closed-book answers": thousandths(one.closed_book), "difference": thousandths(one.difference, True),
         "ci95": between(one.interval, True), "p": p_value(one.p)}
        for one in figures.gaps
    ]  # fmt: skip
    parts = ["## Closed book"]
    if solved:
        parts += [
            markdown(solved),
            "Answers without documents that contain all vital nuggets. They are a tag (`solved` in "
            "`build/filter.jsonl`); only `closed_book.drop` removes queries for it: removing what a model knows counts "
            "against that model.",
        ]
    parts += [
        markdown(gaps),
        "Share of a query's relevant documents found by either text. Closed-book answers that find more than "
        "sub-questions are a sign that the documents were in the model's training data.",
    ]
    return parts


def _systems(figures: Sequence[SystemFigure]) -> list[str]:
    rows = [
        {
            "lang": one.lang,
            "set": one.set_name,
            "system": one.system,
            "n": str(one.queries),
            MEASURE: thousandths(one.mean),
            "ci95": between(one.interval),
            "to the one above": thousandths(one.difference, True),
            "ci95 of it": between(one.difference_interval, True),
            "p": p_value(one.p),
            "detectable": thousandths(one.detectable),
        }
        for one in figures
    ]
    return [
        "## Does it separate systems?",
        bullets(_told_apart(figures)) or "There is no answerable query.",
        *([markdown(rows)] if rows else []),
        "p: sign-flip test of the difference, corrected by Holm for the number of languages. Detectable: the smallest "
        "true difference that as many queries detect with a chance of 80 %. `random` is the floor. These systems also "
        "filled the pool, so they lack few judgements; another kind of system may lack more (see Holes).",
    ]


def _told_apart(figures: Sequence[SystemFigure]) -> list[str]:
    """Return, for each language of the benchmark, which neighbours in the table it separates."""
    lines = []
    chosen = [one for one in figures if one.set_name == FILTERED]
    for before, one in pairwise(chosen):
        if one.p is None or one.difference is None:
            continue
        n = f"n {one.queries}, p {p_value(one.p)}"
        if one.p < _LEVEL:
            better, worse = (one, before) if one.difference > 0 else (before, one)
            lines.append(f"{one.lang}: {better.system} is better than {worse.system} ({n})")
        else:
            lines.append(f"{one.lang}: {one.system} and {before.system} are **not** separated ({n})")
    return lines
