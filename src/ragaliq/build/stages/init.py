"""Init: `build.yaml` for documents, with every key that a user may want to change."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path, PurePath

from ragaliq.build.documents.language import check_language, check_translatable
from ragaliq.build.workspace import Workspace
from ragaliq.errors import InputError
from ragaliq.storage.files import is_draft

_TEXT = """\
# What decides this build; see docs/build.md. A key that is left out has its default.
name: {name}
version: "1"
niche: ""                  # for the card: the field of the documents, and who asks in it
sources:
{sources}
languages: [{languages}]   # none: recognised
{translate}
# questions: [{{path: asked.csv}}]   # what people asked: CSV, JSON Lines or Posts.xml; without answers a log
# preset: v2-2048          # v1-4096, v2-2048 or ragaliq
chunk: {{max_tokens: 512}}
generate: {{queries: 100}}   # per language
unanswerable: 0.15
seed: 0
"""


def init(workspace: Workspace, sources: Sequence[Path], languages: Sequence[str], targets: Sequence[str] = ()) -> None:
    """Draft `build.yaml`; an existing one stays, and must name the same sources, languages and targets.

    `Workspace.write_draft` writes it.

    Args:
        workspace: the build.
        sources: the documents.
        languages: their languages.
        targets: the languages to translate into.

    Raises:
        InputError: if no source is named, one is missing, a language is not a code, the targets do not fit the
            languages, or the file there names others.
    """
    missing = [path for path in sources if not path.exists()]
    if missing:
        raise InputError(f"--from {missing[0]}: no such file or folder")
    for option, langs in (("--lang", languages), ("--to", targets)):
        for lang in langs:
            check_language(lang, option)
    check_translatable(languages, targets, "--to")
    resolved = [path.resolve() for path in sources]
    if workspace.settings_file.is_file():
        _check_same(workspace, resolved, languages, targets)
        return
    if not sources:
        raise InputError("build init: name the documents with --from")
    if workspace.path.is_dir() and not all(map(is_draft, workspace.path.iterdir())):
        raise InputError(f"--bench {workspace.path}: has other files in it; name an empty folder")
    listed = "\n".join(_entry(path, workspace.path.resolve()) for path in sorted(set(resolved)))
    text = _TEXT.format(name=_quoted(workspace.path.resolve().name), sources=listed,
                        languages=", ".join(map(_quoted, languages)), translate=_translate(targets))  # fmt: skip
    workspace.draft = text
    # Wrong settings raise here.
    assert workspace.settings


def _translate(targets: Sequence[str]) -> str:
    if not targets:
        return "# translate: {languages: [de, fr]}   # languages to translate into"
    return f"translate: {{languages: [{', '.join(map(_quoted, dict.fromkeys(targets)))}]}}"


def _check_same(
    workspace: Workspace, sources: Sequence[Path], languages: Sequence[str], targets: Sequence[str]
) -> None:
    settings, file = workspace.settings, workspace.settings_file
    there = {(workspace.path / source.path).resolve() for source in settings.sources}
    if sources and there != set(sources):
        raise InputError(f"{file}: names other sources than --from; edit it, or give another --bench")
    if languages and set(languages) != set(settings.languages):
        raise InputError(f"{file}: names other languages than --lang; edit it, or give another --bench")
    if targets and set(targets) != set(settings.translate.languages):
        raise InputError(
            f"{file}: names other languages in 'translate.languages' than --to; edit it, or give another --bench"
        )


def _entry(source: Path, folder: Path) -> str:
    path = os.path.relpath(source, folder)
    # A path that ends in `..` has no last part that could begin the ids.
    name = f"\n    name: {_quoted(source.name)}" if PurePath(path).name in ("", "..") else ""
    return f"  - path: {_quoted(path)}{name}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
