"""Building benchmarks: documents in, a benchmark out, stage by stage; `pipeline` lists the stages.

`workspace` has the files of a build, `context` what its stages share, `model` the models to ask; `validity/` compares
built questions with people's; `edition/` fills a benchmark's slots anew.
"""

__all__ = [
    "context",
    "dry_run",
    "edition",
    "model",
    "models_used",
    "pipeline",
    "quality",
    "stage_row",
    "stages",
    "validity",
    "workspace",
]
