from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fakes import answered, hits, write_run_folder
from ragaliq.aggregate.beside.unchecked import why_unchecked
from ragaliq.aggregate.run_figures import compute_figures
from ragaliq.config import Component
from ragaliq.errors import ConfigError, InputError, RagaliqError, Stopped
from ragaliq.judge.checks.context import CONTEXTS, ContextMarks
from ragaliq.judge.checks.rates import CHECKS
from ragaliq.judge.checks.support import Check, Checker, SentenceCheck, Support
from ragaliq.judge.nuggets.matches import MATCHES, NuggetMatches
from ragaliq.judge.nuggets.offline import OfflineMatcher
from ragaliq.llm import LLMSession
from ragaliq.pipeline.check import Checking, check_run, make_checking
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.rows import RunAnswer, run_answer_to_row
from ragaliq.storage.files import write_jsonl
from ragaliq.storage.record_store import RecordStore
from ragaliq.types import Answer, CitedSentence, Importance, Item, Nugget, Usage, VerdictOutcome

AGAIN = "; the same command asks again"


class FakeChecker:
    """Finds every sentence supported; it raises what `raises` says for single queries."""

    def __init__(self, name: str = "fake", **raises: BaseException) -> None:
        self.name = name
        self.prompt_hash = "1"
        self.raises = raises
        self.asked: list[str] = []

    def check(self, item: Item, answer: Answer) -> Check:
        query = item.query
        self.asked.append(query.query_id)
        if query.query_id in self.raises:
            raise self.raises[query.query_id]
        found = (SentenceCheck(answer.text, Support.SUPPORTED, "d1"),)
        outcome = VerdictOutcome.SCORED
        return Check(query.query_id, query.lang, False, True, found, outcome, self.name, self.prompt_hash)


def by(checker: Checker) -> Checking:
    return Checking(Component("python"), checker, OfflineMatcher())


def checking(kind: str) -> Checking:
    made = make_checking(Component.parse(kind, "--check"), LLMSession())
    assert made is not None
    return made


class WordChecker(FakeChecker):
    """Finds a sentence supported where a passage is the sentence."""

    def check(self, item: Item, answer: Answer) -> Check:
        doc_ids = [hit.chunk.doc_id for hit in answer.context if hit.chunk.text == answer.text]
        support = Support.SUPPORTED if doc_ids else Support.NOT
        sentence = SentenceCheck(answer.text, support, doc_ids[0] if doc_ids else None)
        return replace(super().check(item, answer), sentences=(sentence,))


NUGGET = Nugget("n1", "q1", "en", "It is blue.", Importance.VITAL, ())


def with_context(one: RunAnswer) -> RunAnswer:
    return replace(one, answer=replace(one.answer, context=tuple(hits("It is blue.", lang=one.item.query.lang))))


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    """A run with three English answers, one abstention and one failure, and two German answers."""
    made = write_run_folder(tmp_path / "r", [5, 5, 5])
    rows = [answered(f"q{i}", "It is blue.") for i in (3, 1, 2)]
    rows += [answered("q4", "none"), answered("q5", "")]
    rows += [answered(f"q{i}", "Es ist blau.", "de") for i in (2, 1)]
    write_jsonl(made.answers_file, [run_answer_to_row(with_context(row)) for row in rows])
    return made


def lines(folder: RunFolder) -> list[dict[str, Any]]:
    return [json.loads(line) for line in folder.checks_file.read_text(encoding="utf-8").splitlines()]


def test_every_answer_is_checked_once_and_the_lines_are_sorted(folder: RunFolder) -> None:
    checker = FakeChecker()
    before = {path.name: path.read_bytes() for path in folder.path.iterdir() if path != folder.config_file}
    german, english = check_run(folder, by(checker), LLMSession())
    assert sorted(checker.asked) == ["q1", "q1", "q2", "q2", "q3", "q4"]
    assert [(row["lang"], row["query_id"]) for row in lines(folder)] == [
        ("de", "q1"), ("de", "q2"), *(("en", f"q{i}") for i in range(1, 6)),
    ]  # fmt: skip
    assert (german.lang, german.n, german.checked.value) == ("de", 2, 1.0)
    assert (english.n, english.checked.value, english.supported.n) == (5, 4 / 5, 4)
    # The reader's abstention was not one for this checker.
    assert (english.agree_abstained.value, english.agree_abstained.n) == (3 / 4, 4)
    assert lines(folder)[-1]["outcome"] == "no_answer"
    assert {name: (folder.path / name).read_bytes() for name in before} == before


