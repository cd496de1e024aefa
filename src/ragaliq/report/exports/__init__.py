"""A run in other tools' files, one file a tool; `cli.export` names them."""

__all__ = ["every_eval_ever", "inspect_logs", "reference_logs"]
