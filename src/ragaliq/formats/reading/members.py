"""Members of a zip archive of logs, one at a time, also those compressed by Zstandard; nothing is unpacked to disk."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from ragaliq.errors import InputError
from ragaliq.formats.reading.archives import ZSTANDARD, safe_members

# Bytes of one member: far above any log of one sample, and what memory holds.
MAX_MEMBER = 2**28
_LOCAL_HEADER = 30
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, ZSTANDARD)


def read_members(path: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of the wanted members, in the order of the archive; of equal names the last counts.

    Raises:
        InputError: if the archive or a member is damaged, not safe to read, or above `MAX_MEMBER` bytes.
    """
    latest = {info.filename: info for info in safe_members(path, _METHODS)}
    infos = sorted((info for name, info in latest.items() if wanted(name)), key=lambda info: info.header_offset)
    for info in infos:
        if info.file_size > MAX_MEMBER:
            raise InputError(f"{path}/{info.filename}: larger than {MAX_MEMBER >> 20} MiB; leave the sample out")
    try:
        with zipfile.ZipFile(path) as archive:
            for info in infos:
                yield info.filename, _content(path, archive, info)
    except (OSError, zipfile.BadZipFile, zlib.error, struct.error, EOFError, ValueError, NotImplementedError) as error:
        raise InputError(f"{path}: damaged ({error}); fetch it again") from None


def _content(path: Path, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    if info.compress_type != ZSTANDARD:
        return archive.read(info)
    import zstandard

    try:
        # Frames follow one another in members of some size.
        with zstandard.ZstdDecompressor().stream_reader(_packed(path, info), read_across_frames=True) as stream:
            data = stream.read(info.file_size + 1)
    except zstandard.ZstdError as error:
        raise zipfile.BadZipFile(f"{info.filename}: {error}") from None
    if len(data) != info.file_size or zlib.crc32(data) != info.CRC:
        raise zipfile.BadZipFile(f"{info.filename}: its checksum is wrong")
    return data


def _packed(path: Path, info: zipfile.ZipInfo) -> bytes:
    """Return a member's compressed bytes; the library refuses to open a method that it does not know."""
    with path.open("rb") as file:
        file.seek(info.header_offset)
        name_length, extra_length = struct.unpack("<HH", file.read(_LOCAL_HEADER)[26:])
        file.seek(name_length + extra_length, 1)
        return file.read(info.compress_size)
