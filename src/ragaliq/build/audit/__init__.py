"""How far people agree with a benchmark: `ragaliq build audit`, from their reviews.

`audit` puts the figures together; several raters of one item become one judgement in `combined_raters`.
"""

__all__ = ["audit", "combined_raters", "corrected_rates", "judge_quality", "support_strata"]
