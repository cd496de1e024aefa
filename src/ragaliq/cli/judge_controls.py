"""`ragaliq judge-controls`: what a judge says where it is known what a sound judge says."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragaliq.cli.judging import add_judging, chosen_judge
from ragaliq.cli.options import add_calls, make_session, parse_languages, positive, tell_calls

if TYPE_CHECKING:
    from ragaliq.judge import Judge
    from ragaliq.judge.controls.attacked import Shift
    from ragaliq.judge.controls.cases import Checked, Control
    from ragaliq.judge.controls.exam import ExamResult
    from ragaliq.llm import LLMSession
    from ragaliq.types import ExamAnswer


_LIMIT = 20


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "judge-controls",
        help="what a judge says where it is known what a sound judge says",
        description="Asks a judge about references, paraphrases, changed numbers, other questions' answers, "
        "abstentions, empty answers and answers in another language, parallel in each language. Exit code 1 if a gate "
        "fails.",
    )
    add = parser.add_argument
    add("--judge", default="offline", metavar="KIND[:MODEL]", help="offline (default), openai:MODEL, panel:A+B")
    add("--lang", default="all", help="languages, as in en,de (default: all that have controls)")
    add("--data", metavar="DIR", help="make controls from this benchmark's own items, too, and ask its exam")
    add("--limit", type=positive, metavar="N", help="with --data: items and exam queries of each language (20)")
    add("--attacks", action="store_true", help="ask whether attacks in a wrong answer raise its grade, too")
    add("--out", metavar="FILE.json", help="write everything, every grade included, to this new file")
    add("--format", choices=("md", "json"), default="md", help="form of the output (default: md)")
    add_judging(parser, controls=False)
    add_calls(parser)
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit code: 1 if a gate fails.

    Raises:
        Stopped: if too many calls failed: nothing is known about the judge then.
    """
    from ragaliq.config import Component, RunConfig
    from ragaliq.judge.controls.exam import exam_json, render_exam
    from ragaliq.judge.controls.report import render_controls, results_json
    from ragaliq.pipeline.evaluate import make_judge
    from ragaliq.pipeline.judge_gate import check_answered, failure_lines, run_controls
    from ragaliq.storage.files import write_json

    out = Path(arguments.out) if arguments.out else None
    _check_out(out)
    controls, questions = _controls(arguments)
    component = chosen_judge(Component.parse(arguments.judge, "--judge"), arguments)
    session = make_session(arguments)
    judge = make_judge(RunConfig(judge=component), session)
    try:
        asked = run_controls(judge, controls, session)
        measured = asked.passed is not None
        shifts = _attack(judge, controls, asked.results, session) if arguments.attacks and measured else None
        exam = _examine(judge, questions, session) if questions and measured else None
    finally:
        tell_calls(session)
    value = results_json(asked, shifts)
    if exam is not None:
        value["exam"] = exam_json(exam)
    if out is not None:
        write_json(out, value)
    if arguments.format == "json":
        print(json.dumps(value, ensure_ascii=False, indent=2))
    else:
        print("\n\n".join([render_controls(asked, shifts), *([] if exam is None else [render_exam(exam)])]), flush=True)
    check_answered(asked)
    failures = failure_lines(asked)
    for line in failures:
        print(f"ragaliq: {line}", file=sys.stderr)
    return 1 if failures else 0


def _check_out(out: Path | None) -> None:
    from ragaliq.errors import InputError

    if out is not None and out.exists():
        raise InputError(f"--out {out}: is there already; name a new file")


def _controls(arguments: argparse.Namespace) -> tuple[tuple[Control, ...], tuple[ExamAnswer, ...]]:
    """Return the hand-written controls with those of the benchmark that `--data` names, and its exam.

    Raises:
        InputError: if there are none in a language that `--lang` names, `--limit` would limit nothing, or the exam is
            malformed: all before the first call.
    """
    from ragaliq.benchmark.exam import load_exam
    from ragaliq.benchmark.load import load_benchmark
    from ragaliq.errors import InputError, listed
    from ragaliq.judge.controls.cases import derived_controls, written_controls, written_languages

    langs = parse_languages(arguments.lang)
    if arguments.data is None:
        if arguments.limit is not None:
            raise InputError("--limit: limits the controls made of a benchmark; name one with --data, or leave it out")
        unknown = [lang for lang in langs or () if not written_controls([lang])]
        if unknown:
            raise InputError(
                f"--lang {unknown[0]}: no hand-written controls; {listed(written_languages())}, or --data DIR makes "
                "some from a benchmark"
            )
        return written_controls(langs or written_languages()), ()
    benchmark = load_benchmark(arguments.data, langs)
    limit = arguments.limit or _LIMIT
    derived = [control for lang in benchmark.languages
               for control in derived_controls(benchmark.items[lang], limit)]  # fmt: skip
    return (*written_controls(benchmark.languages), *derived), load_exam(Path(arguments.data), benchmark, limit)


def _examine(judge: Judge, answers: tuple[ExamAnswer, ...], session: LLMSession) -> ExamResult:
    from ragaliq.judge.controls.exam import exam_result
    from ragaliq.pipeline.judge_gate import ask
    from ragaliq.runs.rows import RunAnswer
    from ragaliq.types import Answer, AnswerOutcome

    cases = [RunAnswer(a.item, Answer(a.item.query, a.text, AnswerOutcome.ANSWERED, ())) for a in answers]
    return exam_result(answers, ask(judge, cases, session, "exam"))


def _attack(
    judge: Judge, controls: tuple[Control, ...], results: tuple[Checked, ...], session: LLMSession
) -> tuple[Shift, ...]:
    from ragaliq.judge.controls.attacked import attacked, shifts
    from ragaliq.pipeline.judge_gate import ask
    from ragaliq.runs.rows import RunAnswer

    cases = attacked(controls)
    verdicts = ask(judge, [RunAnswer(case.control.item, case.as_answer()) for case in cases], session, "attacks")
    return shifts(list(zip(cases, verdicts, strict=True)), results)
