from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ragaliq.benchmark.translation.pairs import benchmark_pairs
from ragaliq.errors import InputError
from ragaliq.types.translation import RecordKind, TranslationPair

LANGS = ("en", "de")


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    (tmp_path / "bench.json").write_text(json.dumps({"languages": LANGS}), encoding="utf-8")
    for lang in LANGS:
        text = f"{lang}-chunk"
        chunk = {"doc_id": "d1", "source_id": "s", "start": 0, "end": len(text), "text": text, "lang": lang}
        item = {"query_id": "q1", "lang": lang, "text": f"{lang}-text", "reference": f"{lang}-reference"}
        nugget = {"nugget_id": "n1", "query_id": "q1", "text": f"{lang}-nugget", "importance": "vital"}
        _write(tmp_path / "corpus" / f"{lang}.jsonl", chunk)
        _write(tmp_path / "queries" / f"{lang}.jsonl", {**item, "answerable": True, "type": "fact", "gold": [["d1"]]})
        _write(tmp_path / "nuggets" / f"{lang}.jsonl", {**nugget, "doc_ids": ["d1"]})
    return tmp_path


def _write(path: Path, *rows: dict[str, object]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def test_every_text_has_its_translation(bench: Path) -> None:
    texts = benchmark_pairs(bench)
    assert (texts.languages, texts.missing) == (("de",), ())
    kind = RecordKind
    assert texts.pairs == (
        TranslationPair(kind.CHUNK, "d1", "en", "de", "en-chunk", "de-chunk"),
        TranslationPair(kind.QUERY, "q1", "en", "de", "en-text", "de-text"),
        TranslationPair(kind.REFERENCE, "q1", "en", "de", "en-reference", "de-reference", "q1", ("d1",)),
        TranslationPair(kind.NUGGET, "n1", "en", "de", "en-nugget", "de-nugget", "q1"),
    )
    assert benchmark_pairs(bench, "de").languages == ("en",)


def test_what_one_language_lacks_is_missing_in_it(bench: Path) -> None:
    (bench / "nuggets" / "de.jsonl").write_text(
        json.dumps({"nugget_id": "n2", "query_id": "q1", "text": "t", "importance": "vital", "doc_ids": []}) + "\n",
        encoding="utf-8",
    )
    told = sorted((one.lang, one.record, one.id, one.kind, one.message) for one in benchmark_pairs(bench).missing)
    assert told == [
        ("de", "nugget", "n1", "missing", "the nugget is missing in 'de'"),
        ("de", "nugget", "n2", "missing", "the nugget is missing in 'en'"),
    ]


@pytest.mark.parametrize(
    ("head", "source_lang", "message"),
    [
        ({"languages": ["en"]}, "", "the benchmark is in 'en' alone"),
        ({"languages": LANGS, "parallel": False}, "", '"parallel": false'),
        ({"languages": LANGS}, "it", "--source-lang: 'it' is no language of"),
    ],
)
def test_what_cannot_be_checked_is_refused(bench: Path, head: object, source_lang: str, message: str) -> None:
    (bench / "bench.json").write_text(json.dumps(head), encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(message)):
        benchmark_pairs(bench, source_lang)
