"""Evaluating a system: the chatbot, and the stages answer, grade, check and aggregate over a run's folder.

`evaluate` runs them, `rejudge` grades again, `answer_files/` grades answers from elsewhere, `plan` says what would be
called, `judge_gate` lets no judge begin that fails its controls, `checker_controls` runs those of a checker, `findings`
says why there are none, `distributed/` has the parts work on a cluster. A new stage is a file here that uses
`execution.run_stage`.
"""

__all__ = [
    "answer_files",
    "capacity",
    "chatbot",
    "check",
    "checker_controls",
    "distributed",
    "evaluate",
    "judge_gate",
    "measure",
    "plan",
    "rejudge",
    "stage_plan",
    "system",
]
