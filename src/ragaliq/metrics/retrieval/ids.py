"""Ids are strings: 1 and "1" would be two documents, and no measure would say so."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import cast

from ragaliq.errors import InputError


def check_ids(side: str, what: str, ids: Collection[object]) -> None:
    """Refuse ids that are not strings; `side` (such as `retrieved`) and `what` (`doc` or `query`) name them.

    Raises:
        InputError: beginning with `id-mismatch`, with the first of them.
    """
    try:
        # Joining looks at every id and is the fastest way to do so.
        "".join(cast(Iterable[str], ids))
    except TypeError:
        example = next(name for name in ids if not isinstance(name, str))
        raise InputError(
            f"id-mismatch: the {side} {what} id {example!r} is of type {type(example).__name__}, ids are strings; "
            f"write str({what}_id) on both sides"
        ) from None
