"""`ragaliq agree`: how far a judge's verdicts agree with labels."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ragaliq.cli.options import add_format, add_shared, print_json, tell
from ragaliq.errors import ConfigError

# Where results.md looks for certificates, beside itself.
_CERTIFICATES = "certificates"

_DESCRIPTION = """\
Compares two sources of grades on the same answers: a judge's verdicts with people's labels, or two judges.

VERDICTS and LABELS are each one of
  a run folder, or a folder of run folders
  verdicts.jsonl, graded rows, labels exported by `ragaliq review` (.jsonl)
  a judged log of the RAGaliq sources (.json, rows with `score`)
  a table (.csv, .tsv) with query_id, lang and grade, and run and rater where there are several
  an export of Label Studio (JSON, JSON_MIN or CSV) or Argilla (records.to_json) with one rating question
Items join on (query_id, lang), else on (lang, question, answer). Of several raters the median counts, in order of
worth (1 < 2 < 0 < 3 < 4 < 5), the lower of the middle two.

QWK alone flatters: a judge that only tells {0, <= 2, >= 3} apart gets .85. So it comes with QWK over attempted answers,
kappa in the weights of the grades, refusal F1, the AUC of 5 against 3-4, and the bias in w̄, each with an interval over
queries. Verdicts without a label are used for prediction-powered inference: the mean weight that people would give,
from few labels; each system from its labels alone. Label 60 queries or more, drawn at random across languages."""

_EPILOG = """\
examples:
  ragaliq agree results/my-run labels.jsonl --by lang
  ragaliq agree results/my-run labels.csv --certificate results/certificates/my-judge
  ragaliq agree results labels.jsonl --judge "openai:qwen 1a2b"
  ragaliq agree results/my-run labels.jsonl --recalibrate my-cuts.json
  ragaliq agree verdicts-a.jsonl verdicts-b.jsonl --format json"""


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "agree",
        help="a judge's verdicts against people's labels",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("verdicts", metavar="VERDICTS", help="grades to be examined")
    add("labels", metavar="LABELS", help="grades taken for the truth")
    add("--judge", metavar="NAME",
        help="take the verdicts of this judge alone: its name as in the verdicts, or its name, a space and the first "
        "characters of the prompt hash")  # fmt: skip
    add("--by", choices=("lang",), help="show the figures of each language too (the JSON always holds them)")
    add("--population", nargs="+", default=[], metavar="RUN",
        help="estimate the mean weight over these verdicts, from their labels alone (default: VERDICTS)")  # fmt: skip
    add("--certificate", metavar="DIR",
        help="write certificate.json and certificate.md of the judge there; results.md "
        "cites what is in the folder `certificates` beside it, or one level below")  # fmt: skip
    add("--recalibrate", metavar="CUTS",
        help="refit the offline judge's cuts on at most 50 of the labels, write them to this JSON file, and print what "
        "they are worth on labels left out; VERDICTS is a run folder")  # fmt: skip
    add("--note", default="", metavar="TEXT", help="a sentence for the certificate, such as who labelled and how")
    add_format(parser, "json")
    add_shared(parser, "--seed")
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Print the agreement, and write the certificate if one is asked for."""
    if arguments.note and not arguments.certificate:
        raise ConfigError("--note: belongs to a certificate; give --certificate DIR")
    if arguments.certificate:
        _check_folder(Path(arguments.certificate))
    if arguments.recalibrate:
        return _recalibrate(arguments)
    from ragaliq.aggregate.grades.graded import load_graded, of_judge
    from ragaliq.compare.agreement.certificate import certify
    from ragaliq.compare.agreement.labels import compare_with_labels
    from ragaliq.report.markdown.agreement import render_agreement
    from ragaliq.report.markdown.certificate import write_certificate

    verdicts, *population = [load_graded(Path(path)) for path in (arguments.verdicts, *arguments.population)]
    labels = load_graded(Path(arguments.labels))
    if arguments.judge is not None:
        verdicts, *population = [of_judge(graded, arguments.judge) for graded in (verdicts, *population)]
    compared = compare_with_labels(verdicts, labels, population, arguments.seed)
    figures = compared.figures
    if arguments.certificate:
        path = Path(arguments.certificate) / "certificate.md"
        replaced = " replaced" if path.exists() else ""
        write_certificate(path.parent, certify(path.parent, compared, arguments.note))
        tell([f"certificate{replaced}: {path}; {_cited_by(path.parent)}"])
    if arguments.format == "json":
        print_json(figures)
    else:
        print(render_agreement(figures, arguments.by == "lang"))
    return 0


def _recalibrate(arguments: argparse.Namespace) -> int:
    others = [name for name in ("judge", "by", "certificate") if getattr(arguments, name)]
    if others or arguments.population:
        raise ConfigError(f"--recalibrate: goes without --{(others or ['population'])[0]}")
    from ragaliq.aggregate.grades.graded import load_graded
    from ragaliq.compare.agreement.recalibration import recalibrate
    from ragaliq.judge.offline.cuts import FORMAT
    from ragaliq.report.markdown.agreement import render_recalibration
    from ragaliq.storage.files import write_json
    from ragaliq.storage.foreign import is_json_of, refuse_foreign

    out = Path(arguments.recalibrate)
    _check_folder(out.parent, "--recalibrate")
    refuse_foreign(out, is_json_of({"format": frozenset({FORMAT})}), "give another file with --recalibrate")
    recalibration = recalibrate(Path(arguments.verdicts), load_graded(Path(arguments.labels)), arguments.seed)
    out.parent.mkdir(parents=True, exist_ok=True)
    write_json(out, recalibration.content)
    if arguments.format == "json":
        print_json(recalibration.content)
    else:
        print(render_recalibration(recalibration.content))
    use = f"judge: {{kind: offline, cuts: {out}}} takes them"
    tell([f"cuts: {out}; {use if recalibration.gained else 'no gain on labels left out: keep those that ship'}"])
    return 0


def _check_folder(folder: Path, option: str = "--certificate") -> None:
    nearest = next((path for path in (folder, *folder.parents) if path.exists()), None)
    if nearest is not None and not nearest.is_dir():
        raise ConfigError(f"{option}: {nearest} is a file; name a folder, new or not")


def _cited_by(folder: Path) -> str:
    """Return which results.md will cite the certificate in a folder."""
    whole = folder.resolve()
    certificates = next((path for path in (whole, whole.parent) if path.name == _CERTIFICATES), None)
    if certificates is None:
        return f"results.md cites it once it is in the folder {_CERTIFICATES}/ beside it"
    results, here = certificates.parent / "results.md", Path.cwd()
    shown = results.relative_to(here) if results.is_relative_to(here) else results
    return f"{shown} cites it at the next `ragaliq report` or `ragaliq run`"
