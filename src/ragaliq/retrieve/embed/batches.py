"""Batches of texts of like length, so that little is spent on padding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

# A model's inputs by name (`input_ids`, `attention_mask`, …): a list of numbers for one text, an array for a batch.
Tokens = Mapping[str, Sequence[int]]
Batch = dict[str, NDArray[np.int64]]


# On a CPU the intermediate results of more tokens do not fit its caches, and the work takes longer.
CPU_TOKENS = 1024
# A text shorter than this share of a batch's longest begins a new one: in small sets padding costs more than a batch.
NARROWEST = 0.8
# So many texts are tokenized and sorted by length at once: enough for full batches, few enough to hold their tokens.
PART = 4096


def length_batches(lengths: Sequence[int], size: int, budget: float) -> list[list[int]]:
    """Return the positions of `lengths` in batches, the longest first: what does not fit into memory shows at once.

    Args:
        lengths: number of tokens of each text.
        size: most texts of a batch.
        budget: most tokens of a batch, padding included; a text longer than that is a batch of its own.
    """
    batches: list[list[int]] = []
    widest = 0
    for index in sorted(range(len(lengths)), key=lambda index: (-lengths[index], index)):
        full = bool(batches) and (len(batches[-1]) == size or (len(batches[-1]) + 1) * widest > budget)
        if not batches or full or lengths[index] < NARROWEST * widest:
            batches.append([])
            widest = lengths[index]
        batches[-1].append(index)
    return batches


def padded(rows: Sequence[Tokens], pad_id: int) -> Batch:
    """Return texts as one array for each input, shape `(texts, tokens of the longest)`, filled up on the right.

    On the right whatever the tokenizer would do: positions then count from the text's first token in every model, and a
    decoder's tokens never see the padding behind them.
    """
    width = max(len(row["input_ids"]) for row in rows)
    batch: Batch = {}
    for name in rows[0]:
        filled = np.full((len(rows), width), pad_id if name == "input_ids" else 0, dtype=np.int64)
        for place, row in enumerate(rows):
            filled[place, : len(row[name])] = row[name]
        batch[name] = filled
    return batch
