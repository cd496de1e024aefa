from __future__ import annotations

from ragaliq.retrieve.sparse.memory import memory_warning


def test_e16_an_index_above_the_machines_memory_is_warned_of_before_it_is_built() -> None:
    assert memory_warning(1000) == ""
    # Rows and columns at once, and where each column and each row begins: MS MARCO by hand.
    need = 2 * 8_841_823 * 128 * 8 + 8 * 30_523 + 8 * 8_841_824
    assert memory_warning(8_841_823, available=need) == ""
    warning = memory_warning(8_841_823, available=need - 1)
    assert warning.startswith("warning[memory]: the sparse index of 8841823 documents with some 128 terms each")
    assert "18.2 GB to build, and the machine has 18.2 GB" in warning
