"""Whether built questions are as good as people's: `ragaliq build certify`, from a file of questions by people.

`certificate` puts together what the other files measure: `rank_agreement` and `discrimination` over the retrieval
`configurations`, `question_alone`, `pool_checks`; `matching` draws built questions that are like given ones.
"""

__all__ = ["certificate", "configurations", "estimate", "question_alone", "rank_agreement"]
