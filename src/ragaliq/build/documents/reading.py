"""Files as text: one reader a format, and a reason for each file that none reads."""

from __future__ import annotations

import codecs
import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragaliq.build.documents.code import is_program, suffix_of
from ragaliq.errors import InputError

PROSE, CODE = "text", "code"
# Files that are not text, or not text that can be cut into passages (FreshStack's list, arXiv 2504.13128, section 3.2).
_SKIPPED = {
    "image": "bmp gif ico jpeg jpg png psd svg tif tiff webp",
    "video": "avi mkv mov mp4 mpeg webm",
    "audio": "aac flac m4a mp3 ogg wav",
    "data": "arrow bin csv db jsonl npy npz onnx parquet pickle pkl pt safetensors sqlite tsv",
    "archive": "7z bz2 gz jar rar tar tgz whl xz zip",
    "font": "eot otf ttf woff woff2",
    "program": "class dll dylib exe o pyc so",
    "document without a reader": "doc docx epub htm html ipynb odp ods odt pdf ppt pptx rtf xls xlsx",
}
_REASONS = {suffix: kind for kind, suffixes in _SKIPPED.items() for suffix in suffixes.split()}
_MARKS = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


@dataclass(frozen=True, slots=True)
class Document:
    """A file that was read, or the reason why not.

    Attributes:
        path: its name below the folder, with `/`; ends in `/` for a folder that was left out as a whole.
        text: its content, without a byte order mark, line ends as they are.
        kind: `text` or `code`.
        sha256: of the file; empty if it was left out.
        skipped: why it was left out, one of a few kinds; empty if it was not.
        detail: the reason in full.
    """

    path: str
    text: str = ""
    kind: str = PROSE
    sha256: str = ""
    skipped: str = ""
    detail: str = ""


def read_files(source: Path, without: Sequence[Path] = ()) -> Iterator[Document]:
    """Yield every file of a folder, or one file, sorted by path; of hidden folders and links to folders one entry each.

    Args:
        source: the folder or file.
        without: folders to leave out, such as the benchmark's.

    Raises:
        InputError: if there is no such file or folder.
    """
    if source.is_file():
        yield _read(source, source.name)
    elif source.is_dir():
        yield from sorted(_walk(source, {path.resolve() for path in without}), key=lambda document: document.path)
    else:
        raise InputError(f"{source}: no such file or folder; name the documents with --from")


def content_digest(documents: Sequence[Document], single: bool) -> str:
    """Return the SHA-256 that pins a source: of the file, or of the list that `sha256sum` would print of its files.

    The list has a line `HASH  PATH` for each document that was read, sorted by path: a new picture changes nothing.
    """
    listed = [document for document in documents if not document.skipped]
    if single:
        return listed[0].sha256 if listed else ""
    lines = "".join(f"{document.sha256}  {document.path}\n" for document in listed)
    return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()


def _walk(source: Path, without: set[Path]) -> Iterator[Document]:
    errors: list[OSError] = []
    for folder, names, files in os.walk(source, onerror=errors.append):
        place = Path(folder)
        for name in list(names):
            reason = _why_not_entered(place / name, without)
            if reason:
                names.remove(name)
                yield Document((place / name).relative_to(source).as_posix() + "/", skipped=reason)
        for name in files:
            path = (place / name).relative_to(source).as_posix()
            yield Document(path, skipped="hidden") if name.startswith(".") else _read(place / name, path)
    for error in errors:
        path = Path(str(error.filename)).relative_to(source).as_posix()
        yield Document(f"{path}/", skipped="unreadable", detail=str(error.strerror))


def _why_not_entered(folder: Path, without: set[Path]) -> str:
    if folder.name.startswith("."):
        return "hidden"
    if folder.is_symlink():
        return "link to a folder"
    return "left out" if folder.resolve() in without else ""


def _read(path: Path, name: str) -> Document:
    suffix = suffix_of(name)
    if suffix in _REASONS:
        return Document(name, skipped=_REASONS[suffix], detail=f"*.{suffix}")
    try:
        if path.exists() and not path.is_file():
            return Document(name, skipped="no regular file")
        data = path.read_bytes()
        text = READERS.get(suffix, _as_is)(_decode(data))
    except OSError as error:
        return Document(name, skipped="unreadable", detail=str(error.strerror))
    except UnicodeDecodeError as error:
        return Document(name, skipped="no UTF-8 text", detail=f"at byte {error.start}")
    if "\0" in text:
        return Document(name, skipped="binary", detail="it contains the character U+0000")
    if not text.strip():
        return Document(name, skipped="empty")
    return Document(name, text, CODE if is_program(name) else PROSE, hashlib.sha256(data).hexdigest())


def _decode(data: bytes) -> str:
    encoding = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), "utf-8")
    # A mark left in the text would be lost when the copy is read: offsets would shift by one.
    return data.decode(encoding).lstrip("\ufeff")


def _as_is(text: str) -> str:
    return text


# File suffix → what its text is; all other text files are taken as they are.
READERS: dict[str, Callable[[str], str]] = {"md": _as_is, "txt": _as_is, "rst": _as_is}
