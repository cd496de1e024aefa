"""Pictures of a run's figures for notebooks and documents; `drawing` alone knows matplotlib."""

__all__ = ["languages", "waterfall"]
