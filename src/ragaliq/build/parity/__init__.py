"""Which items of a parallel benchmark are harder or easier in one language than in the others.

`item_parity` scores the items of all languages with the retrievers of `within_language` and the encoder of
`across_languages`, and tests each item in `shifts`; `parity_rows` has the files with the result, `parity_file` makes
them where there are none. Measured in `studies/parity/`.
"""

__all__ = ["parity_file", "parity_rows"]
