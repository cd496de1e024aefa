"""`python -m ragaliq` is the command `ragaliq`."""

from __future__ import annotations

import sys

from ragaliq.cli import main

sys.exit(main())
