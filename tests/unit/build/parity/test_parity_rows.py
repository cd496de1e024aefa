"""The parity of a benchmark on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragaliq.benchmark.layout import file_hash
from ragaliq.build.parity.parity_rows import ItemShift, ParityRows, keep_parity, kept_parity
from ragaliq.errors import InputError
from ragaliq.storage.files import read_json, write_json

KEPT = ParityRows(31, 20, [ItemShift("q1", "zh", -4.5, 0.001, True), ItemShift("q1", "ru", 0.25, 0.75, False)])


def test_what_was_kept_of_the_same_benchmark_comes_back(tmp_path: Path) -> None:
    assert kept_parity(tmp_path, "aa") is None
    keep_parity(tmp_path, "aa", KEPT)
    assert kept_parity(tmp_path, "aa") == KEPT
    assert kept_parity(tmp_path, "bb") is None


def test_rows_of_another_method_or_changed_by_hand_do_not_count(tmp_path: Path) -> None:
    keep_parity(tmp_path, "aa", KEPT)
    head, rows = tmp_path / "build" / "parity.json", tmp_path / "build" / "parity.jsonl"
    known = read_json(head)
    write_json(head, known | {"method": known["method"] + 1})
    assert kept_parity(tmp_path, "aa") is None
    write_json(head, known)
    rows.write_text(rows.read_text().replace("true", "false"))
    assert kept_parity(tmp_path, "aa") is None


def test_a_broken_row_or_head_is_named(tmp_path: Path) -> None:
    keep_parity(tmp_path, "aa", KEPT)
    head, rows = tmp_path / "build" / "parity.json", tmp_path / "build" / "parity.jsonl"
    rows.write_text(rows.read_text().replace("false", "0"))
    write_json(head, read_json(head) | {"rows": file_hash(rows)})
    with pytest.raises(InputError, match=r"parity\.jsonl:2: .*'flagged' must be true or false"):
        kept_parity(tmp_path, "aa")
    write_json(head, {"benchmark": "aa"})
    with pytest.raises(InputError, match=r"parity\.json: .*`ragaliq build audit` writes it anew"):
        kept_parity(tmp_path, "aa")
