"""The data card of a built benchmark: what it is, how it was made, what was checked, and what is unknown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ragaliq.benchmark.layout import SCRIPTED
from ragaliq.build.models_used import models_line
from ragaliq.build.quality.built import FILTERED
from ragaliq.build.quality.contents import Contents
from ragaliq.build.quality.discriminability import MEASURE, RANDOM
from ragaliq.build.quality.figures import BuildFigures
from ragaliq.report.format import NONE, between, bullets, escaped, markdown, thousandths
from ragaliq.report.markdown.build.certificate_block import MARK, with_certificate_of
from ragaliq.storage.files import read_text, write_atomic

CARD_HEADING = "# Data card: "
_UNSAID = "not stated in build.yaml"


def write_card(path: Path, figures: BuildFigures) -> None:
    """Write the card; keep the text below `MARK` in the existing one, and its certificate of this data."""
    before = read_text(path) if path.is_file() else ""
    rest = before.partition(MARK)[2].strip()
    text = f"{render_card(figures)}\n\n{MARK}\n" + (f"\n{rest}\n" if rest else "")
    write_atomic(path, with_certificate_of(text, before, figures.data_hash).encode("utf-8"))


def render_card(figures: BuildFigures) -> str:
    """Return the card."""
    parts = [escaped(f"{CARD_HEADING}{figures.name} {figures.version}"), _summary(figures)]
    if figures.warnings:
        parts.append(bullets(figures.warnings))
    parts += [markdown(figures.sizes[FILTERED]), "`report.md` has all figures, with their n and intervals."]
    parts += ["## What kind of benchmark", _axes(figures)]
    parts += ["## Where the documents come from", *_sources(figures)]
    parts += ["## How it was made", _made(figures)]
    parts += ["## What was checked", _checked(figures)]
    parts += ["## What it does not show", _limits(figures)]
    return "\n\n".join(parts)


def _summary(figures: BuildFigures) -> str:
    """Return the benchmark in a sentence for each language."""
    return " ".join(
        f"{one.lang}: {one.queries} questions, {one.queries - one.answerable} of them without an answer in the "
        f"{sizes['docs']} passages of {sizes['sources']} documents."
        for one in figures.contents
        for sizes in [_sizes(figures, one.lang)]
    )


def _axes(figures: BuildFigures) -> str:
    dates = ", ".join(sorted({source.date for source in figures.sources if source.date})) or _UNSAID
    contents = figures.contents
    axes = [
        ("niche", [figures.niche or _UNSAID]),
        ("complexity", _by_lang(figures, [_complexity(figures, one) for one in contents])),
        ("date of the sources", [f"{dates}; when they change, `ragaliq build update` makes the next version"]),
        (f"challenge, {MEASURE} of the retrievers that come with ragaliq", _by_lang(figures, _challenge(figures))),
        ("realistic? where the questions come from", _by_lang(figures, _origins(figures))),
        ("artificially easy? words of a question that occur in its documents",
         _by_lang(figures, [f"{thousandths(one.words_in_gold)}, n {one.answerable}" for one in contents])),
        ("leaked or stale? what models know without documents", _leak(figures)),
    ]  # fmt: skip
    return "\n".join(_axis(name, said) for name, said in axes)


def _axis(name: str, said: Sequence[str]) -> str:
    if len(said) == 1:
        return bullets([f"**{name}**: {said[0]}"])
    return "\n".join([f"- **{name}**:", *(f"  - {escaped(line)}" for line in said)])


def _by_lang(figures: BuildFigures, texts: Sequence[str]) -> list[str]:
    langs = [one.lang for one in figures.contents]
    return list(texts) if len(langs) == 1 else [f"{lang}: {text}" for lang, text in zip(langs, texts, strict=True)]


def _complexity(figures: BuildFigures, one: Contents) -> str:
    sizes = _sizes(figures, one.lang)
    types = ", ".join(f"{name} {n}" for name, n in sorted(one.types.items(), key=lambda pair: (-pair[1], pair[0])))
    return (
        f"{one.several_documents} of {one.answerable} answerable queries need several documents; "
        f"{sizes['nuggets/query']} nuggets a query; {one.queries - one.answerable} unanswerable; {types}"
    )


def _sizes(figures: BuildFigures, lang: str) -> dict[str, str]:
    return next(row for row in figures.sizes[FILTERED] if row["lang"] == lang)


def _challenge(figures: BuildFigures) -> list[str]:
    told = []
    for one in figures.contents:
        systems = [
            f"{system.system} {thousandths(system.mean)} ({between(system.interval)})"
            for system in figures.systems
            if (system.lang, system.set_name) == (one.lang, FILTERED) and system.system != RANDOM
        ]
        told.append(f"{', '.join(systems)}, n {one.answerable}" if systems else "no answerable query")
    return told


def _origins(figures: BuildFigures) -> list[str]:
    by_rules = figures.built_with["generator"] == [SCRIPTED]
    words = {
        "generated": "written by rules" if by_rules else "written by a model",
        "people": "asked by people",
        "log": "from a query log",
    }
    return [", ".join(f"{n} {words.get(origin, origin)}" for origin, n in one.origins.items())
            for one in figures.contents]  # fmt: skip


def _leak(figures: BuildFigures) -> list[str]:
    solved = [
        f"{one.model} solves {one.always} of {one.queries} answerable queries without documents, every time"
        for one in figures.solved
    ]
    gaps = [
        f"{one.lang}: recall by sub-questions less that by closed-book answers {thousandths(one.difference, True)} "
        f"({between(one.interval, True)}), n {one.queries}; below 0 it is a sign of a leak"
        for one in figures.gaps
        if one.difference is not None
    ]
    return [*solved, *gaps] or ["not measured"]


def _sources(figures: BuildFigures) -> list[str]:
    rows = [
        {
            "source": one.name,
            "files": f"{one.documents} read, {one.skipped} skipped",
            "licence": one.licence or NONE,
            "date": one.date or NONE,
            "commit": one.commit or NONE,
            "from": one.url or NONE,
        }
        for one in figures.sources
    ]
    return [
        markdown(rows),
        f"{NONE}: {_UNSAID}. Corpus and `sources/` are the documents' own text and stay under their licences; "
        "questions, answers and nuggets were written from that text. A licence that asks for its own terms again "
        "(share-alike) asks for them here, too. Where no licence is stated, ask before you share anything.",
    ]


def _made(figures: BuildFigures) -> str:
    units = [""] + [one.unit for one in figures.stages]
    counts = " → ".join(
        f"{one.stage} {one.kept}" + (f" {one.unit}" if one.unit != before else "")
        for before, one in zip(units, figures.stages, strict=False)
    )
    return (
        f"By `ragaliq build` from the documents, with {models_line(figures.built_with)}. What each stage kept: "
        f"{counts}. Every removed item has its reason in `build/`, every call of a model its trace. Settings: "
        f"`build.yaml`, seed {figures.settings['seed']}."
    )


def _checked(figures: BuildFigures) -> str:
    cells, evidence = figures.cells, figures.evidence
    judged = sum(n for label, n in cells.items() if label != "missing")
    unanswerable = sum(one.queries - one.answerable for one in figures.contents)
    votes, least = figures.settings["critique"]["votes"], figures.settings["critique"]["threshold"]
    generator, judge = (", ".join(figures.built_with[role]) for role in ("generator", "judge"))
    lines = [
        f"evidence: {evidence.matched} of {evidence.n} candidates cite evidence that is in their passages, letter by "
        "letter or nearly so",
        f"critique: {votes} votes of {generator} on {len(figures.votes)} criteria, median at least {least}",
        "no two queries of a language are nearly the same",
        f"support: {judged} cells of nugget and document judged by {judge}, each support with a quote that is in "
        f"the document; {cells.get('missing', 0)} missing",
        f"unanswerable: of {unanswerable} queries no pooled document that is left supports a nugget, as judged",
    ]
    lines += [
        f"translation into {one.lang}: {one.chunks_passed} of {one.chunks} chunks and {one.queries_passed} of "
        f"{one.queries} queries without an error; what has one in any language is shipped in none"
        for one in figures.translations
    ]
    by_machine = bullets(lines)
    return f"By machine:\n\n{by_machine}\n\nNot checked: no person has read it, unless the end of this card says so."


def _limits(figures: BuildFigures) -> str:
    lines = [
        "Whether it ranks systems as questions of people do: that takes `ragaliq build certify` and 50 "
        "or more such questions. Without a certificate nothing is claimed.",
        "Differences between readers: generated questions have ranked retrievers, not readers, as people's do (arXiv "
        "2508.11758).",
        "A judge's mistakes: a supporting document that was judged not to support counts as wrong for every system.",
    ]
    if any(SCRIPTED in names for names in figures.built_with.values()):
        lines.insert(0, "Anything about your documents: rules instead of a model make a well-formed benchmark, "
                     "not a valid one.")  # fmt: skip
    return bullets(lines)
