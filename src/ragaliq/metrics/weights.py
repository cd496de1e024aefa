"""What each grade is worth.

The weights come from the RAGaliq sources (README, "Scoring"): saying nothing is worth more than being wrong and less
than being partly right.
"""

from __future__ import annotations

WEIGHTS = {5: 1.0, 4: 0.8, 3: 0.6, 0: 0.4, 2: 0.2, 1: 0.0}
