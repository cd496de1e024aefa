"""Data elements: whole, small, and the same for the same values."""

from __future__ import annotations

import base64
import json

import pytest

from hostile import HOSTILE
from ragaliq.report.html.blocks import BLOCK_SIZE, Blocks, packed_json, plain_json
from unit.report.html.reading import unpacked


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_every_text_comes_back_and_ends_nothing(text: str) -> None:
    value = {text: [text, 1, None, 0.5]}
    plain = plain_json(value)
    assert json.loads(plain) == value
    assert plain.isascii()
    assert not set("<>&") & set(plain)
    assert unpacked(packed_json(value)) == value


def test_equal_values_give_equal_texts_that_name_no_time() -> None:
    assert packed_json(["船", 1]) == packed_json(["船", 1])
    # RFC 1952: bytes 4 to 8 of a header are the time.
    assert base64.b64decode(packed_json([]))[4:8] == bytes(4)


def test_what_json_cannot_hold_is_refused() -> None:
    for write in (plain_json, packed_json):
        with pytest.raises(ValueError):
            write({"value": float("nan")})


def test_a_long_list_is_cut_into_blocks() -> None:
    blocks = Blocks("details", "items")
    assert (blocks.index(), blocks.packed()) == ([], {})
    numbers = [blocks.append({"n": n}) for n in range(BLOCK_SIZE + 2)]
    assert numbers == list(range(BLOCK_SIZE + 2))
    assert blocks.index() == [
        {"id": "details-0", "first": 0, "n": BLOCK_SIZE},
        {"id": "details-1", "first": BLOCK_SIZE, "n": 2},
    ]
    packed = blocks.packed()
    assert list(packed) == ["details-0", "details-1"]
    assert unpacked(packed["details-1"]) == {"items": [{"n": BLOCK_SIZE}, {"n": BLOCK_SIZE + 1}]}


def test_a_full_last_block_is_followed_by_none() -> None:
    blocks = Blocks("chunks", "chunks")
    for n in range(BLOCK_SIZE):
        blocks.append(n)
    assert blocks.index() == [{"id": "chunks-0", "first": 0, "n": BLOCK_SIZE}]
