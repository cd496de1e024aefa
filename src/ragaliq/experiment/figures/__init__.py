"""What a retrieval experiment computes: values of runs, differences, diagnoses, published figures beside ours.

Each module makes records; `report.markdown.retrieval` renders them.
"""

__all__ = ["diagnoses", "measured_run", "published", "reference_figures", "study", "study_figures"]
