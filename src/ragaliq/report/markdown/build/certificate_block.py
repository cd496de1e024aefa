"""The certificate's place on a card: written by `build certify`, kept when the card is written again."""

from __future__ import annotations

import re

# What a person wrote is below it.
MARK = "<!-- Everything below this line is yours: it stays when the card is written again. -->"
_BLOCK = re.compile(r"<!-- certificate of (\w+) -->\n\n(.*?)\n\n<!-- end of the certificate -->\n*", re.DOTALL)
_STALE = (
    "## Certificate of validity\n\nThe certificate here was for an earlier version of the data; run "
    "`ragaliq build certify` again."
)


def with_certificate(card: str, section: str, data_hash: str) -> str:
    """Return a card with a certificate's section in place of the one that it has, above what a person wrote."""
    head, mark, rest = _BLOCK.sub("", card).partition(MARK)
    block = f"<!-- certificate of {data_hash} -->\n\n{section}\n\n<!-- end of the certificate -->"
    return "\n\n".join(filter(None, (head.strip(), block, f"{mark}{rest}".strip()))) + "\n"


def with_certificate_of(card: str, before: str, data_hash: str) -> str:
    """Return a new card with the certificate of the one before; it claims nothing of other data than it was made on."""
    block = _BLOCK.search(before.partition(MARK)[0])
    if block is None:
        return card
    return with_certificate(card, block[2] if block[1] == data_hash else _STALE, block[1])
