"""Whether texts and their translations state the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from ragaliq.benchmark.translation.facts.glossary import glossary_check
from ragaliq.benchmark.translation.facts.spans import span_findings
from ragaliq.benchmark.translation.facts.values import fact_findings
from ragaliq.benchmark.translation.form.capitals import capitals_findings
from ragaliq.benchmark.translation.form.length import length_findings
from ragaliq.benchmark.translation.form.links import link_findings
from ragaliq.benchmark.translation.form.presence import missing_findings
from ragaliq.benchmark.translation.form.structure import structure_findings
from ragaliq.benchmark.translation.language.copies import copy_findings
from ragaliq.benchmark.translation.language.foreign import language_findings
from ragaliq.benchmark.translation.language.untranslated import untranslated_findings
from ragaliq.benchmark.translation.meaning import meaning_findings
from ragaliq.benchmark.translation.names import name_findings
from ragaliq.benchmark.translation.negation import negation_findings
from ragaliq.benchmark.translation.terms_kept import Terms
from ragaliq.types import TranslationFinding, TranslationPair

_Check = Callable[[Sequence[TranslationPair]], Iterator[TranslationFinding]]
# Each gets all pairs of one target language.
_CHECKS: tuple[_Check, ...] = (
    missing_findings,
    untranslated_findings,
    language_findings,
    fact_findings,
    name_findings,
    negation_findings,
    meaning_findings,
    link_findings,
    capitals_findings,
    structure_findings,
    length_findings,
    span_findings,
)


def check_pairs(pairs: Iterable[TranslationPair], terms: Terms | None = None) -> list[TranslationFinding]:
    """Return what is wrong with translations, or seems to be, sorted by language, record, id and kind.

    Every check sees all pairs of a target language at once. A text in a language that a check does not know has no
    finding of that check.

    Args:
        pairs: texts and their translations, of any languages.
        terms: what must stay as it is, and the glossary.
    """
    everything = list(pairs)
    languages: dict[str, list[TranslationPair]] = defaultdict(list)
    for pair in everything:
        languages[pair.lang].append(pair)
    checks = (*_CHECKS, glossary_check(terms or Terms()))
    findings = {finding for lang in languages for check in checks for finding in check(languages[lang])}
    return sorted(findings | set(copy_findings(everything)))
