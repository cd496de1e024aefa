"""`ragaliq experiment`: several retrieval systems on one data set → runs, measures, a report."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ragaliq.cli.options import add_calls, add_shared, command_session, run_path, tell
from ragaliq.config import slug


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "experiment",
        help="several retrieval systems on one data set → runs, measures, a report",
        description="Carry out a retrieval experiment: each system of the file in each language, a BM25 baseline "
        "beside, then metrics.json and retrieval.md. The same command goes on after a stop.",
    )
    add = parser.add_argument
    add("config", metavar="CONFIG.yaml", help="data, languages, measures and systems (docs/config.md)")
    add("--out", metavar="DIR", help="the folder of the experiment (default: results/NAME)")
    add_shared(parser, "--fresh")
    add_calls(parser)
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit code."""
    from ragaliq.experiment.figures.study_figures import figures
    from ragaliq.experiment.run import run_experiment
    from ragaliq.experiment.settings.config import load_experiment
    from ragaliq.experiment.settings.system import Parts
    from ragaliq.report.markdown.retrieval import refuse_foreign_report, write_report

    experiment = load_experiment(Path(arguments.config))
    out = run_path(arguments.out) if arguments.out else Path("results") / slug(experiment.name)
    refuse_foreign_report(out)
    with command_session(arguments) as session:
        study = run_experiment(experiment, out, Parts(session, Path(".ragaliq") / "index"), arguments.fresh, tell)
    for line in write_report(study, figures(study), out):
        print(line)
    print(f"runs and measures: {out}\nreport: {out / 'retrieval.md'}")
    return 0