def test_the_same_call_goes_on_and_asks_again_only_where_there_is_nothing(folder: RunFolder) -> None:
    check_run(folder, by(FakeChecker(q2=ValueError("out of tune"))), LLMSession())
    whole = folder.checks_file.read_bytes()
    assert [row.get("error") for row in lines(folder)] == [
        None, "ValueError: out of tune", None, "ValueError: out of tune", None, None, None,
    ]  # fmt: skip
    assert why_unchecked(folder) == [
        f"2 answers api_error, such as: ValueError: out of tune{AGAIN}",
        f"1 answer no_answer{AGAIN}",
    ]
    again = FakeChecker()
    check_run(folder, by(again), LLMSession())
    assert again.asked == ["q2", "q2"]
    idle = FakeChecker()
    check_run(folder, by(idle), LLMSession())
    assert idle.asked == [] and folder.checks_file.read_bytes() != whole
    assert {row["outcome"] for row in lines(folder)} == {"scored", "no_answer"}


def test_after_a_kill_the_finished_ones_are_kept(folder: RunFolder) -> None:
    check_run(folder, by(FakeChecker()), LLMSession())
    whole = folder.checks_file.read_bytes()
    kept = whole.splitlines(keepends=True)
    folder.checks_file.write_bytes(b"".join(kept[:3]) + kept[3][:20])
    again = FakeChecker()
    check_run(folder, by(again), LLMSession())
    assert again.asked == ["q2", "q3", "q4"]
    assert folder.checks_file.read_bytes() == whole


def test_an_answer_that_came_later_is_checked(folder: RunFolder) -> None:
    check_run(folder, by(FakeChecker()), LLMSession())
    with folder.answers() as table:
        table.append(with_context(answered("q5", "It is red.")))
    again = FakeChecker()
    (_, english) = check_run(folder, by(again), LLMSession())
    assert again.asked == ["q5"] and english.checked.value == 1.0


def test_an_answer_that_is_another_one_now_is_checked_again(folder: RunFolder) -> None:
    check_run(folder, by(FakeChecker()), LLMSession())
    with folder.answers() as table:
        table.append(with_context(answered("q2", "It is green.")))
    again = FakeChecker()
    check_run(folder, by(again), LLMSession())
    assert again.asked == ["q2"]
    assert "It is green." in folder.checks_file.read_text(encoding="utf-8")


def test_offline_findings_give_way_to_a_model_s(folder: RunFolder) -> None:
    check_run(folder, by(FakeChecker("offline")), LLMSession())
    check_run(folder, by(FakeChecker("model")), LLMSession())
    assert {row["judge"] for row in lines(folder)} == {"model"}
    assert folder.config()["check"]["name"] == "model"


def test_nuggets_are_matched_where_the_query_has_some_and_resumed(folder: RunFolder) -> None:
    nuggets = {("en", name): (NUGGET,) for name in ("q1", "q4", "q5")}
    checking_nuggets = replace(by(FakeChecker()), nuggets=nuggets)
    check_run(folder, checking_nuggets, LLMSession())
    whole = folder.nuggets_file.read_bytes()
    found = [json.loads(line) for line in whole.splitlines()]
    assert [(row["query_id"], row["outcome"], row["scores"]["vital_strict"]) for row in found] == [
        ("q1", "scored", 1.0), ("q4", "scored", 0.0), ("q5", "no_answer", None),
    ]  # fmt: skip
    folder.nuggets_file.write_bytes(whole.splitlines(keepends=True)[0] + b'{"query_id": "q4"')
    check_run(folder, checking_nuggets, LLMSession())
    assert folder.nuggets_file.read_bytes() == whole


