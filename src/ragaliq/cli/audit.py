"""`ragaliq build audit`: what people's reviews say of a benchmark, and which of its items are unequal."""

from __future__ import annotations

import argparse
from pathlib import Path

from ragaliq.errors import InputError


def audit(arguments: argparse.Namespace) -> int:
    """Write the audit of a benchmark, print its summary, and return the exit code."""
    from ragaliq.benchmark.checks.validate import is_parallel
    from ragaliq.benchmark.load import load_benchmark
    from ragaliq.build.audit.audit import audit_benchmark
    from ragaliq.build.parity.parity_file import benchmark_parity
    from ragaliq.build.workspace import Workspace
    from ragaliq.report.markdown.audit import audit_summary, check_audit_files, write_audit
    from ragaliq.review.reviewed import benchmark_reviews
    from ragaliq.storage.files import read_json

    folder = Path(arguments.bench)
    head = folder / "bench.json"
    if not head.is_file():
        raise InputError(f"--bench {folder}: {head} is missing; give a benchmark in our own layout")
    check_audit_files(folder)
    benchmark = load_benchmark(folder)
    with Workspace(folder).locked():
        reviews, parity = benchmark_reviews(folder), benchmark_parity(folder, benchmark)
        figures = audit_benchmark(benchmark, reviews, parity, is_parallel(read_json(head)))
        write_audit(folder, figures)
    print(audit_summary(figures, folder))
    return 0
