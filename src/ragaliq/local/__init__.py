"""Models of the Hugging Face hub that run on this machine.

`checkpoint` finds a model's files, names their content and says in one line why a model cannot be loaded; `model` holds
the options that embedders, cross-encoders and sparse encoders share; `causal` runs models that write. The stages' rooms
add what is theirs.
"""

__all__ = ["causal", "checkpoint", "model"]