def test_each_citation_is_checked_against_its_document_alone(folder: RunFolder) -> None:
    text = "It is blue. It is red."
    context = tuple(hits("It is blue.", "It is green."))
    first, second = (hit.chunk.doc_id for hit in context)
    cited = (CitedSentence("It is blue.", (first, second)), CitedSentence("It is red.", ("elsewhere",)))
    row = answered("q1", text)
    row = replace(row, answer=replace(row.answer, context=context, sentences=cited))
    write_jsonl(folder.answers_file, [run_answer_to_row(row)])
    check_run(folder, by(WordChecker()), LLMSession())
    check = RecordStore(folder.checks_file, CHECKS)["en", "q1"]
    assert [(one.sentence, one.doc_id, str(one.support)) for one in check.citations] == [
        (1, first, "supported"), (1, second, "not"), (2, "elsewhere", "not"),
    ]  # fmt: skip
    assert (check.citation_scores.precision, check.citation_scores.recall) == (1 / 3, (1 + 0) / 2)
    figures = compute_figures(folder).metrics["citations"]["en"]
    assert (figures["precision"]["value"], figures["recall"]["n"]) == (1 / 3, 1)
    assert (figures["n"], figures["n_expected"], figures["coverage"]) == (3, 3, 1.0)


class Counting(WordChecker):
    """Counts its tokens, and fails for each of the documents `failing`, shown alone, as a model or by raising."""

    def __init__(self, **failing: VerdictOutcome | Exception) -> None:
        super().__init__()
        self.failing = failing

    def check(self, item: Item, answer: Answer) -> Check:
        found = replace(super().check(item, answer), usage=Usage(10, 1))
        failure = self.failing.get(answer.context[0].chunk.doc_id) if len(answer.context) == 1 else None
        if isinstance(failure, Exception):
            raise failure
        if failure is None:
            return found
        return replace(found, outcome=failure, abstains=None, in_language=None, sentences=(), error="no idea")


@pytest.mark.parametrize(
    ("failure", "outcome", "error", "n_usages"),
    [
        (VerdictOutcome.UNPARSEABLE, "unparseable", "no idea", 3),
        (ValueError("out of tune"), "api_error", "ValueError: out of tune", 2),
    ],
)
def test_a_citation_whose_check_fails_has_no_finding_and_the_others_have_theirs(
    folder: RunFolder, failure: VerdictOutcome | Exception, outcome: str, error: str, n_usages: int
) -> None:
    context = tuple(hits("It is blue.", "It is green."))
    cited = (CitedSentence("It is blue.", ("d1",)), CitedSentence("It is green.", ("d2",)))
    row = answered("q1", "It is blue. It is green.")
    write_jsonl(folder.answers_file, [run_answer_to_row(replace(
        row, answer=replace(row.answer, context=context, sentences=cited)))])  # fmt: skip
    check_run(folder, by(Counting(d2=failure)), LLMSession())
    check = RecordStore(folder.checks_file, CHECKS)["en", "q1"]
    assert check.outcome is VerdictOutcome.SCORED and len(check.sentences) == 1
    assert [(one.doc_id, one.support, str(one.outcome)) for one in check.citations] == [
        ("d1", Support.SUPPORTED, "scored"), ("d2", None, outcome),
    ]  # fmt: skip
    assert check.usage == Usage(n_usages * 10, n_usages)
    figures = compute_figures(folder).metrics["citations"]["en"]
    assert (figures["n"], figures["n_expected"], figures["coverage"]) == (1, 2, 1 / 2)
    assert (figures["precision"]["value"], figures["recall"]["value"]) == (1.0, 1.0)
    assert why_unchecked(folder) == [f"citations: 1 answer {outcome}, such as: {error}{AGAIN}"]
    # The same command asks again, and once all is there no more.
    again = Counting()
    check_run(folder, by(again), LLMSession())
    assert again.asked == ["q1"] * 3 and why_unchecked(folder) == []
    assert compute_figures(folder).metrics["citations"]["en"]["coverage"] == 1.0
    idle = Counting()
    check_run(folder, by(idle), LLMSession())
    assert idle.asked == []


