"""How two graders of the same items agree, and what follows for a judge: pairs, coefficients, certificates."""

__all__ = ["certificate", "labels", "recalibration"]
