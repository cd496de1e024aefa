"""The main job: `python eval.py …` is `ragaliq run …` from this checkout."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "src"))

if __name__ == "__main__":
    try:
        from ragaliq.cli import main

        sys.exit(main(["run", *sys.argv[1:]]))
    except ModuleNotFoundError as error:
        print(
            f"eval.py: the package '{error.name}' is not installed for this Python; "
            "./run_eval.sh installs everything into .venv and runs this file with it",
            file=sys.stderr,
        )
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(3)
