"""Where models are served, and how they are called: addresses, secrets, options."""

__all__ = ["call_options", "endpoint", "environment"]
