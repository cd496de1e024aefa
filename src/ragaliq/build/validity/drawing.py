"""Which built questions of a benchmark are drawn, to be like those of people or of a query log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragaliq.benchmark.load import Benchmark
from ragaliq.build.validity.human_questions import HumanQuestion
from ragaliq.build.validity.matching import Matching, QuestionShape, matched, question_shape
from ragaliq.build.validity.question_rows import question_rows
from ragaliq.errors import InputError
from ragaliq.formats.reading.fields import row_text
from ragaliq.text.language import likeliest
from ragaliq.types import Item, Qrels

HUMAN = "human"


@dataclass(frozen=True, slots=True)
class MatchingTarget:
    """The questions that built ones are to be like, by language; `name` is `human` or a file's."""

    name: str
    shapes: Mapping[str, Sequence[QuestionShape]]


def matching_target(match: str, benchmark: Benchmark, people: Sequence[HumanQuestion]) -> MatchingTarget:
    """Return what `match` means: `human`, or a file of questions (`question`, and where known `lang` and `type`).

    The documents of a log's questions are not known, so they are matched by type and length alone.

    Raises:
        InputError: if the file cannot be read, or a row has no question.
    """
    if match == HUMAN:
        texts = {lang: _texts(benchmark, lang) for lang in benchmark.languages}
        pairs = [(one.lang, question_shape(one.question_id, one.text, one.type,
                                           [texts[one.lang][doc_id] for doc_id in one.doc_ids]))
                 for one in people]  # fmt: skip
        return MatchingTarget(HUMAN, _by_language(pairs))
    pairs = []
    for line, row in question_rows(Path(match)):
        where = f"{match}:{line}"
        text = row_text(row, "question", where).strip()
        if not text:
            raise InputError(f"{where}: 'question' is missing or empty; write it")
        lang = row_text(row, "lang", where).strip() or likeliest(text, benchmark.languages)
        pairs.append((lang, question_shape(f"log{line}", text, row_text(row, "type", where).strip())))
    return MatchingTarget(Path(match).name, _by_language(pairs))


def draw_alike(
    benchmark: Benchmark, lang: str, items: Sequence[Item], qrels: Qrels, target: MatchingTarget
) -> Matching:
    """Draw those of a language's built questions that are like the target's.

    Raises:
        InputError: if the target has no question in the language.
    """
    wanted = target.shapes.get(lang)
    if not wanted:
        raise InputError(f"--match {target.name}: no question in '{lang}'; leave the option out, or add some")
    texts, built = _texts(benchmark, lang), []
    for item in items:
        gold = [doc_id for doc_id, rel in qrels[item.query.query_id].items() if rel > 0]
        held = [texts[doc_id] for doc_id in gold if doc_id in texts]
        built.append(question_shape(item.query.query_id, item.query.text, item.type, held))
    return matched(target.name, built, wanted)


def _texts(benchmark: Benchmark, lang: str) -> dict[str, str]:
    return {chunk.doc_id: chunk.text for chunk in benchmark.chunks[lang]}


def _by_language(pairs: Sequence[tuple[str, QuestionShape]]) -> dict[str, list[QuestionShape]]:
    shapes: dict[str, list[QuestionShape]] = {}
    for lang, shape in pairs:
        shapes.setdefault(lang, []).append(shape)
    return shapes
