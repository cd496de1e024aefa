"""`ragaliq judge-controls`: what a judge says where it is known what a sound judge says."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragaliq.cli.judging import chosen_judge
from ragaliq.cli.options import (
    add_calls,
    add_format,
    add_judging,
    add_shared,
    command_session,
    parse_languages,
    positive,
    print_json,
    tell,
)
from ragaliq.config import Component, RunConfig, sample_path
from ragaliq.errors import InputError, listed

if TYPE_CHECKING:
    from ragaliq.judge import Judge
    from ragaliq.judge.controls.attacks import Shift
    from ragaliq.judge.controls.cases import Checked, Control
    from ragaliq.judge.controls.exam import ExamResult
    from ragaliq.llm import LLMSession
    from ragaliq.types import ExamAnswer


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "judge-controls",
        help="what a judge says where it is known what a sound judge says",
        description="Asks a judge about references, paraphrases, changed numbers, other questions' answers, "
        "abstentions, empty answers and answers in another language, parallel in each language; with --check it "
        "asks a checker about sentences that passages support or not. Exit code 1 if a gate fails.",
    )
    add = parser.add_argument
    add(
        "--data",
        type=sample_path,
        metavar="DIR",
        help="make controls from this benchmark's own items, too, and ask its exam",
    )
    add("--limit", type=positive, metavar="N", help="with --data: items and exam queries of each language (20)")
    add("--attacks", action="store_true", help="ask whether attacks in a wrong answer raise its grade, too")
    add("--out", metavar="FILE.json", help="write everything, every grade included, to this new file")
    add("--check", metavar="KIND[:MODEL]", help="ask a checker its controls, not a judge: offline or openai:MODEL")
    add_shared(parser, "--lang")
    add_format(parser, "json")
    add_judging(parser, controls=False)
    add_calls(parser)
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit code: 1 if a gate fails.

    Raises:
        Stopped: if too many calls failed: nothing is known about the judge then.
    """
    from ragaliq.judge.controls.exam import exam_json
    from ragaliq.judge.controls.results import results_json
    from ragaliq.pipeline.evaluate import make_judge
    from ragaliq.pipeline.judge_gate import check_answered, failure_lines, run_controls
    from ragaliq.report.markdown.controls import render_controls, render_exam
    from ragaliq.storage.files import write_json

    out = Path(arguments.out) if arguments.out else None
    if out is not None and out.exists():
        raise InputError(f"--out {out}: is there already; name a new file")
    if arguments.check:
        return _check(arguments, out)
    controls, questions = _controls(arguments)
    component = chosen_judge(arguments, Component("offline"))
    with command_session(arguments) as session:
        judge = make_judge(RunConfig(judge=component), session)
        asked = run_controls(judge, controls, session)
        measured = asked.passed is not None
        shifts = _attack(judge, controls, asked.results, session) if arguments.attacks and measured else None
        exam = _examine(judge, questions, session) if questions and measured else None
    value = results_json(asked, shifts)
    if exam is not None:
        value["exam"] = exam_json(exam)
    if out is not None:
        write_json(out, value)
    if arguments.format == "json":
        print_json(value)
    else:
        print(render_controls(asked, shifts) + (f"\n\n{render_exam(exam)}" if exam else ""), flush=True)
    check_answered(asked)
    failures = failure_lines(asked)
    tell(f"ragaliq: {line}" for line in failures)
    return 1 if failures else 0


def _check(arguments: argparse.Namespace, out: Path | None) -> int:
    """Run a checker's controls, and return the exit code."""
    from ragaliq.judge.controls.faithfulness import faithfulness_json, planted_answers, planted_languages
    from ragaliq.pipeline.check import make_checker
    from ragaliq.pipeline.checker_controls import run_checker_controls
    from ragaliq.report.markdown.controls import render_faithfulness
    from ragaliq.storage.files import write_json

    for option in ("data", "limit", "attacks", "judge", "repeats", "judge_temperature"):
        if getattr(arguments, option):
            raise InputError(f"--{option.replace('_', '-')}: is for a judge's controls; leave it or --check out")
    langs = parse_languages(arguments.lang) or planted_languages()
    unknown = [lang for lang in langs if not planted_answers([lang])]
    if unknown:
        raise InputError(f"--lang {unknown[0]}: no controls of a checker; {listed(planted_languages())}")
    with command_session(arguments) as session:
        checker = make_checker(Component.parse(arguments.check, "--check"), session)
        parts = run_checker_controls(checker, planted_answers(langs), session)
    value = faithfulness_json((checker.name, checker.prompt_hash), parts)
    if out is not None:
        write_json(out, value)
    if arguments.format == "json":
        print_json(value)
    else:
        print(render_faithfulness(checker.name, parts), flush=True)
    failed = [part for part in parts if not part.passed]
    tell(f"ragaliq: controls: checker '{checker.name}' fails them in {part.lang}" for part in failed)
    return 1 if failed else 0


def _controls(arguments: argparse.Namespace) -> tuple[tuple[Control, ...], tuple[ExamAnswer, ...]]:
    """Return the hand-written controls with those of the benchmark that `--data` names, and its exam.

    Raises:
        InputError: if there are none in a language that `--lang` names, `--limit` would limit nothing, or the exam is
            malformed: all before the first call.
    """
    from ragaliq.benchmark.checks.validate import is_parallel
    from ragaliq.benchmark.exam import load_exam
    from ragaliq.benchmark.load import load_benchmark
    from ragaliq.judge.controls.cases import derived_controls, written_controls, written_languages
    from ragaliq.storage.files import read_json

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
    head, limit = Path(arguments.data) / "bench.json", arguments.limit or 20
    parallel = not head.is_file() or is_parallel(read_json(head))
    derived = [control for lang in benchmark.languages
               for control in derived_controls(benchmark.items[lang], limit, parallel)]  # fmt: skip
    controls = (*written_controls(benchmark.languages), *derived)
    if not controls:
        raise InputError(
            f"--data {arguments.data}: makes no controls, and there are no hand-written ones in "
            f"{', '.join(benchmark.languages)}; name a benchmark with answerable queries"
        )
    return controls, load_exam(Path(arguments.data), benchmark, limit)


def _examine(judge: Judge, answers: tuple[ExamAnswer, ...], session: LLMSession) -> ExamResult:
    from ragaliq.judge.controls.exam import exam_result
    from ragaliq.pipeline.judge_gate import grade_cases

    return exam_result(answers, grade_cases(judge, [(answer.item, answer.text) for answer in answers], session, "exam"))


def _attack(
    judge: Judge, controls: tuple[Control, ...], results: tuple[Checked, ...], session: LLMSession
) -> tuple[Shift, ...]:
    from ragaliq.judge.controls.attacks import attacked, shifts
    from ragaliq.pipeline.judge_gate import grade_cases

    cases = attacked(controls)
    answers = [(control.item, attack.apply(control.answer)) for attack, control in cases]
    return shifts(cases, grade_cases(judge, answers, session, "attacks"), results)
