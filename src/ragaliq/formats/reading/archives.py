"""The files of a data set, in a folder or inside a zip archive that is read where it lies and never unpacked."""

from __future__ import annotations

import stat
import struct
import zipfile
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ragaliq.errors import InputError
from ragaliq.formats.reading.streams import Stored

# The text of the largest public set (22 GB) fits three times; deflate shrinks text 3 to 20 times, a bomb 1,000 times.
MAX_BYTES = 64 * 2**30
MAX_RATIO = 200
_SMALL = 2**20
# Zstandard's number in the zip format, which older versions of the library do not know.
ZSTANDARD = 93
_NAMES = {zipfile.ZIP_STORED: "store", zipfile.ZIP_DEFLATED: "deflate", ZSTANDARD: "zstandard"}
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where the files of one data set lie: `path` is a folder, or an archive with `members` below `inside`."""

    path: Path
    inside: str = ""
    members: frozenset[str] | None = None

    def find(self, name: str) -> Stored | None:
        """Return the file `name`, or else `name.gz`."""
        for candidate in (name, name + ".gz"):
            if self.members is None and (self.path / candidate).is_file():
                return Stored(self.path / candidate)
            if self.members is not None and self.inside + candidate in self.members:
                return Stored(self.path, self.inside + candidate)
        return None

    def names(self, folder: str) -> list[str]:
        """Return the names of the files in a folder of the data set, sorted."""
        if self.members is None:
            return sorted(path.name for path in self.path.glob(f"{folder}/*") if path.is_file())
        start = f"{self.inside}{folder}/"
        return sorted(
            rest for name in self.members if name.startswith(start) and "/" not in (rest := name[len(start) :])
        )

    def folders_with(self, name: str) -> list[str]:
        """Return the folders below this one that hold `name` or `name.gz`, sorted; in a folder only the next ones."""
        if self.members is None:
            return sorted({path.parent.name for tail in ("", ".gz") for path in self.path.glob(f"*/{name}{tail}")})
        folders = {
            PurePosixPath(member[len(self.inside) :]).parent.as_posix()
            for member in self.members
            if member.startswith(self.inside) and PurePosixPath(member).name in (name, name + ".gz")
        }
        return sorted(folders - {"."})

    def below(self, folder: str) -> Shelf:
        """Return the data set in a folder of this one."""
        if self.members is None:
            return Shelf(self.path / folder)
        return Shelf(self.path, f"{self.inside}{folder}/", self.members)

    def __str__(self) -> str:
        """Return the place as errors name it."""
        return f"{self.path}/{self.inside}".removesuffix("/") if self.inside else str(self.path)


def open_shelf(path: Path) -> Shelf:
    """Return the files under a folder, a zip archive, or a folder inside one (`cqadupstack.zip/android`).

    Raises:
        InputError: if there is no such folder or archive, or the archive is damaged or not safe to read.
    """
    try:
        if path.is_dir():
            return Shelf(path)
        archive = next((place for place in (path, *path.parents) if place.is_file()), None)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check the path") from None
    if archive is None or not zipfile.is_zipfile(archive):
        raise InputError(f"{path}: neither a folder nor a zip archive; check the path")
    inside = path.relative_to(archive).as_posix()
    return Shelf(archive, "" if inside == "." else f"{inside}/", _members(archive))


def safe_members(path: Path, methods: Collection[int] = _METHODS) -> list[zipfile.ZipInfo]:
    """Return what an archive holds, folders left out, after a look at its directory for all that makes it unsafe.

    Several members may have one name.

    Raises:
        InputError: if the archive is damaged, or a member points outside, is a link, is encrypted, is compressed by
            another method, or grows as no text does.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            infos = [info for info in archive.infolist() if not info.filename.endswith("/")]
    # The library meets a damaged directory with any of these.
    except (OSError, zipfile.BadZipFile, ValueError, EOFError, NotImplementedError, struct.error) as error:
        raise InputError(f"{path}: not a zip archive that can be read ({error}); fetch it again") from None
    for info in infos:
        problem = _problem(info, methods)
        if problem:
            raise InputError(f"{path}: member {info.filename!r} {problem}; do not use this archive")
    # Members of a bomb may share their compressed bytes.
    if sum(info.compress_size for info in infos) > path.stat().st_size:
        raise InputError(f"{path}: its members overlap; do not use this archive")
    if sum(info.file_size for info in infos) > MAX_BYTES:
        raise InputError(f"{path}: more than {MAX_BYTES >> 30} GiB when decompressed; do not use this archive")
    return infos


def _members(path: Path) -> frozenset[str]:
    infos = safe_members(path)
    names = frozenset(info.filename for info in infos)
    if len(names) < len(infos):
        raise InputError(f"{path}: two members have one name; do not use this archive")
    return names


def _problem(info: zipfile.ZipInfo, methods: Collection[int]) -> str:
    name = info.filename
    kind = stat.S_IFMT(info.external_attr >> 16)
    if not name:
        return "has no name"
    if name.startswith("/") or "\\" in name or name[1:2] == ":" or ".." in PurePosixPath(name).parts:
        return "points outside the archive"
    if kind not in (0, stat.S_IFREG):
        return "is a link or a device"
    if info.flag_bits & 1:
        return "is encrypted"
    if info.compress_type not in methods:
        known = " and ".join(name for method, name in _NAMES.items() if method in methods)
        return f"is compressed in a way that is not supported ({known} are)"
    if info.file_size > _SMALL and info.file_size > MAX_RATIO * info.compress_size:
        return f"grows more than {MAX_RATIO} times when decompressed"
    return ""
