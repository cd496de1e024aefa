"""Causal language models on this machine: how they are loaded, asked and steered, and what they wrote.

Readers and judges share all of it; each has its own prompts.
"""

__all__ = ["chat", "client", "completion", "engine", "generation", "sampling", "transformers"]
