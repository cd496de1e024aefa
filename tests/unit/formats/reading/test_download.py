"""Archives come once, whole, and go on where a connection broke."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from ragaliq.errors import InputError, Stopped
from ragaliq.formats.beir import read_beir
from ragaliq.formats.reading.download import download_beir


def archive() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        packed.writestr("tiny/corpus.jsonl", "".join(f'{{"_id": "{n}", "text": "текст {n}"}}\n' for n in range(5000)))
        packed.writestr("tiny/queries.jsonl", '{"_id": "q", "text": "что?"}\n')
        packed.writestr("tiny/qrels/test.tsv", "query-id\tcorpus-id\tscore\nq\t7\t1\n")
    return out.getvalue()


DATA = archive()


class Server(ThreadingHTTPServer):
    """Serves DATA; each answer stops after the next number of `stops`, if there is one."""

    daemon_threads = True

    def __init__(self, data: bytes, stops: list[int], ranges: bool = True, status: int = 0) -> None:
        self.data, self.stops, self.ranges, self.status = data, stops, ranges, status
        self.asked: list[tuple[str, str]] = []
        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/sets"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        asked = self.headers.get("Range", "")
        self.server.asked.append((self.path, asked))
        data, size = self.server.data, len(self.server.data)
        start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked and self.server.ranges else 0
        if self.server.status or start >= size:
            self.send_response(self.server.status or 416)
            self.send_header("Content-Range", f"bytes */{size}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(206 if asked and self.server.ranges else 200)
        if asked and self.server.ranges:
            self.send_header("Content-Range", f"bytes {start}-{size - 1}/{size}")
        self.send_header("Content-Length", str(size - start))
        self.end_headers()
        stop = self.server.stops.pop(0) if self.server.stops else size
        self.wfile.write(data[start : start + stop])
        self.close_connection = True


@contextmanager
def serving(data: bytes = DATA, stops: tuple[int, ...] = (), ranges: bool = True, status: int = 0) -> Iterator[Server]:
    server = Server(data, list(stops), ranges, status)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")


def test_e5_an_archive_comes_once_and_is_kept(tmp_path: Path) -> None:
    """Requirement E5: with the archive at hand nothing is asked, so the second call needs no server."""
    with serving() as server:
        path = download_beir("tiny", tmp_path / "sets", server.url)
        assert server.asked == [("/sets/tiny.zip", "")]
    assert path == tmp_path / "sets" / "tiny.zip"
    assert path.read_bytes() == DATA
    assert download_beir("tiny", tmp_path / "sets", server.url) == path
    assert [file.name for file in path.parent.iterdir()] == ["tiny.zip"]
    assert read_beir(path, lang="ru").qrels == {"q": {"7": 1}}


def test_e5_a_break_is_mended_by_asking_for_the_rest(tmp_path: Path) -> None:
    with serving(stops=(100_000, 50_000)) as server:
        path = download_beir("tiny", tmp_path, server.url + "/")
        assert [asked for _, asked in server.asked] == ["", "bytes=100000-", "bytes=150000-"]
    assert path.read_bytes() == DATA


def test_a_server_that_breaks_again_and_again_stops_the_call_and_the_next_one_goes_on(tmp_path: Path) -> None:
    with serving(stops=(1000,) * 4) as server:
        with pytest.raises(Stopped, match=r"broke off after 4000 bytes .*; the same command goes on from there"):
            download_beir("tiny", tmp_path, server.url)
        assert [file.name for file in tmp_path.iterdir()] == ["tiny.zip.part"]
        assert download_beir("tiny", tmp_path, server.url).read_bytes() == DATA
        assert server.asked[-1] == ("/sets/tiny.zip", "bytes=4000-")


def test_a_server_without_ranges_sends_all_again(tmp_path: Path) -> None:
    with serving(stops=(1000,), ranges=False) as server:
        assert download_beir("tiny", tmp_path, server.url).read_bytes() == DATA
        assert len(server.asked) == 2


def test_all_bytes_there_but_not_yet_named(tmp_path: Path) -> None:
    """A kill between the last byte and the new name."""
    (tmp_path / "tiny.zip.part").write_bytes(DATA)
    with serving() as server:
        assert download_beir("tiny", tmp_path, server.url).read_bytes() == DATA


def test_a_part_that_is_longer_than_the_file_is_dropped(tmp_path: Path) -> None:
    (tmp_path / "tiny.zip.part").write_bytes(DATA + b"more")
    with serving() as server:
        assert download_beir("tiny", tmp_path, server.url).read_bytes() == DATA
        assert [asked for _, asked in server.asked] == [f"bytes={len(DATA) + 4}-", ""]


def test_what_is_no_whole_archive_does_not_count(tmp_path: Path) -> None:
    for data in [b"<html>moved</html>", DATA[:-30], DATA[:9000] + b"?" * 9 + DATA[9009:]]:
        with serving(data) as server, pytest.raises(InputError, match="what came is no whole zip archive"):
            download_beir("tiny", tmp_path, server.url)
        assert list(tmp_path.iterdir()) == [], data


def test_e5_the_published_digest_is_compared(tmp_path: Path) -> None:
    digest = hashlib.md5(DATA, usedforsecurity=False).hexdigest()
    with serving() as server:
        with pytest.raises(InputError, match=rf"not the archive that was published \(MD5 {digest}, not 00"):
            download_beir("tiny", tmp_path, server.url, md5="00")
        assert list(tmp_path.iterdir()) == []
        assert download_beir("tiny", tmp_path, server.url, md5=digest).read_bytes() == DATA


def test_a_part_of_another_edition_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "tiny.zip.part").write_bytes(b"?" * 9000)
    with serving() as server:
        with pytest.raises(InputError, match="what came is no whole zip archive"):
            download_beir("tiny", tmp_path, server.url)
        assert download_beir("tiny", tmp_path, server.url).read_bytes() == DATA


def test_a_refusal_is_told(tmp_path: Path) -> None:
    for status, error in [(404, InputError), (403, InputError), (503, Stopped), (429, Stopped)]:
        with serving(status=status) as server, pytest.raises(error, match=f"HTTP {status}"):
            download_beir("tiny", tmp_path, server.url)
        assert list(tmp_path.iterdir()) == [], status


def test_nobody_listens(tmp_path: Path) -> None:
    with serving() as server:
        url = server.url
    with pytest.raises(Stopped, match=r"tiny\.zip: broke off after 0 bytes \(.+\); the same command goes on"):
        download_beir("tiny", tmp_path, url)


def test_what_is_no_address_is_refused(tmp_path: Path) -> None:
    for number, (name, url) in enumerate(
        [("../evil", "http://127.0.0.1"), ("", "http://127.0.0.1"), ("tiny", "file:///etc"), ("t", "http://[")]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        with pytest.raises(InputError, match="not an address"):
            download_beir(name, folder / "sets", url)


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with serving() as server, pytest.raises(InputError, match=r"tiny\.zip: cannot be stored"):
        download_beir("tiny", tmp_path / "file", server.url)
