"""Models of the Hugging Face hub that run on this machine, through sentence-transformers.

`checkpoint` finds a model's files and names their content, `model` holds the options that embedders, cross-encoders and
sparse encoders share: device, precision, batches, window. The stages' rooms add what is theirs.
"""

__all__ = ["checkpoint", "model"]
