"""A run made by hand in English, Russian and Chinese, with everything that can be said about its items."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from fakes import answered, hits
from ragaliq.judge.checks.rates import CHECKS
from ragaliq.judge.checks.support import Check, SentenceCheck, Support
from ragaliq.judge.nuggets.matches import MATCHES, NuggetMatch, NuggetMatches
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.rows import RunAnswer, run_answer_to_row, verdict_to_row
from ragaliq.runs.waterfall import WATERFALL
from ragaliq.storage.files import write_json, write_jsonl
from ragaliq.types import AssignmentLabel, GoldGroup, Importance, LossStage, Verdict, VerdictOutcome, WaterfallRow

# Steers a terminal, turns the direction of writing, is invisible, or is half a character.
HOSTILE = "blue\x1b[2J\x07\x9b31m\u202egreen\u2066\u200b\ufeff\u2028\ud800"
CHINESE = "大门早上七点开放，晚上十点半关闭。"
# Query, language, answer, grade, cause; a grade of None is a verdict without one, "absent" no verdict at all.
_ITEMS = (
    ("q01", "en", "It is red.", 1, LossStage.RETRIEVER),
    ("q02", "en", "It is blue. It is big.", 2, LossStage.READER),
    ("q03", "en", "none", 0, LossStage.ABSTENTION),
    ("q04", "en", "It is blue.", 5, LossStage.READER),
    ("q05", "en", "", None, None),
    ("q01", "ru", "Небо си\u0301нее и высокое.", 3, LossStage.CONTEXT_CUT),
    ("q02", "zh", CHINESE, 1, LossStage.KNOWLEDGE_BASE),
)
# Of queries that the data cannot answer.
_UNANSWERABLE = (("q08", "en", "It is yellow.", 1), ("q09", "en", "none", 0))


def write_shown_run(path: Path, verdicts: bool = True, data: str = "data") -> RunFolder:
    """Write the run; without `verdicts` its answers alone."""
    folder = RunFolder(path)
    parts = {name: {"kind": "fake", "model": ""} for name in ("embedder", "reranker", "retriever", "reader")}
    expected = {lang: {"answerable": n, "unanswerable": 0} for lang, n in (("en", 5), ("ru", 1), ("zh", 1))}
    write_json(
        folder.config_file,
        {
            "data": {"name": "tiny", "version": "1", "hash": data, "path": str(path / "no-benchmark")},
            "system": {**parts, "seed": 0},
            "judge": {"kind": "offline", "model": "", "name": "offline", "prompt_hash": "hash"},
            "expected": expected,
        },
    )
    rows = [_shown(query_id, lang, text) for query_id, lang, text, *_ in _ITEMS]
    rows += [_shown(query_id, lang, text, answerable=False) for query_id, lang, text, _ in _UNANSWERABLE]
    write_jsonl(folder.answers_file, map(run_answer_to_row, rows))
    if verdicts:
        grades = {(one[1], one[0]): one[3] for one in (*_ITEMS, *_UNANSWERABLE)}
        write_jsonl(folder.verdicts_file, [verdict_to_row(_verdict(key, grade)) for key, grade in grades.items()])
        write_jsonl(folder.checks_file, [CHECKS.dump(_check(row)) for row in rows])
        write_jsonl(folder.nuggets_file, [MATCHES.dump(_matches("q02", "en"))])
        write_jsonl(folder.waterfall_file, [WATERFALL.dump(_waterfall(one[0], one[1], one[4])) for one in _ITEMS])
    return folder


def _shown(query_id: str, lang: str, text: str, answerable: bool = True) -> RunAnswer:
    one = answered(query_id, text, lang, answerable)
    context = tuple(hits("A first passage\nof two lines.", "A second.", "A third.", "A fourth.", "A fifth.", lang=lang))
    return replace(one, answer=replace(one.answer, context=context, error="" if text else "no route to host"))


def _verdict(key: tuple[str, str], grade: int | None) -> Verdict:
    outcome = VerdictOutcome.NO_ANSWER if grade is None else VerdictOutcome.SCORED
    return Verdict(key[1], key[0], grade, outcome, f"says {grade}", "offline", "hash")


def _check(row: RunAnswer) -> Check:
    query, text = row.item.query, row.answer.text
    judged = ("offline", "hash")
    if not text:
        return Check(query.query_id, query.lang, None, None, (), VerdictOutcome.NO_ANSWER, *judged)
    supports = {"q01": Support.NOT, "q02": Support.CONTRADICTED, "q08": Support.PARTLY}
    first, *more = text.split(". ")
    support = supports.get(query.query_id, Support.SUPPORTED)
    sentences = [SentenceCheck(first + ("." if more else ""), support, None if support is Support.NOT else "d1")]
    sentences += [SentenceCheck(one, Support.PARTLY, "d2") for one in more]
    if text == "none":
        sentences = [SentenceCheck(text, None)]
    return Check(query.query_id, query.lang, text == "none", True, tuple(sentences), VerdictOutcome.SCORED, *judged)


def _matches(query_id: str, lang: str) -> NuggetMatches:
    labels = (AssignmentLabel.SUPPORT, AssignmentLabel.PARTIAL_SUPPORT, AssignmentLabel.NOT_SUPPORT)
    matches = [NuggetMatch(f"{query_id}-{n}", Importance.VITAL, label) for n, label in enumerate(labels, start=1)]
    return NuggetMatches(query_id, lang, tuple(matches), VerdictOutcome.SCORED, "offline", "hash")


def _waterfall(query_id: str, lang: str, cause: LossStage | None) -> WaterfallRow:
    lost = cause if cause in (LossStage.KNOWLEDGE_BASE, LossStage.RETRIEVER, LossStage.CONTEXT_CUT) else None
    ranks = {LossStage.CONTEXT_CUT: 4, None: 4}
    group = GoldGroup(("d4", "d9"), ranks.get(lost), ranks.get(lost), lost)
    return WaterfallRow(query_id, lang, True, "single", "hard", cause, (group,))