def test_failed_nuggets_and_context_give_their_reasons(folder: RunFolder) -> None:
    failed = (VerdictOutcome.UNPARSEABLE, "m", "1")
    none = (VerdictOutcome.NO_ANSWER, "m", "1")
    matches = [NuggetMatches("q1", "en", (), *failed, error="no idea"), NuggetMatches("q2", "en", (), *none)]
    marks = [ContextMarks("q1", "en", (), (), *failed, error="hm"), ContextMarks("q2", "en", (), (), *failed)]
    write_jsonl(folder.nuggets_file, map(MATCHES.dump, matches))
    write_jsonl(folder.context_file, map(CONTEXTS.dump, marks))
    assert why_unchecked(folder) == [
        f"nuggets: 1 answer unparseable, such as: no idea{AGAIN}",
        f"context: 2 answers unparseable, such as: hm{AGAIN}",
    ]


def test_findings_of_another_judge_are_not_mixed_with(folder: RunFolder) -> None:
    check_run(folder, by(FakeChecker("one")), LLMSession())
    other = FakeChecker("two")
    with pytest.raises(InputError, match=r"checks\.jsonl: holds findings of 'one'.*--replace"):
        check_run(folder, by(other), LLMSession())
    assert other.asked == []
    check_run(folder, by(other), LLMSession(), anew=True)
    assert {row["judge"] for row in lines(folder)} == {"two"}


def test_a_replacement_that_was_killed_goes_on(folder: RunFolder) -> None:
    check_run(folder, by(FakeChecker("one")), LLMSession())
    with pytest.raises(RagaliqError, match="no such model"):
        check_run(folder, by(FakeChecker("two", q3=ConfigError("no such model"))), LLMSession(concurrency=1), anew=True)
    done = [row["query_id"] for row in lines(folder) if row["judge"] == "two"]
    again = FakeChecker("two")
    check_run(folder, by(again), LLMSession(), anew=True)
    assert len(again.asked) + len(done) == 6 and {row["judge"] for row in lines(folder)} == {"two"}


def test_a_stop_tells_how_far_it_came(folder: RunFolder) -> None:
    session = LLMSession(concurrency=1)

    class Stopping(FakeChecker):
        def check(self, item: Item, answer: Answer) -> Check:
            found = super().check(item, answer)
            if len(self.asked) == 3:
                session.signal.ask("enough")
            return found

    with pytest.raises(Stopped, match=r"enough \(3 of 7 checked\)"):
        check_run(folder, by(Stopping()), session)
    again = FakeChecker()
    check_run(folder, by(again), LLMSession())
    assert len(again.asked) == 3


@pytest.mark.parametrize("made", ["fine", None])
def test_what_is_no_check_is_no_finding(folder: RunFolder, made: object) -> None:
    class Wrong(FakeChecker):
        def check(self, item: Item, answer: Answer) -> Check:
            return made  # type: ignore[return-value]

    check_run(folder, by(Wrong()), LLMSession())
    assert {row["outcome"] for row in lines(folder)} == {"api_error", "no_answer"}


def test_the_offline_checks_are_the_same_bytes_again(folder: RunFolder) -> None:
    def bytes_of() -> Iterator[bytes]:
        for _ in range(2):
            folder.checks_file.unlink(missing_ok=True)
            check_run(folder, checking("offline"), LLMSession())
            yield folder.checks_file.read_bytes()

    first, second = bytes_of()
    assert first == second
    table = RecordStore(folder.checks_file, CHECKS)
    assert table["en", "q1"].sentences == (SentenceCheck("It is blue.", Support.SUPPORTED, "d1"),)
    assert table["de", "q1"].sentences[0].support is Support.PARTLY


@pytest.mark.parametrize(
    ("judge", "prompt", "says"),
    [
        ("ofline", "", "did you mean 'offline'"),
        ("offline:m", "", "takes no model"),
        ("offline", "p.yaml", "unknown option 'prompt'"),
    ],
)
def test_a_judge_that_there_is_not(judge: str, prompt: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        make_checking(
            replace(Component.parse(judge, "--judge"), options={"prompt": prompt} if prompt else {}), LLMSession()
        )


def test_a_folder_that_is_no_run_stays_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none: no such folder"):
        check_run(RunFolder(tmp_path / "none"), by(FakeChecker()), LLMSession())
    assert not (tmp_path / "none").exists()


def test_a_spoilt_line_is_named(folder: RunFolder) -> None:
    folder.checks_file.write_text('{"query_id": "q1"}\n')
    with pytest.raises(InputError, match=r"checks\.jsonl:1: not a row of this file"):
        check_run(folder, by(FakeChecker()), LLMSession())
