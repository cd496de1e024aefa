"""`ragaliq build check-translation`: check the translations of a benchmark on disk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragaliq.cli.options import tell

if TYPE_CHECKING:
    from ragaliq.benchmark.translation.pass_rates import PassRate
    from ragaliq.build.workspace import Workspace
    from ragaliq.types import TranslationFinding

NAME = "check-translation"
# Errors of each language that are printed.
_EXAMPLES = 3


def is_on_disk(bench: Path) -> bool:
    """Return whether a folder holds a finished benchmark; one that is only being built is checked by its stage."""
    return (bench / "bench.json").is_file() or not (bench / "build.yaml").is_file()


def check_on_disk(bench: Path, source_lang: str) -> int:
    """Check a benchmark's translations, write the findings, print the pass rates, and return the exit code."""
    from ragaliq.benchmark.translation.check import check_pairs
    from ragaliq.benchmark.translation.findings_file import FINDINGS, write_findings
    from ragaliq.benchmark.translation.pairs import benchmark_pairs
    from ragaliq.benchmark.translation.pass_rates import translation_pass_rates
    from ragaliq.benchmark.translation.terms_kept import Terms
    from ragaliq.build.translation.glossary import build_terms
    from ragaliq.build.workspace import Workspace
    from ragaliq.report.format import markdown

    texts = benchmark_pairs(bench, source_lang)
    workspace = Workspace(bench)
    built = workspace.settings_file.is_file()
    terms = build_terms(workspace, texts.source_lang, texts.languages) if built else Terms()
    findings = write_findings(workspace.build / FINDINGS, [*texts.missing, *check_pairs(texts.pairs, terms)])
    rates = translation_pass_rates(texts.pairs, findings, texts.languages)
    print(markdown([_row(rate) for rate in rates], texts={"language", "errors by kind", "warnings by kind"}))
    print("\n".join(_examples(findings, texts.languages)), end="")
    tell([f"{workspace.build / FINDINGS}: {len(findings)} findings"])
    return 1 if any(rate.errors for rate in rates) else 0


def exit_code_of_stage(workspace: Workspace) -> int:
    """Write the findings of the stage's rows, say how many, and return 1 if one is an error, else 0."""
    from ragaliq.benchmark.translation.findings_file import FINDINGS
    from ragaliq.build.stages.check_translation import write_stage_findings

    severities = Counter(str(finding.severity) for finding in write_stage_findings(workspace))
    path = workspace.build / FINDINGS
    tell([f"{path}: {severities['error']} errors, {severities['warning']} warnings"])
    return 1 if severities["error"] else 0


def _row(rate: PassRate) -> dict[str, str]:
    from ragaliq.report.format import thousandths, with_interval

    share = rate.passed / rate.n if rate.n else None
    interval = (rate.interval.low, rate.interval.high) if rate.interval else None
    return {
        "language": rate.lang,
        "texts": str(rate.n),
        "with errors": str(rate.n - rate.passed),
        "with warnings only": str(rate.warned),
        "pass rate (95 % interval)": with_interval(share, interval) if interval else thousandths(share),
        "errors by kind": _counts(rate.errors),
        "warnings by kind": _counts(rate.warnings),
    }


def _counts(kinds: Counter[str]) -> str:
    return ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())) or "–"


def _examples(findings: Sequence[TranslationFinding], languages: Sequence[str]) -> list[str]:
    """Return lines with the first errors of each language; each line ends as a line."""
    from ragaliq.types import Severity

    lines = []
    for lang in languages:
        errors = [one for one in findings if one.lang == lang and one.severity is Severity.ERROR]
        lines += [f"{lang} {one.record} {one.id}: {one.kind}: {one.message}" for one in errors[:_EXAMPLES]]
        if len(errors) > _EXAMPLES:
            lines.append(f"{lang}: and {len(errors) - _EXAMPLES} more errors")
    return ["", *lines, ""] if lines else []
