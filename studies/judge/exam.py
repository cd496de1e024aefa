"""Ask the shipped offline judge the exam and the controls of the sample benchmark, on which it was never fitted.

python studies/judge/exam.py             # prints them
python studies/judge/exam.py --write     # and puts the figures into offline.json and the judge's card
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from controls import velmora_questions
from measuring import Controls, control_figures

from ragaliq.benchmark.exam import load_exam
from ragaliq.benchmark.load import load_benchmark
from ragaliq.judge.controls.exam import exam_json, exam_result
from ragaliq.judge.offline.judge import OFFLINE_CARD, OfflineJudge
from ragaliq.report.markdown.controls import render_exam
from ragaliq.types import Answer, AnswerOutcome

_HERE = Path(__file__).resolve().parent
VELMORA = _HERE.parents[1] / "data" / "velmora"


def main() -> int:
    """Ask, print, and put the figures where they belong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="put the figures into offline.json and the card")
    options = parser.parse_args()
    judge = OfflineJudge()
    benchmark = load_benchmark(VELMORA)
    answers = load_exam(VELMORA, benchmark)
    verdicts = [judge.grade(a.item, Answer(a.item.query, a.text, AnswerOutcome.ANSWERED, ())) for a in answers]
    result = exam_result(answers, verdicts)
    asked = velmora_questions(VELMORA)
    controls = control_figures([Controls(judge, asked, asked)])
    print(render_exam(result), json.dumps(controls, indent=1), sep="\n\n")
    if options.write:
        exam = {"benchmark": f"{benchmark.name} {benchmark.version}", "data": benchmark.hash, "n": len(answers),
                **_rounded(exam_json(result))}  # fmt: skip
        for path, indent in ((_HERE / "offline.json", 2), (OFFLINE_CARD, 1)):
            value = json.loads(path.read_text(encoding="utf-8"))
            part = value.get("measured", value)
            part["controls"]["velmora"] = controls
            part["exam"] = exam
            path.write_text(json.dumps(value, ensure_ascii=False, indent=indent) + "\n", encoding="utf-8")
    return 0


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_rounded(part) for part in value]
    return round(value, 3) if isinstance(value, float) else value


if __name__ == "__main__":
    sys.exit(main())
