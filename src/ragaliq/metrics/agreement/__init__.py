"""How well raters of the same items agree.

`coefficients` with their `intervals`, `rank_correlation`, `votes`, and `double_annotation` of people.

Raters are a judge and a person, two judges, or several votes of one. A new coefficient is a function in `coefficients`,
with its value for perfect, chance and reversed agreement in the docstring.
"""

__all__ = ["coefficients", "double_annotation", "intervals", "rank_correlation", "votes"]
