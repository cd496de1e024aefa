"""What the checks find of planted faults, and on texts without one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from fault import KINDS
from planting import Case, batches

from ragaliq.metrics.statistics.intervals import share_interval
from ragaliq.types.translation import RecordKind, Severity, TranslationFinding, TranslationPair

Check = Callable[[Sequence[TranslationPair]], Sequence[TranslationFinding]]
_Key = tuple[RecordKind, str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The findings on a case's record that its sound text does not have; a hint counts as none."""

    case: Case
    findings: tuple[TranslationFinding, ...]

    def caught(self, right: bool, error: bool) -> bool:
        """Whether there is a finding: of the fault's kind, if `right`; of severity error, if `error`."""
        return any(
            (not right or finding.kind in KINDS[self.case.kind]) and (not error or finding.severity is Severity.ERROR)
            for finding in self.findings
        )


@dataclass(frozen=True, slots=True)
class Checked:
    """A language's cases with their findings; findings on sound texts, and new ones beside planted texts."""

    outcomes: list[Outcome]
    n_sound: int
    sound: list[TranslationFinding]
    beside: list[TranslationFinding]


def checked(pairs: Sequence[TranslationPair], cases: Sequence[Case], check: Check) -> Checked:
    """Run the check on the sound pairs, then once for each batch of cases among them.

    A finding on a reference whose gold chunk is planted is not counted as one beside it: the answer may be gone.
    """
    sound = _noted(check(pairs))
    known = {_text(finding) for finding in sound}
    outcomes, beside = [], []
    for batch in batches(len(pairs), cases):
        changed = list(pairs)
        for case in batch:
            changed[case.place] = case.pair
        new = [finding for finding in _noted(check(changed)) if _text(finding) not in known]
        planted = {(case.pair.record, case.pair.id) for case in batch}
        for case in batch:
            found = (finding for finding in new if (finding.record, finding.id) == (case.pair.record, case.pair.id))
            outcomes.append(Outcome(case, tuple(found)))
        touched = planted | set(_referring(pairs, planted))
        beside += [finding for finding in new if (finding.record, finding.id) not in touched]
    return Checked(outcomes, len(pairs), sound, beside)


def figures(languages: dict[str, Checked]) -> dict[str, object]:
    """The shares caught by kind and language and over all, and the false alarms, as JSON."""
    outcomes = [outcome for checked in languages.values() for outcome in checked.outcomes]
    planted = [kind for kind in KINDS if any(outcome.case.kind == kind for outcome in outcomes)]
    kinds = {
        kind: {
            lang: _shares([outcome for outcome in checked.outcomes if outcome.case.kind == kind])
            for lang, checked in languages.items()
        }
        for kind in planted
    }
    return {
        "over_all": _shares(outcomes),
        "by_kind": {kind: _shares([outcome for outcome in outcomes if outcome.case.kind == kind]) for kind in planted},
        "by_kind_and_language": kinds,
        "false_alarms": {lang: _alarms(checked) for lang, checked in languages.items()},
    }


def _shares(outcomes: Sequence[Outcome]) -> dict[str, object]:
    n = len(outcomes)
    records = len({(outcome.case.pair.lang, outcome.case.place) for outcome in outcomes})
    shares: dict[str, object] = {"n": n, "records": records}
    for name, right, error in (
        ("any_finding", False, False),
        ("any_error", False, True),
        ("right_finding", True, False),
        ("right_error", True, True),
    ):
        count = sum(outcome.caught(right, error) for outcome in outcomes)
        interval = share_interval(count, n) if n else None
        shares[name] = count
        shares[f"{name}_share"] = round(count / n, 4) if n else None
        shares[f"{name}_ci95"] = [round(interval.low, 4), round(interval.high, 4)] if interval else None
    return shares


def _alarms(checked: Checked) -> dict[str, object]:
    """Records of the sound texts with an error, and with a warning; findings by kind; new ones beside planted texts."""
    alarms: dict[str, object] = {"n": checked.n_sound}
    for severity in (Severity.ERROR, Severity.WARNING):
        findings = [finding for finding in checked.sound if finding.severity is severity]
        records = len({(finding.record, finding.id) for finding in findings})
        interval = share_interval(records, checked.n_sound)
        alarms[f"{severity}_records"] = records
        alarms[f"{severity}_ci95"] = [round(interval.low, 4), round(interval.high, 4)]
        alarms[f"{severity}_kinds"] = dict(sorted(Counter(finding.kind for finding in findings).items()))
        alarms[f"{severity}_beside"] = sum(finding.severity is severity for finding in checked.beside)
    return alarms


def _noted(findings: Sequence[TranslationFinding]) -> list[TranslationFinding]:
    return [finding for finding in findings if finding.severity is not Severity.HINT]


def _text(finding: TranslationFinding) -> tuple[str, ...]:
    return finding.record, finding.id, finding.kind, finding.severity, finding.message


def _referring(pairs: Sequence[TranslationPair], planted: set[_Key]) -> Iterator[_Key]:
    chunks = {id for record, id in planted if record is RecordKind.CHUNK}
    return ((pair.record, pair.id) for pair in pairs if not chunks.isdisjoint(pair.gold))
