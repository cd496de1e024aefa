"""`ragaliq build update`: the next version of a benchmark whose documents have changed."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ragaliq.cli.options import tell
from ragaliq.errors import InputError

if TYPE_CHECKING:
    from ragaliq.build.context import BuildContext


def begin(arguments: argparse.Namespace, context: BuildContext) -> bool:
    """Begin the update that a command asks for, if any; return whether there is anything to build."""
    from ragaliq.build.update.begin import begin_update, sources_changed
    from ragaliq.build.update.changelog import refuse_foreign_changelog

    if arguments.stage == "update":
        refuse_foreign_changelog(context.workspace.path)
        if begin_update(context, arguments.retire):
            return True
        print(f"nothing has changed since version {context.settings.version}")
        return False
    if arguments.retire:
        raise InputError(f"build {arguments.stage}: --retire is for `ragaliq build update`")
    if arguments.stage == "all" and sources_changed(context):
        version = context.settings.version
        advice = "`ragaliq build update` makes the next version, keeps ids, and lists what has changed"
        tell([f"ragaliq: the documents have changed; this builds version {version} anew. {advice}"])
    return True


def preview(context: BuildContext) -> str:
    """Return what an update would change."""
    from ragaliq.build.update.preview import preview_update

    return "\n".join(preview_update(context))


def conclude(arguments: argparse.Namespace, context: BuildContext) -> None:
    """Write the changelog of the last update, if there was one, and print the counts of one that was asked for."""
    from ragaliq.build.update.changelog import finish_update

    lines = finish_update(context)
    if arguments.stage == "update":
        print("\n".join(lines))
