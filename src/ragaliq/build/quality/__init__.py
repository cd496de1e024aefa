"""What a built benchmark is worth, as records: `report.json`, rendered by `report.markdown.build`.

A figure of the report is a file here; `figures.py` puts them together.
"""

__all__ = ["built", "calls", "contents", "discriminability", "family_left_out", "figures", "funnel", "pool_recall"]
