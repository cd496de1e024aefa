"""Figures as pure functions: no files, no network, no model.

Rooms: `answers` (grades, refusals and texts of answers), `retrieval` (rankings against judgements), `agreement` (two
raters), `statistics` (intervals, tests, ranks). `arrays` has what users call on values of their own, which
`numbers_in_memory` reads, `weights` what each grade is worth. A new measure goes into the room of what it reads; its
docstring gives formula, range, ties and the empty case.
"""

__all__ = ["agreement", "answers", "arrays", "numbers_in_memory", "retrieval", "statistics", "weights"]
