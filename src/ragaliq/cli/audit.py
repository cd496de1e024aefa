"""`ragaliq build audit`: what people's reviews say of a benchmark, and which of its items are unequal."""

from __future__ import annotations

import argparse
from pathlib import Path


def audit(arguments: argparse.Namespace) -> int:
    """Write the audit of a benchmark, print its summary, and return the exit code."""
    from ragaliq.benchmark.load import load_benchmark
    from ragaliq.build.audit.audit import audit_benchmark
    from ragaliq.build.audit.combined_raters import Reviews
    from ragaliq.build.parity.parity_file import benchmark_parity
    from ragaliq.build.workspace import Workspace
    from ragaliq.report.markdown.audit import audit_summary, write_audit
    from ragaliq.review.reviewed import reviewed_nuggets, reviewed_support, reviewed_translations

    folder = Path(arguments.bench)
    benchmark = load_benchmark(folder)
    with Workspace(folder).locked():
        reviews = Reviews(reviewed_nuggets(folder), reviewed_support(folder), reviewed_translations(folder))
        figures = audit_benchmark(benchmark, reviews, benchmark_parity(folder, benchmark))
        write_audit(folder, figures)
    print(audit_summary(figures, folder))
    return 0
