from __future__ import annotations

import numpy as np
import pytest

from ragaliq.errors import InputError
from ragaliq.metrics.retrieval.ids import check_ids


def test_strings_of_any_script_pass() -> None:
    check_ids("judged", "doc", [])
    check_ids("judged", "doc", {"": 1, "7": 1, "й": 1, "猫 🐱": 1, np.str_("d1"): 1})


def test_the_first_id_that_is_no_string_is_named() -> None:
    for wrong, kind in [(7, "int"), (7.0, "float"), (None, "NoneType"), (b"7", "bytes"), (np.int64(7), "int64")]:
        with pytest.raises(InputError) as caught:
            check_ids("gold", "doc", ("7", wrong, 8))
        said = f"id-mismatch: the gold doc id {wrong!r} is of type {kind}, ids are strings; "
        assert str(caught.value) == f"{said}write str(doc_id) on both sides"
