from __future__ import annotations

import pytest

from ragaliq.retrieve.sparse.memory import memory_needed, memory_warning, size


def test_the_memory_of_ms_marco_by_hand() -> None:
    need = memory_needed(8_841_823, nnz_per_doc=100, k=100, batch=64)
    starts = 8 * 30_523
    assert need.index == 8_841_823 * 100 * 8 + starts
    # Rows and columns at once, and where each row begins.
    assert need.build == 2 * 8_841_823 * 100 * 8 + starts + 8 * 8_841_824
    assert need.results == 64 * 100 * 8
    assert need.dense == 64 * 8_841_823 * 16
    assert (size(need.index), size(need.build), size(need.dense)) == ("7.07 GB", "14.2 GB", "9.05 GB")
    assert need.search < 1e6
    assert need.search_numpy < 250e6


def test_a_search_of_a_million_documents_stays_below_50_mb() -> None:
    need = memory_needed(1_000_000, nnz_per_doc=100)
    assert need.search + need.results < 50e6
    assert need.search_numpy + need.results < 50e6
    assert memory_needed(10, k=1000).results == 64 * 10 * 8


def test_e16_an_index_above_the_machines_memory_is_warned_of_before_it_is_built() -> None:
    assert memory_warning(1000) == ""
    assert memory_warning(10**9, available=10**15) == ""
    warning = memory_warning(33_000_000, nnz_per_doc=100, available=16 * 10**9)
    assert warning.startswith("warning[memory]: the sparse index of 33000000 documents")
    assert "53.1 GB" in warning
    assert "16 GB" in warning


@pytest.mark.parametrize(
    ("n_bytes", "written"), [(0, "0 B"), (999, "999 B"), (50_000_000, "50 MB"), (7_074_000_000, "7.07 GB")]
)
def test_sizes_are_written_as_people_write_them(n_bytes: int, written: str) -> None:
    assert size(n_bytes) == written
