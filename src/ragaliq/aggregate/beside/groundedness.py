"""What the separate questions say about a run, by language: groundedness, and the length of answers beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median
from typing import Any

from ragaliq.aggregate.run_rows import RunRows
from ragaliq.judge.checks.rates import CHECKS, CheckHeader, CheckRates, check_rates
from ragaliq.judge.checks.support import Check
from ragaliq.metrics.answers.citations import CitationScores
from ragaliq.metrics.statistics.intervals import Interval, mean_interval, share_interval
from ragaliq.runs.rows import AnswerHeader, RunAnswer
from ragaliq.storage.record_store import Key, RecordStore
from ragaliq.types import AnswerOutcome

_SHARES = ("supported", "partly", "contradicted", "unsupported")
Expected = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Groundedness:
    """The support of a run's answers over all of its languages.

    Attributes:
        supported: share of the sentences that state something which the context shown supports; None without any.
        interval: 95 % interval of it, resampling query ids with their answers in all languages.
        n: number of answers checked.
        n_expected: number of answers that there should be.
        lacking: by language, how many answers have a sentence that the context does not support in full.
    """

    supported: float | None
    interval: Interval | None
    n: int
    n_expected: int
    lacking: Mapping[str, int]


def overall_groundedness(rows: RunRows) -> Groundedness | None:
    """Return the support of all answers of a run together; None for a run that was never checked."""
    if not rows.folder.checks_file.is_file():
        return None
    checks = RecordStore(rows.folder.checks_file, CHECKS)
    flags: list[float] = []
    queries: list[str] = []
    lacking = dict.fromkeys(rows.config["expected"], 0)
    n = 0
    for (lang, query_id), answer in rows.answers.items():
        check = _compared(answer.header, checks, (lang, query_id))
        if not check.scored:
            continue
        counts = {share: getattr(check, share) for share in _SHARES}
        flags += _flags(counts, "supported")
        queries += [query_id] * (len(flags) - len(queries))
        lacking[lang] = lacking.get(lang, 0) + (sum(counts.values()) > check.supported)
        n += 1
    ends = interval_of_shares(flags, rows.config["system"]["seed"], queries)
    interval = None if ends is None else Interval(*ends)
    n_expected = sum(sum(counts.values()) for counts in rows.config["expected"].values())
    return Groundedness(fmean(flags) if flags else None, interval, n, n_expected, lacking)


def groundedness_by_language(rows: RunRows) -> dict[str, dict[str, Any]]:
    """Return for each language who checked the answers, how many, and what share of their sentences is supported.

    Over the sentences that state something, of all answers checked (`n` of `n_expected`); the interval resamples
    queries with all their sentences. `median_characters` is the length of the answers that did not fail, checked or
    not; a check of an answer that is another one since does not count. Empty for a run that was never checked.
    """
    if not rows.folder.checks_file.is_file():
        return {}
    checks = RecordStore(rows.folder.checks_file, CHECKS)
    answers = {key: answer.header for key, answer in rows.answers.items()}
    by_lang: dict[str, dict[str, Any]] = {}
    for lang, headers in _by_language(answers, checks, rows.config["expected"]).items():
        rates, seed = check_rates(lang, headers), rows.config["system"]["seed"]
        answers_here = [answer for key, answer in rows.answers.items() if key[0] == lang]
        lengths = [answer.length for answer in answers_here if answer.length is not None]
        by_lang[lang] = {
            "checkers": sorted({" ".join(header.checker) for header in headers if header.outcome}),
            "n": round((rates.checked.value or 0.0) * rates.n),
            "n_expected": rates.n,
            "coverage": rates.checked.value,
            "n_sentences": rates.supported.n,
            **{name: {"value": getattr(rates, name).value, "ci": _interval(headers, name, seed)} for name in _SHARES},
            "median_characters": median(lengths) if lengths else None,
        }
    return by_lang


def citations_by_language(rows: RunRows) -> dict[str, dict[str, Any]]:
    """Return for each language the means over queries of weighted citation precision and recall, each with its `n`.

    Over the answers checked whose reader lists sentences with their citations; a language without any has no figures.
    Of their `n_expected` citations `n` have a finding; one without, and its sentence, enters no mean.
    """
    if not rows.folder.checks_file.is_file():
        return {}
    checks, seed = RecordStore(rows.folder.checks_file, CHECKS), rows.config["system"]["seed"]
    by_lang: dict[str, list[CitationScores]] = {}
    for key in checks:
        header: CheckHeader = checks.header(key)
        scores = header.citations
        lists = scores.recall is not None or scores.n_expected
        if lists and key in rows.answers and rows.answers[key].header.has_hash(header.answer_hash):
            by_lang.setdefault(key[0], []).append(scores)
    return {
        lang: {
            **_counts(scores),
            "precision": mean_of_shares([one.precision for one in scores if one.precision is not None], seed),
            "recall": mean_of_shares([one.recall for one in scores if one.recall is not None], seed),
        }
        for lang, scores in by_lang.items()
    }


def _counts(scores: Sequence[CitationScores]) -> dict[str, Any]:
    n, n_expected = sum(one.n for one in scores), sum(one.n_expected for one in scores)
    return {"n": n, "n_expected": n_expected, "coverage": n / n_expected if n_expected else None}


def rates_by_language(
    answers: RecordStore[RunAnswer], checks: RecordStore[Check], expected: Expected
) -> list[CheckRates]:
    """Return the rates of a run per language, sorted.

    `expected` counts the answers that there should be, as `config.json` does: one that is missing, and one without a
    check, count as unchecked.
    """
    headers: dict[Key, AnswerHeader] = {key: answers.header(key) for key in answers}
    by_lang = _by_language(headers, checks, expected)
    return [check_rates(lang, of_lang) for lang, of_lang in sorted(by_lang.items())]


def _by_language(
    answers: Mapping[Key, AnswerHeader], checks: RecordStore[Check], expected: Expected
) -> dict[str, list[CheckHeader]]:
    by_lang: dict[str, list[CheckHeader]] = {lang: [] for lang, counts in expected.items() if sum(counts.values())}
    for key, answer in answers.items():
        by_lang.setdefault(key[0], []).append(_compared(answer, checks, key))
    for lang, headers in by_lang.items():
        headers += [CheckHeader()] * (sum(expected.get(lang, {}).values()) - len(headers))
    return by_lang


def _compared(answer: AnswerHeader, checks: RecordStore[Check], key: Key) -> CheckHeader:
    if key not in checks:
        return CheckHeader()
    header: CheckHeader = checks.header(key)
    if not answer.has_hash(header.answer_hash):
        return CheckHeader()
    abstained = answer.outcome is AnswerOutcome.ABSTAINED
    return replace(header, detected_abstains=abstained, detected_in_language=answer.language.answer)


def _interval(headers: Sequence[CheckHeader], name: str, seed: int) -> list[float] | None:
    values: list[float] = []
    queries: list[str] = []
    for number, header in enumerate(headers):
        counts = {share: getattr(header, share) for share in _SHARES} if header.scored else {}
        values += _flags(counts, name)
        queries += [str(number)] * (len(values) - len(queries))
    return interval_of_shares(values, seed, queries)


def mean_of_shares(values: Sequence[float], seed: int) -> dict[str, Any]:
    """Return the mean of queries' shares with its interval and their number."""
    return {"value": fmean(values) if values else None, "ci": interval_of_shares(values, seed), "n": len(values)}


def interval_of_shares(values: Sequence[float], seed: int, queries: Sequence[str] | None = None) -> list[float] | None:
    """Return the 95 % interval of the mean of shares, resampling queries; None for fewer than two queries.

    Where all values are 0, or all 1, all resamples are equal; then it is Wilson's, with a trial for each query.
    """
    n = len(values if queries is None else set(queries))
    if n > 1 and set(values) in ({0.0}, {1.0}):
        return list(share_interval(round(values[0]) * n, n))
    interval = mean_interval(values, seed=seed, clusters=queries) if values else None
    return None if interval is None else list(interval)


def _flags(counts: Mapping[str, int], name: str) -> Iterable[float]:
    for share, count in counts.items():
        yield from [float(share == name)] * count
