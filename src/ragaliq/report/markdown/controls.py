"""Controls, attacks and the exam of a judge (`ragaliq judge-controls`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ragaliq.judge.controls.attacks import Shift, summarise_shifts
from ragaliq.judge.controls.cases import Checked, Kind, bounds
from ragaliq.judge.controls.exam import APART, ExamCell, ExamResult, worst_kinds
from ragaliq.judge.controls.faithfulness import KINDS, Faithfulness, SentenceShare, least_accuracy
from ragaliq.judge.controls.gates import EVERYWHERE, Gate, gates, language_disagreements
from ragaliq.judge.controls.results import JudgeResults, unmeasured
from ragaliq.report.format import NONE, between, markdown, thousandths

_GATES = "!: fewer controls are within the bound than must be"
_SHIFTS = (
    "n: answers with a grade both with and without the attack. The shift of the grade leaves out grades of 0, which "
    "abstain; in the shift of the weight a 0 is worth .4, as everywhere, so an answer that goes from 1 to 0 is raised "
    "by .4."
)
_EXAM = (
    "Share of the answers whose grade is an intended one, of those with a grade (n where some have none). bias: mean "
    "distance from the nearest intended grade, over all languages. Row `all` and agreement are without "
    f"{', '.join(sorted(APART))}. Nothing here is a gate."
)

_FAITHFULNESS = (
    "Planted sentences that are recognised: of verbatim, paraphrase, reworded and merged (from two passages) those "
    "called supported (kept), of the others those called anything else (caught). Called contradicted: of number, name, "
    "negation. In brackets 95 % intervals."
)


def render_controls(judge: JudgeResults, shifts: Sequence[Shift] | None = None) -> str:
    """Return the tables and lists of a judge, a panel's members before what they are together."""
    parts = [part for one in (*judge.members, judge) for part in _controls(one)]
    return "\n\n".join([*parts, *(_attacks(shifts) if shifts is not None else [])])


def render_exam(result: ExamResult) -> str:
    """Return an exam: share of intended grades by kind and language, then agreement by language."""
    langs = result.langs()
    shares = []
    for kind in [*result.kinds(), EVERYWHERE]:
        whole = result.cells.get((kind, langs[-1]))
        cells = {lang: _share(result.cells.get((kind, lang))) for lang in langs}
        shares.append({"answer": kind, **cells, "bias": _hundredths(whole.bias if whole else None, "+")})
    agreement = [
        {"agreement": name, **{lang: _hundredths(result.agreement[lang][name]) for lang in langs}}
        for name in ("qwk", "weight_kappa", "refusal_f1")
    ]
    worst = worst_kinds(result)
    last = [f"Worst kinds: {', '.join(worst)}."] if worst else []
    title = "Exam: answers with an intended grade"
    return "\n\n".join([title, markdown(shares, colons=False), markdown(agreement, colons=False), _EXAM, *last])


def render_faithfulness(checker: str, parts: Sequence[Faithfulness]) -> str:
    """Return a checker's controls: what is recognised by kind and language, then kept, caught and both together."""
    rows = [{"sentence": kind, **{part.lang: _count(part.right[kind]) for part in parts}} for kind in KINDS]
    shares: dict[str, Callable[[Faithfulness], SentenceShare]] = {
        "kept": lambda part: part.kept,
        "caught": lambda part: part.caught,
        "called contradicted": lambda part: part.contradicted,
    }
    rows += [
        {"sentence": name, **{part.lang: _with_interval(read(part).value, read(part).interval) for part in parts}}
        for name, read in shares.items()
    ]
    balanced = {part.lang: _with_interval(part.balanced_accuracy, part.interval) for part in parts}
    state = "passed" if all(part.passed for part in parts) else "FAILED"
    lost = [f"{part.n_lost} of {part.n} answers in {part.lang} have no findings." for part in parts if part.n_lost]
    return "\n\n".join(
        [
            f"Controls of checker {checker}: {state}, least balanced accuracy {least_accuracy():g}",
            markdown([*rows, {"sentence": "balanced accuracy", **balanced}], colons=False),
            _FAITHFULNESS,
            *lost,
        ]
    )


