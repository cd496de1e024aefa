"""Building benchmarks: documents in, a benchmark out, stage by stage; `pipeline` lists the stages.

`workspace` has the files of a build, `context` what its stages share, `model` the models to ask; `validity/` compares
built questions with people's; `translation/` translates a benchmark; `update/` makes its next version; `audit/`
counts what people say, and `parity/` finds items that are unequal in a language; `edition/` fills its slots anew.
"""

__all__ = [
    "audit",
    "context",
    "dry_run",
    "edition",
    "model",
    "models_used",
    "parity",
    "pipeline",
    "quality",
    "stage_row",
    "stages",
    "translation",
    "update",
    "validity",
    "workspace",
]
