from __future__ import annotations

from ragaliq.retrieve.sparse.memory import build_bytes, memory_warning


def test_the_memory_of_ms_marco_by_hand() -> None:
    # Rows and columns at once, and where each column and each row begins.
    assert build_bytes(8_841_823, nnz_per_doc=100) == 2 * 8_841_823 * 100 * 8 + 8 * 30_523 + 8 * 8_841_824


def test_e16_an_index_above_the_machines_memory_is_warned_of_before_it_is_built() -> None:
    assert memory_warning(1000) == ""
    assert memory_warning(10**9, available=10**15) == ""
    warning = memory_warning(33_000_000, nnz_per_doc=100, available=16 * 10**9)
    assert warning.startswith("warning[memory]: the sparse index of 33000000 documents")
    assert "53.1 GB" in warning
    assert "16 GB" in warning
