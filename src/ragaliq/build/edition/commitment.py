"""Commitments: the hash that announces a private edition's seed before the seed is told."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from typing import Any

from ragaliq.errors import InputError

# A shorter seed is found by trying.
_BITS = 96


def commitment(head: Mapping[str, Any], seed: int) -> str:
    """Return the SHA-256, in hex, of the benchmark's name and version and the seed: `NAME VERSION SEED`."""
    return hashlib.sha256(f"{head['name']} {head['version']} {seed}".encode()).hexdigest()


def new_seed() -> int:
    """Return a seed that nobody can guess."""
    return secrets.randbits(128) | 1 << 127


def require_unguessable(seed: int) -> None:
    """Refuse a seed for a private edition that could be found by trying: one below 2^96."""
    if seed < 1 << _BITS:
        raise InputError(
            f"--seed {seed}: can be found by trying; a private edition takes `--seed new`, or one of 30 digits"
        )
