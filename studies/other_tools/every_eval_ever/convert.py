"""Converts the log `../inspect/first.eval` with the converter of Every Eval Ever, and keeps what it writes.

pip install inspect_ai==0.3.285 huggingface_hub
pip install --no-deps --ignore-requires-python every_eval_ever==0.3.0    # asks for Python 3.12; 3.11 runs it
python convert.py          # writes inspect.json, inspect_samples.jsonl and versions.json beside itself
"""

from __future__ import annotations

import json
import math
import platform
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from inspect_ai.log import read_eval_log, write_eval_log

HERE = Path(__file__).resolve().parent
LOG = HERE.parent / "inspect" / "first.eval"


def main() -> None:
    """Convert the log, changed in two places: the converter knows real providers alone, and stops at a NaN."""
    with TemporaryDirectory() as folder:
        log = read_eval_log(str(LOG))
        log.eval.model = "hf/example/facts"
        for sample in log.samples or []:
            sample.scores = {name: one for name, one in (sample.scores or {}).items() if not unscored(one.value)}
        for reduction in log.reductions or []:
            reduction.samples = [one for one in reduction.samples if not unscored(one.value)]
        renamed = Path(folder) / "log.eval"
        write_eval_log(log, str(renamed))
        command = [sys.executable, "-m", "every_eval_ever.converters.inspect", "--log_path", str(renamed)]
        subprocess.run([*command, "--output_dir", f"{folder}/data"], check=True)
        (samples,) = Path(folder, "data").rglob("*_samples.jsonl")
        shutil.copyfile(samples, HERE / "inspect_samples.jsonl")
        shutil.copyfile(samples.with_name(samples.name.replace("_samples.jsonl", ".json")), HERE / "inspect.json")
    versions = {
        "python": platform.python_version(),
        **{name: version(name) for name in ("every_eval_ever", "inspect_ai")},
    }
    (HERE / "versions.json").write_text(json.dumps(versions, indent=1) + "\n", encoding="utf-8")


def unscored(value: object) -> bool:
    """Whether a score's value is inspect's sign for none."""
    return isinstance(value, float) and math.isnan(value)


if __name__ == "__main__":
    main()
