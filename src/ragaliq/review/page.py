"""The review page: one self-contained document, served or written to a file."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragaliq.judge.rubric import load_rubric
from ragaliq.review.session import Session
from ragaliq.review.sheets import Sheet
from ragaliq.review.values import ReviewTask, value_to_json

_PAGE = Path(__file__).with_name("page.html")
_DATA = "{}/*DATA*/"
_POLICY = "<!--POLICY-->"


def sheet_to_json(session: Session, sheet: Sheet) -> dict[str, Any]:
    """Return what the page shows of a sheet: nothing tells which system it comes from, or what the model says of it."""
    label = session.label(sheet)
    parts = {"parts": [{"name": part.name, "text": part.text} for part in sheet.parts]} if sheet.parts else {}
    translated = {"record": sheet.record, "sourceLang": sheet.source_lang} if sheet.record else {}
    return {
        "id": sheet.sheet_id,
        "lang": sheet.lang,
        "question": sheet.question,
        "reference": sheet.reference,
        "answer": sheet.answer,
        "passages": list(sheet.passages),
        **parts,
        **translated,
        "value": None if label is None else value_to_json(label.value),
        "note": "" if label is None else label.note,
    }


def state_to_json(session: Session) -> dict[str, Any]:
    """Return where a session stands."""
    return {
        "task": str(session.task),
        "start": session.start(),
        "rubric": _rubric(session.task),
        "sheets": [
            {"id": s.sheet_id, "lang": s.lang, "value": value_to_json(session.value(s))} for s in session.sheets
        ],
    }


def served_page(session: Session) -> tuple[bytes, str]:
    """Return the page of a running session, and its content security policy."""
    page = _PAGE.read_text(encoding="utf-8")
    policy = f"{_policy(page)}; connect-src 'self'; frame-ancestors 'none'"
    return _filled(page, state_to_json(session), "").encode("utf-8"), policy


def file_page(session: Session, page_id: str) -> bytes:
    """Return the page as one file that needs no server: labels stay in the browser until they are downloaded."""
    page = _PAGE.read_text(encoding="utf-8")
    texts = {sheet.sheet_id: sheet_to_json(session, sheet) for sheet in session.sheets}
    data = {**state_to_json(session), "texts": texts, "page": page_id}
    meta = f'<meta http-equiv="Content-Security-Policy" content="{_policy(page)}">'
    return _filled(page, data, meta).encode("utf-8")


def _rubric(task: ReviewTask) -> list[dict[str, Any]]:
    if task is not ReviewTask.GRADE:
        return []
    meanings = load_rubric().meanings
    return [{"grade": grade, "meaning": meanings[grade]} for grade in sorted(meanings, reverse=True)]


def _filled(page: str, data: Mapping[str, Any], meta: str) -> str:
    # No text can end the script element that holds it.
    written = json.dumps(data).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return page.replace(_POLICY, meta, 1).replace(_DATA, written, 1)


def _policy(page: str) -> str:
    """Allow the page's own script and style by their hashes, and nothing else from anywhere."""
    script, style = _hash(page, "script"), _hash(page, "style")
    return f"default-src 'none'; script-src '{script}'; style-src '{style}'; base-uri 'none'; form-action 'none'"


def _hash(page: str, tag: str) -> str:
    text = page.split(f"<{tag}>", 1)[1].split(f"</{tag}>", 1)[0]
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
