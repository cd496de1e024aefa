"""What `ragaliq validate` looks at: each check returns findings with file and line.

A new check is a new file here that `validate` calls.
"""

__all__ = ["answer_leaks", "licence", "near_duplicates", "validate"]
