"""A package index on the loopback, and the wheels in it, for the tests of the set-up."""

from __future__ import annotations

import hashlib
import ssl
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import files
from pathlib import Path


def write_wheel(folder: Path, name: str, version: str, code: str) -> Path:
    """Write a wheel of one module."""
    info = f"{name}-{version}.dist-info"
    content = {
        f"{name}.py": code,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{file},,\n" for file in (*content, f"{info}/RECORD"))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for file, text in {**content, f"{info}/RECORD": record}.items():
            wheel.writestr(file, text)
    return path


def pack_installed(folder: Path, name: str, version: str) -> Path:
    """Write the wheel of a pure package that is installed here."""
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for file in files(name) or []:
            if ".." not in file.parts and file.suffix != ".pyc":
                wheel.write(file.locate(), str(file))
    return path


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_index(folder: Path, *wheels: Path) -> None:
    """Write the pages of an index: a folder a package, with links to its wheels."""
    for wheel in wheels:
        page = folder / "simple" / wheel.name.partition("-")[0]
        page.mkdir(parents=True)
        (page / wheel.name).write_bytes(wheel.read_bytes())
        (page / "index.html").write_text(f'<a href="{wheel.name}#sha256={sha256(wheel)}">{wheel.name}</a>')
    (folder / "simple").mkdir(parents=True, exist_ok=True)


@contextmanager
def served(folder: Path, certificate: Path | None = None) -> Iterator[str]:
    """Serve the files of a folder on the loopback, and yield the address of the index in it."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http{'s' if certificate else ''}://127.0.0.1:{server.server_address[1]}/simple/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""
