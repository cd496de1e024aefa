"""The page as one file that needs nothing beside it: the skeleton in `page/` with style, script and data filled in."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

from ragaliq.report.html.blocks import plain_json
from ragaliq.report.html.page_data import PageData
from ragaliq.storage.files import write_atomic
from ragaliq.storage.foreign import refuse_foreign

_PARTS = Path(__file__).with_name("page")
# The order in which the script's parts run: what others call comes first, what starts the page last.
_SCRIPTS = ("plot.min.js", "dom.js", "charts*.js", "overview*.js", "app_*.js", "item*.js", "browser*.js", "app.js")
_STYLES = ("base.css", "*.css")
_HOLES = re.compile(r"<!--POLICY-->|/\*STYLE\*/|<!--DATA-->|/\*SCRIPT\*/")
_MARK = '<meta name="generator" content="ragaliq report">'
_ADVICE = "move it away, or name another folder with --out"


def page_path(folder: Path) -> Path:
    """Return the `report.html` of a folder.

    Raises:
        InputError: if another hand wrote it.
    """
    path = folder / "report.html"
    refuse_foreign(path, lambda text: _MARK in text.partition("</head>")[0], _ADVICE)
    return path


def write_report_page(path: Path, data: PageData) -> None:
    """Write the page atomically.

    Raises:
        InputError: if the file cannot be written.
    """
    style, script = _style(), _script()
    meta = f'{_MARK}\n<meta http-equiv="Content-Security-Policy" content="{_policy(style, script)}">'
    write_atomic(path, _filled(meta, style, script, data))


def live_page(data: PageData) -> tuple[bytes, str]:
    """Return the page for a server that follows runs, and its content security policy."""
    style, script = _style(), _script()
    policy = f"{_policy(style, script)}; connect-src 'self'; frame-ancestors 'none'"
    return _filled(_MARK, style, script, data), policy


def _filled(meta: str, style: str, script: str, data: PageData) -> bytes:
    elements = [f'<script type="application/json" id="overview">{plain_json(data.overview)}</script>']
    elements += [f'<script type="text/plain" id="{name}">{text}</script>' for name, text in data.blocks.items()]
    filling = {"<!--POLICY-->": meta, "/*STYLE*/": style, "<!--DATA-->": "\n".join(elements), "/*SCRIPT*/": script}
    skeleton = (_PARTS / "page.html").read_text(encoding="utf-8")
    # In one pass: what is filled in is not searched for holes.
    return _HOLES.sub(lambda hole: filling[hole[0]], skeleton).encode("utf-8")


def _policy(style: str, script: str) -> str:
    """Allow the page's own script and style by their hashes, and nothing else from anywhere."""
    sources = f"script-src '{_hash(script)}'; style-src '{_hash(style)}'"
    return f"default-src 'none'; {sources}; base-uri 'none'; form-action 'none'"


def _style() -> str:
    return _joined(_STYLES)


def _script() -> str:
    """Return the script's parts as one function, so that the page has no global names."""
    return f'(() => {{\n"use strict";\n{_joined(_SCRIPTS)}\n}})();\n'


def _joined(patterns: tuple[str, ...]) -> str:
    files = dict.fromkeys(file for pattern in patterns for file in sorted(_PARTS.glob(pattern)))
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
