"""`ragaliq build translate --export`, `--import`: translations in the files of translators' tools."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragaliq.cli.options import tell
from ragaliq.cli.review import login_name
from ragaliq.errors import InputError

if TYPE_CHECKING:
    from ragaliq.build.context import BuildContext
    from ragaliq.build.translation.exchange.incoming import Returned
    from ragaliq.build.translation.segment import Segment

_STAGE = "translate"


def add_exchange(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the exchange."""
    way = parser.add_mutually_exclusive_group().add_argument
    way("--export", metavar="OUT", help="translate: write XLIFF and TMX for translators into this new folder")
    way("--import", dest="returned", nargs="+", metavar="FILE", help="translate: take their edits from XLIFF or TMX")
    parser.add_argument(
        "--rater", metavar="NAME", help="translate --import: who made the edits, if a file names nobody (login name)"
    )


def exchange(arguments: argparse.Namespace) -> int:
    """Write the files, or take the edits of files, and return the exit code."""
    from ragaliq.build.context import BuildContext
    from ragaliq.build.model.backend import Backend
    from ragaliq.build.translation.memory import segments_of
    from ragaliq.build.workspace import Workspace
    from ragaliq.llm import LLMSession

    workspace = Workspace(Path(arguments.bench))
    context = BuildContext(workspace, LLMSession(), Backend())
    if not context.settings.translate.languages:
        raise InputError(f"{workspace.settings_file}: 'translate.languages' names no language; see docs/build.md")
    if _STAGE not in workspace.finished():
        raise InputError(f"build {_STAGE}: is not finished; run `ragaliq build all --bench {arguments.bench}` first")
    segments = segments_of(context)
    if arguments.export:
        _export(context, segments, Path(arguments.export))
    else:
        return _import(arguments, segments, context.settings.translate.keep)
    return 0


def _export(context: BuildContext, segments: list[Segment], out: Path) -> None:
    from ragaliq.benchmark.translation.terms_kept import Terms
    from ragaliq.build.translation.exchange.outgoing import export_segments
    from ragaliq.build.translation.glossary import build_terms

    langs = context.settings.translate.languages
    terms = build_terms(context.workspace, segments[0].source_lang, langs) if segments else Terms()
    for path in export_segments(segments, terms, context.settings.name, out):
        print(path)


def _import(arguments: argparse.Namespace, segments: list[Segment], keep: Sequence[str]) -> int:
    from ragaliq.build.translation.edits import append_edits
    from ragaliq.build.translation.exchange.incoming import NoEdit, read_returned, returned_edits
    from ragaliq.review.labels import check_rater
    from ragaliq.review.session import utc_now

    rater = check_rater(login_name() if arguments.rater is None else arguments.rater)
    # All files are read before anything is written.
    files = [read_returned(Path(name)) for name in arguments.returned]
    returned = returned_edits(Path(arguments.bench), segments, files, rater, utc_now(), keep)
    append_edits(Path(arguments.bench), returned.edits)
    tell(_lines(returned))
    if returned.edits:
        tell([f"next: ragaliq build all --bench {arguments.bench}"])
    # A file that was taken before, or was not changed, is no failure.
    as_it_is = NoEdit.UNCHANGED in returned.others and not returned.named
    return 0 if returned.edits or as_it_is else 1


def _lines(returned: Returned) -> list[str]:
    """Return what is said of the files: the edits, and one line for each other kind of unit."""
    from ragaliq.build.translation.exchange.incoming import NoEdit

    by_lang = Counter(edit.lang for edit in returned.edits)
    langs = ", ".join(f"{lang} {count}" for lang, count in sorted(by_lang.items()))
    lines = [f"edits: {len(returned.edits)}{f' ({langs})' if langs else ''}"]
    if returned.superseded:
        lines.append(f"of these replaced by a later one for the same segment: {returned.superseded}")
    for cause in NoEdit:
        if returned.others.get(cause):
            which = f" ({', '.join(returned.languages)})" if cause is NoEdit.FOREIGN else ""
            names = returned.named.get(cause, ())
            more = "; …" if returned.others[cause] > len(names) else ""
            shown = f" ({'; '.join(names)}{more})" if names else ""
            lines.append(f"{cause}{which}: {returned.others[cause]}{shown}")
    return lines