def _count(share: SentenceShare) -> str:
    return NONE if share.value is None else f"{round(share.value * share.n)}/{share.n}"


def _with_interval(value: float | None, interval: tuple[float, float] | None) -> str:
    return NONE if value is None else f"{thousandths(value)} [{between(interval)}]"


def _controls(judge: JudgeResults) -> list[str]:
    results, table = judge.results, gates(judge.results)
    lost, failed = unmeasured(results), not all(gate.passed for gate in table)
    state = f"not measured, {lost} failed" if lost else "FAILED" if failed else "passed"
    parts = [f"Controls of judge {judge.name}: {state}"]
    if table:
        parts.append(_gates(table))
    if failed:
        parts.append(_GATES)
    missed = [_missed(result) for result in results if result.answered and not result.passed]
    if missed:
        parts.append("\n".join(["Controls outside their bound:", *missed]))
    silent = [result for result in results if not result.answered]
    if silent:
        example = " ".join(silent[0].feedback.split())[:200]
        parts.append(f"{len(silent)} calls failed and count nowhere, such as: {example}")
    apart = [
        f"- {a.item_id}, {a.kind}: " + ", ".join(f"{lang} {_grade(grade)}" for lang, grade in a.grades)
        for a in language_disagreements(results)
    ]
    if apart:
        parts.append("\n".join(["Parallel answers that it grades differently in different languages:", *apart]))
    return parts


def _gates(table: Sequence[Gate]) -> str:
    """Return kind × language: how many pass, or the median of a kind that gates nothing."""
    langs = sorted({gate.lang for gate in table}, key=lambda lang: (lang == EVERYWHERE, lang))
    cells = {(gate.kind, gate.lang): _gate(gate) for gate in table}
    rows = [
        {"control": kind, "sound is": str(bounds()[kind]), **{lang: cells.get((kind, lang), NONE) for lang in langs}}
        for kind in Kind
        if any(gate.kind is kind for gate in table)
    ]
    return markdown(rows, colons=False)


def _gate(gate: Gate) -> str:
    if gate.allowed is not None:
        return f"{gate.passes}/{gate.n}{'' if gate.passed else ' !'}"
    return "no grade" if gate.median is None else f"median {gate.median}"


def _missed(result: Checked) -> str:
    control, feedback = result.control, " ".join(result.feedback.split())[:120]
    outcome = f" ({result.outcome})" if result.grade is None else ""
    line = f"- {control.lang} {control.item_id}, {control.kind}: {_grade(result.grade)}{outcome}"
    return f"{line}; {feedback}" if feedback else line


def _attacks(shifts: Sequence[Shift]) -> list[str]:
    rows = [
        {
            "lang": s.lang,
            "attacks": "subtle" if s.subtle else "plain",
            "n": str(s.n),
            "no grade": str(s.n_ungraded),
            "raised": str(s.raised),
            "mean shift, grade": _hundredths(s.points, "+"),
            "mean shift, weight": _hundredths(s.worth, "+"),
        }
        for s in summarise_shifts(shifts)
    ]
    title = "Attacks: the grade of the same wrong answer with the attack, less that without it"
    paid = [
        f"- {s.lang} {s.attack.attack_id}, {s.item_id}: {s.before} → {s.after}"
        for s in shifts
        if s.worth is not None and s.worth > 0
    ]
    if not rows:
        return [f"{title}: none was answered in these languages"]
    return [title, markdown(rows, colons=False), _SHIFTS, *(["\n".join(["Attacks that paid:", *paid])] if paid else [])]


def _grade(grade: int | None) -> str:
    return "no grade" if grade is None else str(grade)


def _share(cell: ExamCell | None) -> str:
    if cell is None or cell.within is None:
        return NONE
    return f"{cell.within:.2f}" + (f" ({cell.n_graded}/{cell.n})" if cell.n_graded < cell.n else "")


def _hundredths(value: float | None, sign: str = "") -> str:
    return NONE if value is None else f"{value:{sign}.2f}"
