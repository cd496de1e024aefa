"""Readers that run a model on this machine: prompts, the context window, generation, two engines."""

__all__ = ["transformers", "vllm"]
