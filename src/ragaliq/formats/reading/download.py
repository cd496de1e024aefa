"""Archives of data sets, fetched when a user asks for one: resumed after a break, checked, and kept."""

from __future__ import annotations

import hashlib
import re
import zipfile
import zlib
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import cast

from ragaliq.errors import InputError, Stopped
from ragaliq.execution.progress import StageProgress

BEIR_URL = "https://public.ukp.informatik.tu-darmstadt.de/thakur/BEIR/datasets"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_RANGE = re.compile(r"bytes ([0-9]+)-[0-9]+/([0-9]+)")
_BLOCK = 2**18
_TIMEOUT_S = 60
_ATTEMPTS = 4


def download_beir(name: str, folder: Path, base_url: str = BEIR_URL, md5: str = "") -> Path:
    """Return `folder/NAME.zip`, fetched from `base_url/NAME.zip` unless it is there: then nothing is asked.

    Bytes arrive in `NAME.zip.part`. After a break they are kept, and the rest is asked for (HTTP Range), a few times
    now and again at the next call. Only an archive whose every member has the right checksum, and the whole the right
    digest, gets its name.

    Args:
        name: the data set, such as `scifact`.
        folder: where archives are kept.
        base_url: where they come from, http or https.
        md5: digest that the archive must have, as published; empty where none is known.

    Raises:
        InputError: if the name or the address is none, the server does not have the file, it is no whole zip archive,
            or it cannot be stored.
        Stopped: if the connection breaks again and again; the same call goes on.
    """
    if not _NAME.fullmatch(name) or not re.match(r"https?://", base_url):
        raise InputError(f"{base_url}/{name}.zip: not an address of a data set; check its name")
    path, url = folder / f"{name}.zip", f"{base_url.rstrip('/')}/{name}.zip"
    part = path.with_name(path.name + ".part")
    try:
        if not path.is_file():
            folder.mkdir(parents=True, exist_ok=True)
            _fetch_whole(url, part)
            _check(part, url, md5)
            part.replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be stored ({error.strerror}); check the path and the disk") from None
    return path


def _fetch_whole(url: str, part: Path) -> None:
    reason = ""
    for _ in range(_ATTEMPTS):
        reason = _fetch(url, part)
        if not reason:
            return
    size = part.stat().st_size if part.exists() else 0
    raise Stopped(f"{url}: broke off after {size} bytes ({reason}); the same command goes on from there")


def _fetch(url: str, part: Path) -> str:
    """Add what is missing to `part`; return why it is not whole yet, or nothing."""
    from ssl import SSLError
    from urllib.error import HTTPError, URLError
    from urllib.request import Request, urlopen

    start = part.stat().st_size if part.exists() else 0
    try:
        request = Request(url, headers={"Range": f"bytes={start}-"} if start else {})
        with cast(HTTPResponse, urlopen(request, timeout=_TIMEOUT_S)) as reply:
            return _receive(reply, part, start)
    except HTTPError as error:
        if error.code == 416:
            return _beyond(error.headers.get("Content-Range", ""), part, start)
        if error.code in (408, 429) or error.code >= 500:
            return f"HTTP {error.code}"
        raise InputError(f"{url}: HTTP {error.code}; check the data set's name") from None
    except URLError as error:
        return str(error.reason)
    except ValueError:
        raise InputError(f"{url}: not an address; check it") from None
    except (HTTPException, TimeoutError, ConnectionError, SSLError) as error:
        return type(error).__name__


def _receive(reply: HTTPResponse, part: Path, start: int) -> str:
    match = _RANGE.fullmatch(reply.headers.get("Content-Range", "")) if reply.status == 206 else None
    if reply.status == 206 and (match is None or int(match[1]) != start):
        part.unlink(missing_ok=True)
        return "the server sent another part than asked"
    # A server without ranges sends all of it again.
    length = reply.headers.get("Content-Length")
    whole = int(match[2]) if match else int(length) if length and length.isdecimal() else None
    with (
        part.open("ab" if match else "wb") as out,
        StageProgress(part.stem, whole, "B", done=out.tell()) as progress,
    ):
        while block := reply.read(_BLOCK):
            out.write(block)
            progress.step(len(block))
    # A connection that breaks looks like an end to `read` with a size.
    return "" if whole is None or part.stat().st_size == whole else "the connection broke"


def _beyond(told: str, part: Path, start: int) -> str:
    """Handle a refusal to send from `start` on: everything is there, or the file on the server is another one."""
    if told == f"bytes */{start}":
        return ""
    part.unlink(missing_ok=True)
    return "the file on the server has changed"


def _check(part: Path, url: str, md5: str) -> None:
    try:
        with zipfile.ZipFile(part) as archive:
            broken = archive.testzip()
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError):
        broken = "the archive"
    if broken:
        part.unlink()
        raise InputError(f"{url}: what came is no whole zip archive ({broken} is damaged); fetch it again")
    if md5:
        with part.open("rb") as file:
            digest = hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()
        if digest != md5:
            part.unlink()
            raise InputError(f"{url}: not the archive that was published (MD5 {digest}, not {md5}); fetch it again")
