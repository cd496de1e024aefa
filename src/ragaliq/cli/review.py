"""`ragaliq review`: a person's judgements, blind to the system."""

from __future__ import annotations

import argparse
import getpass
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragaliq.cli.options import add_shared, parse_languages, positive, run_path, tell
from ragaliq.cli.serving import add_serving, serve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragaliq.review.export import Exported, LgtmRow
    from ragaliq.review.labels import LabelFile
    from ragaliq.review.session import Session
    from ragaliq.review.sheets import ReviewSource
    from ragaliq.types import AgreementRow


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "review",
        help="a person's judgements, blind to system and model: a page or a terminal",
        description="Judge answers by the rubric (or what was retrieved) without knowing the system, or the nuggets, "
        "judgements of support and translations of a benchmark without the model's label. Every judgement is saved at "
        "once in DIR/review; the same command goes on. Ctrl-C ends it.",
    )
    add = parser.add_argument
    add("folder", metavar="DIR", help="a run's folder, a folder of runs, whose answers are mixed, or a benchmark")
    add("--task", choices=("grade", "lgtm", "nuggets", "support", "translation"),
        help="of runs grade answers 0 to 5 (default), or lgtm: whether the first ten chunks look good; of a benchmark "
        "mark nuggets (default), the support of a nugget by a document, or a translation")  # fmt: skip
    add("--rater", metavar="NAME", help="who judges (default: your login name; with --export: everybody)")
    add("--sample", type=positive, metavar="N", help="draw N items over systems and languages (default: all)")
    add_shared(parser, "--lang", "--seed")
    add("--data", metavar="DIR", help="the benchmark, for lgtm (default: where the run found it)")
    add_serving(parser)
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--terminal", action="store_true", help="judge in the terminal instead of a page")
    way.add_argument("--export", metavar="OUT", help="write the labels to that folder, for `ragaliq agree`")
    way.add_argument("--html", metavar="FILE", help="write the page as one file that needs no server")
    way.add_argument("--import", dest="labels", metavar="FILE", help="add the labels that such a page downloads")
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit code."""
    from ragaliq.review.export import export_labels
    from ragaliq.review.labels import LabelFile, check_rater, label_file
    from ragaliq.review.offline import import_labels, page_rater
    from ragaliq.review.sources.opening import open_source

    named = "" if arguments.rater is None else check_rater(arguments.rater)
    source = open_source(run_path(arguments.folder), Path(arguments.data) if arguments.data else None)
    if arguments.export:
        _tell_export(export_labels(source, Path(arguments.export), named))
        return 0
    known = page_rater(source, Path(arguments.labels)) if arguments.labels and not named else ""
    rater = named or known or check_rater(login_name())
    with LabelFile(label_file(source.folder, rater), source.only) as labels:
        if arguments.labels:
            count = import_labels(source, Path(arguments.labels), rater, labels)
            tell([f"{count} judgements added: {labels.path}"])
        else:
            _review(arguments, source, rater, labels)
    return 0


def _review(arguments: argparse.Namespace, source: ReviewSource, rater: str, labels: LabelFile) -> None:
    from ragaliq.review.offline import write_page
    from ragaliq.review.server import ReviewServer
    from ragaliq.review.session import Session
    from ragaliq.review.sheets import Choice, make_sheets
    from ragaliq.review.sources.opening import task_of
    from ragaliq.review.terminal import review_in_terminal

    task = task_of(source, arguments.task)
    langs = parse_languages(arguments.lang)
    sheets = make_sheets(source, task, Choice(tuple(langs or ()), arguments.sample, arguments.seed))
    session = Session(source, sheets, task, rater, labels)
    if arguments.html:
        write_page(session, Path(arguments.html), arguments.rater or "")
        _tell_items(session)
        named = "" if arguments.rater else " --rater NAME"
        tell([f"page: {arguments.html}; add what comes back with --import FILE{named}"])
        return
    with nullcontext() if arguments.terminal else ReviewServer(session, arguments.port) as server:
        _tell_items(session)
        try:
            if server is None:
                review_in_terminal(session, sys.stdin, sys.stdout)
            else:
                serve(server, not arguments.no_browser)
        except KeyboardInterrupt:
            pass
        finally:
            _tell_end(session, labels)


def _tell_items(session: Session) -> None:
    """Say what is judged, how many items there are, and of how many runs: a run without answers has none."""
    places = [place for sheet in session.sheets for place in sheet.places]
    n_items, runs = len(session.sheets), {place.run for place in places}
    same = "" if len(places) == n_items else f" ({len(places)} answers; the same text is judged once)"
    items = "item" if n_items == 1 else "items"
    of = "the benchmark" if runs == {""} else f"{len(runs)} {'run' if len(runs) == 1 else 'runs'}"
    urgent = session.source.urgent()
    flagged = sum((sheet.lang, sheet.query_id) in urgent for sheet in session.sheets)
    first = f"; {flagged} of them come first: they are flagged as unequal in build/parity.jsonl" if flagged else ""
    tell([f"{n_items} {items} of {of}{same}, task {session.task}, rater {session.rater}{first}"])


def _tell_end(session: Session, labels: LabelFile) -> None:
    """Say how far each language is and where the labels are; a file without a label is taken away."""
    done = ", ".join(f"{part.lang} {part.done}/{part.n}" for part in session.progress())
    saved = f"judged: {done}; saved in {labels.path}" if labels.latest else "nothing was judged, so nothing is saved"
    tell([f"\n{saved}"])


def _tell_export(exported: Exported) -> None:
    tell(f"{path}: {count} labels" for path, count in exported.files)
    if exported.n_stale:
        tell([f"{exported.n_stale} labels left out: their texts have changed"])
    if exported.lgtm:
        _print_lgtm(exported.lgtm)
    if exported.agreement:
        _print_agreement(exported.agreement)


def _print_lgtm(rows: Sequence[LgtmRow]) -> None:
    print("| run | lang | rater | LGTM@10 | 95 % | n | queries | from | to |\n|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        ci = "—" if row.ci is None else f"[{row.ci[0]:.3f}, {row.ci[1]:.3f}]"
        print(
            f"| {row.run} | {row.lang} | {row.rater} | {_figure(row.lgtm_at_10)} | {ci} | {row.n} | {row.n_queries} "
            f"| {row.first} | {row.last} |"
        )


def _print_agreement(rows: Sequence[AgreementRow]) -> None:
    print("| judged | lang | n | raters | same | Cohen's κ | α | α ordinal |\n|---|---|---:|---:|---:|---:|---:|---:|")
    for row in rows:
        figures = map(_figure, (row.exact, row.cohen_kappa, row.alpha, row.ordinal_alpha))
        print(f"| {row.what} | {row.lang} | {row.n} | {row.n_raters} | {' | '.join(figures)} |")


def _figure(value: float | None) -> str:
    return "—" if value is None else f"{value:.3f}"


def login_name() -> str:
    """Return the name of the user, as far as a file name can hold it; without one `rater`."""
    from ragaliq.review.labels import in_rater_name

    try:
        name = getpass.getuser()
    except (KeyError, OSError, ImportError):
        name = ""
    kept = "".join(char for char in name if in_rater_name(char)).lstrip(".-")
    return kept.encode()[:64].decode(errors="ignore") or "rater"
