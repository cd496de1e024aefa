"""Make a result file with promptfoo: two systems with recorded answers, assertions without a model.

`python make_promptfoo.py FOLDER`, where FOLDER holds `node_modules/promptfoo` (`npm install promptfoo` there).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ITEMS = HERE.parent / "items.jsonl"


def config() -> dict[str, object]:
    """One test for each item; every third item is left out to keep the file small."""
    rows = [json.loads(line) for line in ITEMS.read_text(encoding="utf-8").splitlines()]
    return {
        "description": "Recorded answers in six languages",
        "prompts": ["{{question}}"],
        "providers": [
            {"id": "file://provider.js", "label": system, "config": {"system": system}} for system in ("long", "short")
        ],
        "tests": [
            {
                "vars": {"id": row["query_id"], "lang": row["lang"], "question": row["question"]},
                "assert": [
                    {"type": "levenshtein", "value": row["reference"], "threshold": 12, "metric": "near"},
                    {"type": "rouge-n", "value": row["reference"], "threshold": 0.5, "metric": "rouge"},
                ],
            }
            for row in rows
            if row["query_id"] != "festival"
        ],
    }


def main() -> None:
    """Make `results.json` and `versions.json` anew."""
    npx = Path(sys.argv[1]).resolve() / "node_modules" / ".bin" / "promptfoo"
    quiet = ("TELEMETRY", "UPDATE", "REMOTE_GENERATION", "SHARING")
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, **{f"PROMPTFOO_DISABLE_{name}": "1" for name in quiet}, "PROMPTFOO_CONFIG_DIR": folder}
        env["HOME"] = folder
        plan, out = HERE / "promptfooconfig.json", Path(folder) / "results.json"
        plan.write_text(json.dumps(config(), ensure_ascii=False), encoding="utf-8")
        try:
            quietly = ("--no-cache", "--no-table", "--no-progress-bar", "--no-write")
            command = [str(npx), "eval", "-c", str(plan), "-o", str(out), *quietly]
            # It exits 100 where tests fail, as some do on purpose.
            done = subprocess.run(command, cwd=HERE, env=env, capture_output=True, text=True)
            if not out.exists():
                sys.exit(done.stdout + done.stderr)
        finally:
            plan.unlink()
        # Its own file, without the indentation.
        results = json.loads(out.read_text(encoding="utf-8"))
        text = json.dumps(results, ensure_ascii=False, separators=(",", ":")).replace(f"{folder}/", "")
        (HERE / "results.json").write_text(text.replace(str(HERE), ".") + "\n", encoding="utf-8")
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    versions = {"promptfoo": results["metadata"]["promptfooVersion"], "node": node}
    (HERE / "versions.json").write_text(json.dumps(versions, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
