"""Systems side by side: paired differences, tests, rank sets, over any table of values by query.

How two graders of the same items agree is in `agreement/`. `ragaliq.compare(…)` is a function as
well (`report.compared`).
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

__all__ = [
    "agreement",
    "comparison",
    "coverage",
    "file_ranks",
    "file_results",
    "flips",
    "gate",
    "leaderboard",
    "minimums",
    "neighbours",
    "overview",
    "planned_power",
    "rank_sets",
    "results",
    "source_comparison",
    "sources",
    "standings",
    "value_table",
]


class _CallableFolder(ModuleType):
    """This folder as the function of its name: an import of the folder takes the name `ragaliq.compare`."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return import_module("ragaliq").__getattr__("compare")(*args, **kwargs)


sys.modules[__name__].__class__ = _CallableFolder
