"""A folder that a command makes as a whole or not at all, and never in the place of somebody's files."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ragaliq.errors import InputError
from ragaliq.storage.files import write_json

# Says which command made a folder and what it put there. Without a suffix, so that no reader takes it for data.
MARK = "CONVERTED"


@contextmanager
def new_folder(out: Path, command: Mapping[str, Any]) -> Iterator[Path]:
    """Yield an empty folder that takes the place of `out` when the block ends well, and else vanishes.

    An `out` that holds something is replaced only where the same command made it and nothing was added since.

    Raises:
        InputError: if `out` holds anything else, is a file, or cannot be written.
    """
    if out.name in ("", ".."):
        raise InputError(f"--out {out}: name the new folder itself")
    draft = out.with_name(f".{out.name}.{os.getpid()}.draft")
    try:
        _check(out, command)
        out.parent.mkdir(parents=True, exist_ok=True)
        draft.mkdir()
        yield draft
        write_json(draft / MARK, {"command": dict(command), "files": _files(draft)})
        _check(out, command)
        if out.exists():
            shutil.rmtree(out)
        os.replace(draft, out)
    except InputError as error:
        # The draft's name would send the reader to a folder that is gone.
        raise type(error)(str(error).replace(str(draft), str(out))) from None
    except OSError as error:
        raise InputError(f"{out}: cannot be written ({error.strerror}); check the path and the disk") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _check(out: Path, command: Mapping[str, Any]) -> None:
    if out.is_symlink():
        raise InputError(f"{out}: is a link; name the folder itself with --out")
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    if not out.is_dir():
        raise InputError(f"{out}: a file stands there; name another folder with --out")
    try:
        mark = json.loads((out / MARK).read_text(encoding="utf-8"))
        same = mark["command"] == json.loads(json.dumps(command)) and mark["files"] == [
            f for f in _files(out) if f != MARK
        ]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        same = False
    if not same:
        raise InputError(f"{out}: holds files that this command did not make; name another folder with --out")


def _files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())
