"""The certificate of a built benchmark: how its questions compare with questions that people asked."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ragaliq.benchmark.judgements import derived_qrels
from ragaliq.benchmark.load import Benchmark, load_benchmark
from ragaliq.build.context import BuildContext
from ragaliq.build.quality.built import Built
from ragaliq.build.quality.family_left_out import LeftOutFamily, families_left_out
from ragaliq.build.validity.configurations import CONFIGURATIONS, MEASURES, Array, ConfigurationScores
from ragaliq.build.validity.discrimination import Discrimination, discriminative_power
from ragaliq.build.validity.drawing import MatchingTarget, draw_alike, matching_target
from ragaliq.build.validity.human_questions import HumanFile, UnusedQuestion, read_human_questions
from ragaliq.build.validity.matching import Matching
from ragaliq.build.validity.pool_checks import PoolCheck, pool_checks
from ragaliq.build.validity.question_alone import QuestionAlone, question_alone
from ragaliq.build.validity.rank_agreement import RankAgreement, rank_agreement
from ragaliq.errors import InputError
from ragaliq.text.terms import words
from ragaliq.types import Qrels, Query

LEAST_HUMAN = 50


@dataclass(frozen=True, slots=True)
class ConfigurationMeans:
    """The means of a configuration on both sides, by measure."""

    name: str
    built: dict[str, float]
    human: dict[str, float]


@dataclass(frozen=True, slots=True)
class LanguageValidity:
    """What is certified of one language.

    Attributes:
        lang: the language.
        built: answerable built questions that were compared.
        human: people's questions that were compared.
        shared: built questions left out of the comparison because a person asked the same.
        distinct: configurations that differ in some value; equal ones count once.
        agreement: of the rankings, by measure and coefficient.
        discrimination: at equal n, by measure.
        matching: how built questions were drawn, if they were.
        configurations: the means behind the rankings.
    """

    lang: str
    built: int
    human: int
    shared: int
    distinct: int
    agreement: list[RankAgreement]
    discrimination: list[Discrimination]
    matching: Matching | None
    configurations: list[ConfigurationMeans]


@dataclass(frozen=True, slots=True)
class ValidityCertificate:
    """What can be said of a benchmark's validity, and on what grounds: the content of `certificate.json`.

    Attributes:
        name, version, benchmark_hash: the benchmark.
        human_file, human_sha256: the questions of people.
        backend: the model that wrote the benchmark; empty if it was not built here.
        languages: with enough questions of people.
        not_certified: language → why it is not among them.
        unused: questions of people that could not be used.
        contamination: by language, all of the benchmark's.
        pools, left_out: by language, where the build is there.
    """

    name: str
    version: str
    benchmark_hash: str
    human_file: str
    human_sha256: str
    backend: str
    languages: list[LanguageValidity]
    not_certified: dict[str, str]
    unused: list[UnusedQuestion]
    contamination: list[QuestionAlone]
    pools: list[PoolCheck]
    left_out: list[LeftOutFamily]

    def to_json(self) -> dict[str, Any]:
        """Return the certificate as JSON holds it."""
        return asdict(self)


def certify_benchmark(
    bench: Path, human: Path, match: str = "", context: BuildContext | None = None, seed: int = 0
) -> ValidityCertificate:
    """Compare a benchmark's questions with people's questions on the same corpus.

    Args:
        bench: the benchmark's folder.
        human: the questions of people; see `human_questions`.
        match: draw the built questions to be like those of people (`human`), or like those of this file.
        context: the build, if it is there: its pool, judge and closed-book answers are checked, too.
        seed: of everything that is drawn.

    Raises:
        InputError: if a file cannot be read, or no language has `LEAST_HUMAN` questions of people that can be used.
    """
    benchmark = load_benchmark(bench)
    people = read_human_questions(human, benchmark.chunks)
    short = _too_few(benchmark, people)
    certified = [lang for lang in benchmark.languages if lang not in short]
    if not certified:
        told = "; ".join(f"{lang}: {why}" for lang, why in short.items())
        raise InputError(f"{human}: a certificate needs {LEAST_HUMAN} usable questions in a language ({told})")
    target = matching_target(match, benchmark, people.questions) if match else None
    return ValidityCertificate(
        benchmark.name,
        benchmark.version,
        benchmark.hash,
        human.name,
        hashlib.sha256(human.read_bytes()).hexdigest(),
        context.model().name if context else "",
        [_language(benchmark, lang, people, target, seed) for lang in certified],
        short,
        list(people.unused),
        [
            question_alone(lang, [item for item in items if item.answerable], context, seed)
            for lang, items in benchmark.items.items()
        ],
        pool_checks(Built(context)) if context else [],
        families_left_out(Built(context)) if context else [],
    )


def _too_few(benchmark: Benchmark, people: HumanFile) -> dict[str, str]:
    """Return the languages that cannot be certified, and why."""
    short = {}
    for lang in benchmark.languages:
        count = sum(question.lang == lang for question in people.questions)
        if count < LEAST_HUMAN:
            short[lang] = f"{count} questions of people"
    if people.unused:
        first = people.unused[0]
        told = f"{len(people.unused)} rows not usable, the first in line {first.line}: {first.reason}"
        short = {lang: f"{why}; {told}" for lang, why in short.items()}
    return short


def _language(
    benchmark: Benchmark, lang: str, people: HumanFile, target: MatchingTarget | None, seed: int
) -> LanguageValidity:
    questions = [question for question in people.questions if question.lang == lang]
    qrels = relevant_documents(benchmark, lang)
    asked = {tuple(words(question.text)) for question in questions}
    answerable = [item for item in benchmark.items[lang] if item.answerable and item.query.query_id in qrels]
    items = [item for item in answerable if tuple(words(item.query.text)) not in asked]
    shared = len(answerable) - len(items)
    matching = draw_alike(benchmark, lang, items, qrels, target) if target else None
    if matching is not None:
        items = [item for item in items if item.query.query_id in matching.drawn]
    if not items:
        told = f"{benchmark.name}: no built question of '{lang}' is left to compare with people's"
        raise InputError(f"{told}; {'leave --match out' if target else 'build more'}")
    scorer = ConfigurationScores(lang, benchmark.chunks[lang])
    built = scorer.scores([item.query for item in items], qrels)
    theirs = {question.question_id: dict.fromkeys(question.doc_ids, 1) for question in questions}
    human = scorer.scores([Query(one.question_id, lang, one.text) for one in questions], theirs)
    places = _distinct(built, human)
    pairs = {measure: (built[measure][places], human[measure][places]) for measure in MEASURES}
    return LanguageValidity(
        lang,
        len(items),
        len(questions),
        shared,
        len(places),
        [one for measure, sides in pairs.items() for one in rank_agreement(measure, *sides, seed)],
        [discriminative_power(measure, *sides, seed) for measure, sides in pairs.items()],
        matching,
        [
            ConfigurationMeans(configuration.name, *(
                {measure: float(side[measure][place].mean()) for measure in MEASURES} for side in (built, human)
            ))
            for place, configuration in enumerate(CONFIGURATIONS)
        ],
    )  # fmt: skip


def relevant_documents(benchmark: Benchmark, lang: str) -> Qrels:
    """Return what is relevant to each query: the qrels where it has some, else its gold and its nuggets' documents."""
    collection = benchmark.collections[lang]
    implied = derived_qrels(collection.nuggets, collection.gold)
    found = {**implied, **collection.qrels}
    return {query_id: judged for query_id, judged in found.items() if any(rel > 0 for rel in judged.values())}


def _distinct(built: dict[str, Array], human: dict[str, Array]) -> list[int]:
    """Return the places of the configurations without those whose values are all those of an earlier one."""
    rows = np.concatenate([side[measure] for side in (built, human) for measure in MEASURES], axis=1)
    _, first = np.unique(rows, axis=0, return_index=True)
    return sorted(first.tolist())
