"""What a built benchmark is worth, as records: `report.json`, rendered by `report.markdown.build`.

Each figure of the report has a file here; `figures.py` puts them together.
"""

__all__ = [
    "built",
    "calls",
    "contents",
    "discriminability",
    "family_left_out",
    "figures",
    "funnel",
    "pool_recall",
    "translations",
]
