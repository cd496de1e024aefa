"""Figures beside the grade.

`groundedness`, `nuggets` and `context` come from what was asked separately about each answer, `waterfall` and
`retrieval` from where its gold was lost.
"""

__all__ = ["context", "groundedness", "nuggets", "retrieval", "unchecked", "waterfall"]
