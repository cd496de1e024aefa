"""The quality report and the card of a built benchmark.

`report` writes both, `certificate_block` is the certificate's place on the card.
"""

__all__ = ["certificate_block", "report"]
