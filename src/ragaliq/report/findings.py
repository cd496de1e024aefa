"""What several runs show, in sentences: for results.md, the page and the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from ragaliq.compare.overview.findings import Losses, RunFindings, StageLoss
from ragaliq.compare.overview.systems import SystemOverview
from ragaliq.report.format import between, named, one_line_name, plus_minus, short, thousandths
from ragaliq.report.stages import STAGES
from ragaliq.text.language_names import english_name
from ragaliq.types import LossStage

# The most names in a sentence.
_NAMED = 3


def finding_sentences(findings: RunFindings) -> list[str]:
    """Return up to three statements: who is best, the languages, where the points go; each as far as it is known."""
    best = findings.best
    if best is None:
        return ["Best: not known, because too few answers have a grade, or the systems share no language."]
    name = one_line_name(best.run.name)
    parts = {
        "Best" if findings.n_systems > 1 else "Score": _standing(findings, best, name),
        "Languages": " ".join(filter(None, (_leaders(findings), _spread(findings, name)))),
        "Losses": " ".join(filter(None, (_losses(findings.losses, name), _others(findings)))),
    }
    return [f"{title}: {told}" for title, told in parts.items() if told]


def _standing(findings: RunFindings, best: SystemOverview, name: str) -> str:
    """Return who is best, whether that is certain, and what would go unseen."""
    row, langs = best.pooled, findings.languages
    assert row is not None
    over = f"over {len(langs)} languages" if len(langs) > 1 else f"in {_listed(langs)}"
    if findings.n_systems == 1:
        sure = "" if row.ci is None else f"; with other queries of this kind it may lie in {between(row.ci)}"
        return f"{name} has a weighted score of {short(row.score)} {over}{sure}."
    head = f"{name} ({plus_minus(row.score, row.ci)} {over})"
    others, unranked = findings.n_systems - 1, findings.n_systems - findings.n_ranked
    if findings.certain:
        told = (
            f"{head}, for certain: it is better than {'the other' if others == 1 else f'each of the other {others}'}."
        )
    elif not findings.n_ranked:
        told = f"{head} has the highest score, but the systems cannot be ranked; the lines under the tables say why."
    elif findings.level:
        level = named([one_line_name(one) for one in findings.level], _NAMED)
        told = f"{head} has the highest score, but the data cannot tell it apart from {level}."
        told += f" {unranked} of the others cannot be ranked with it." if unranked else ""
    else:
        told = (
            f"{head} is better than {findings.n_ranked - 1} of the {others} others; the rest cannot be ranked with it."
        )
    if findings.certain or findings.detectable is None:
        return told
    return f"{told} A difference of less than {thousandths(findings.detectable)} in mean weight would often go unseen."


def _leaders(findings: RunFindings) -> str:
    """Return in which languages each system leads, and where that is certain."""
    if len(findings.languages) < 2 or not findings.leaders:
        return ""
    where: dict[tuple[str, ...], list[str]] = {}
    for leader in findings.leaders:
        where.setdefault(leader.names, []).append(leader.lang)
    (first, langs), *rest = where.items()
    have = "has" if len(first) == 1 else "have"
    told = [f"{_joined(first)} {have} the highest score in {_listed(langs) if rest else 'every language'}"]
    told += [f"{_joined(names)} in {_listed(own)}" for names, own in rest]
    certain = [leader.lang for leader in findings.leaders if leader.certain]
    return f"{'; '.join(told)} (for certain: {_listed(certain) or 'nowhere'})."


def _spread(findings: RunFindings, name: str) -> str:
    """Return the gap between the languages of the best system."""
    spread = findings.spread
    if spread is None or not spread.difference:
        return ""
    sure = "for certain" if findings.certain_spread else "but not for certain"
    by = f"{thousandths(spread.difference, sign=True)} in mean weight"
    return f"{name} is weaker in {_listed([spread.lang])} than in {_listed([spread.against])}, {sure} ({by})."


def _losses(losses: Losses | None, name: str) -> str:
    """Return which stages lose the most, overall and by language, and which certainly lose more in one language."""
    if losses is None:
        return ""
    stages = [f"{STAGES[one.stage][0]} {short(one.value)}" for one in losses.stages if one.value > 0]
    if not stages:
        return f"{name} loses nothing."
    over = f" over its {losses.n_languages} languages" if losses.n_languages > 1 else ""
    told = f"{name} loses {short(losses.loss)} of the best possible mean weight{over}: {', '.join(stages[:_NAMED])}"
    if len(losses.mains) < 2:
        return f"{told}."
    where: dict[LossStage, list[str]] = {}
    for one in losses.mains:
        where.setdefault(one.stage, []).append(one.lang)
    most = [
        f"{STAGES[stage][0]} in {'every language' if len(langs) == losses.n_languages else _listed(langs)}"
        for stage, langs in where.items()
    ]
    more = "At no stage does it certainly lose more in one language than in the others."
    if losses.apart:
        more = f"Certainly more than in its other languages: {named([*map(_stage, losses.apart)], _NAMED)}."
    return f"{told}; most of it: {', '.join(most)}. {more}"


def _others(findings: RunFindings) -> str:
    """Return which of the other systems certainly lose more in one language, and where."""
    apart = [f"{one_line_name(one.name)} ({_stage(one.stage)})" for one in findings.others_apart]
    return f"Other systems that certainly lose more in one language: {named(apart, _NAMED)}." if apart else ""


def _stage(one: StageLoss) -> str:
    return f"{STAGES[one.stage][0]} in {_listed([one.lang])}, {one.value:+.2f}"


def _joined(names: Sequence[str]) -> str:
    """Return names as in `a, b and c`."""
    *most, last = map(one_line_name, names)
    return f"{', '.join(most)} and {last}" if most else last


def _listed(langs: Sequence[str]) -> str:
    """Return the English names of languages."""
    return ", ".join(one_line_name(english_name(lang)) for lang in langs)
