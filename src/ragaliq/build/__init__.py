"""Building benchmarks: documents in, a benchmark out, stage by stage; `pipeline` lists the stages.

`workspace` holds the files of a build, `context` what its stages share, `model` who is asked; `validity/` holds built
questions against people's; `edition/` fills a benchmark's slots anew.
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
