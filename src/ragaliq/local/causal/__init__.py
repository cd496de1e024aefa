"""Causal language models on this machine: how they are loaded, asked and steered, and what they wrote.

A reader and a judge that run one share all of it; what they ask is theirs.
"""

__all__ = ["chat", "client", "completion", "engine", "generation", "sampling", "transformers"]
