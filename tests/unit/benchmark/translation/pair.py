"""Pairs for tests."""

from __future__ import annotations

from collections.abc import Iterable

from ragaliq.types.translation import RecordKind, TranslationFinding, TranslationPair


def pair(source: str, target: str, langs: str = "en>de", record: str = "chunk", id: str = "c1") -> TranslationPair:
    source_lang, lang = langs.split(">")
    return TranslationPair(RecordKind(record), id, source_lang, lang, source, target)


def told(findings: Iterable[TranslationFinding]) -> list[str]:
    return [f"{finding.kind} {finding.severity}: {finding.message}" for finding in findings]
