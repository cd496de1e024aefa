"""Texts and their translations, and what a check finds wrong with one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class RecordKind(StrEnum):
    """What a text of a parallel benchmark is."""

    CHUNK = "chunk"
    QUERY = "query"
    REFERENCE = "reference"
    NUGGET = "nugget"


class Severity(StrEnum):
    """How sure and how bad a finding is."""

    ERROR = "error"  # The two texts state different things, or one is not there.
    WARNING = "warning"  # To be looked at.
    HINT = "hint"  # Never a reason by itself.


@dataclass(frozen=True, slots=True)
class TranslationPair:
    """A text and its translation.

    Attributes:
        record: what it is.
        id: `doc_id`, `query_id` (of a query and its reference) or `nugget_id`.
        source_lang: language of `source`.
        lang: language of `target`.
        source: the text that was translated.
        target: its translation.
        query_id: of a reference and a nugget, the query; else empty.
        gold: of a reference, the chunks that hold its answer.
    """

    record: RecordKind
    id: str
    source_lang: str
    lang: str
    source: str
    target: str
    query_id: str = ""
    gold: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, order=True)
class TranslationFinding:
    """What is wrong with a translation, or seems to be; a row of `translation_findings.jsonl`.

    Attributes:
        lang: language of the translation.
        record: what it is.
        id: as in the pair.
        kind: one word, such as `number`.
        severity: how sure and how bad.
        message: what the source has and the translation lacks, or the other way round.
    """

    lang: str
    record: RecordKind
    id: str
    kind: str
    severity: Severity
    message: str
