"""The checking stage: the separate questions about every answer of a run; each finding is in the run folder at once."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any

from ragaliq.aggregate.beside.groundedness import rates_by_language
from ragaliq.benchmark.load import Benchmark
from ragaliq.components import make
from ragaliq.config import Component
from ragaliq.errors import InputError
from ragaliq.execution.carry_out import carry_out
from ragaliq.execution.serial_thread import SerialThread
from ragaliq.judge.checks.cited import citations_of
from ragaliq.judge.checks.context import CONTEXTS, ContextMarks
from ragaliq.judge.checks.context_openai import OpenAIContextJudge
from ragaliq.judge.checks.rates import CHECKS, CheckRates
from ragaliq.judge.checks.support import Check, Checker, CitationCheck, Support, support_of_all
from ragaliq.judge.nuggets.matches import MATCHES, NuggetMatcher, NuggetMatches
from ragaliq.judge.outcome import total_usage
from ragaliq.llm import LLMSession
from ragaliq.pipeline.findings import Inquiry, finding_on, inquire
from ragaliq.runs.benchmark import run_benchmark
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.rows import RunAnswer
from ragaliq.runs.traces import traced
from ragaliq.storage.files import write_json
from ragaliq.storage.record_store import Key, RecordStore
from ragaliq.types import Nugget, VerdictOutcome

NO_CHECK = Component("none")
Nuggets = Mapping[Key, tuple[Nugget, ...]]


@dataclass(frozen=True, slots=True)
class Checking:
    """Who answers the separate questions about a run, and the nuggets that its answers should hold.

    `context` judges the chunks shown against the reference; None where no model is asked.
    """

    component: Component
    checker: Checker
    matcher: NuggetMatcher
    nuggets: Nuggets = field(default_factory=dict)
    context: OpenAIContextJudge | None = None

    def manifest(self) -> dict[str, Any]:
        """Return what identifies those who are asked, as `config.json` records it."""
        parts = {"nuggets": _named(self.matcher), **({"context": _named(self.context)} if self.context else {})}
        return {**asdict(self.component), **_named(self.checker), **parts}

    def inquiries(self, folder: RunFolder, answers: RecordStore[RunAnswer]) -> list[Inquiry[Any]]:
        """Return what is asked about a run's answers: nuggets if there are some, context if the retriever is ours."""
        checks = RecordStore(folder.checks_file, CHECKS)
        by = (self.checker.name, self.checker.prompt_hash)
        nothing = partial(_no_check, self.checker)
        listed: list[Inquiry[Any]] = [Inquiry("checking", by, answers, checks, partial(self.find, "checking"), nothing)]
        if self.nuggets:
            matches = RecordStore(folder.nuggets_file, MATCHES)
            by, known = (self.matcher.name, self.matcher.prompt_hash), self.nuggets.__contains__
            listed.append(
                Inquiry("nuggets", by, answers, matches, partial(self.find, "nuggets"), self._no_match, known)
            )
        # Without a retriever of ours nobody knows what the reader has read.
        if self.context and folder.config()["system"].get("retriever", {}).get("kind") != "none":
            contexts = RecordStore(folder.context_file, CONTEXTS)
            by = (self.context.name, self.context.prompt_hash)
            no_marks = partial(_no_context, self.context)
            listed.append(Inquiry("context", by, answers, contexts, partial(self.find, "context"), no_marks))
        return listed

    async def find(self, name: str, answered: RunAnswer, thread: SerialThread) -> Any:
        """Return the finding of one of the inquiries, by its name, about an answer."""
        if name == "checking":
            return await _check(self.checker, answered, thread)
        if name == "nuggets":
            return await self._match(answered, thread)
        assert self.context is not None
        return await _judge_context(self.context, answered, thread)

    def refuse_others(self, folder: RunFolder, inquiries: Sequence[Inquiry[Any]]) -> None:
        """Refuse to go on with a run that holds findings of another model; offline ones cost nothing and are replaced.

        Raises:
            InputError: that says whose.
        """
        for inquiry in inquiries:
            headers = map(inquiry.store.header, inquiry.store)
            checkers = {header.checker for header in headers if header.outcome is VerdictOutcome.SCORED}
            others = [other for other in checkers - {inquiry.identity} if other[0] != "offline"]
            if others:
                prompt = self.component.options.get("prompt")
                options = f"--judge {self.component}" + (f" --prompt {prompt}" if prompt else "")
                other, this = (
                    f"'{name}' (prompt {prompt_hash})" for name, prompt_hash in (min(others), inquiry.identity)
                )
                raise InputError(
                    f"{inquiry.store.path}: holds findings of {other}; `ragaliq check {folder} {options} --replace` "
                    f"replaces them by those of {this}"
                )

    async def _match(self, answered: RunAnswer, thread: SerialThread) -> NuggetMatches:
        matches: NuggetMatches = await thread.call(
            self.matcher.match, answered.item, answered.answer, self.nuggets[answered.item.key]
        )
        return matches

    def _no_match(self, answered: RunAnswer, outcome: VerdictOutcome, why: str) -> NuggetMatches:
        query, by = answered.item.query, (self.matcher.name, self.matcher.prompt_hash)
        return NuggetMatches(query.query_id, query.lang, (), outcome, *by, attempts=0, error=why)


def make_checking(
    check: Component, session: LLMSession, seed: int = 0, nuggets: Nuggets | None = None
) -> Checking | None:
    """Return who answers the separate questions; None for the kind `none`.

    Nuggets are matched by the same kind; an object of the user's own, which checks alone, has the offline matcher
    beside it. The context is judged by a model alone.

    Raises:
        ConfigError: if the kind, the model or an option is unknown.
    """
    if check == NO_CHECK:
        return None
    checker = make_checker(check, session, seed)
    # The prompt is the checker's alone.
    called = {key: value for key, value in check.options.items() if key != "prompt"}
    beside = Component("openai", check.model, called) if check.kind == "openai" else Component("offline")
    matcher: NuggetMatcher = make("nuggets", beside, seed=seed, session=session)
    context = make("context", beside, seed=seed, session=session) if check.kind == "openai" else None
    return Checking(check, checker, matcher, nuggets or {}, context)


def make_checker(check: Component, session: LLMSession, seed: int = 0) -> Checker:
    """Return who checks answers: `offline`, a model behind an endpoint, or an object of the user's own.

    Raises:
        ConfigError: if the kind, the model or an option is unknown.
    """
    checker: Checker = make("check", check, seed=seed, session=session)
    return checker


def nuggets_by_query(benchmark: Benchmark) -> dict[Key, tuple[Nugget, ...]]:
    """Return the nuggets of each query that has some, in the benchmark's order."""
    listed: dict[Key, list[Nugget]] = {}
    for lang, nuggets in benchmark.nuggets.items():
        for nugget in nuggets:
            listed.setdefault((lang, nugget.query_id), []).append(nugget)
    return {key: tuple(nuggets) for key, nuggets in listed.items()}


def with_nuggets(checking: Checking, folder: RunFolder) -> Checking:
    """Return the checking with the nuggets of a run's benchmark; without any, and a note, if that is not at hand."""
    try:
        benchmark = run_benchmark(folder, sorted(folder.config()["expected"]))
    except InputError as error:
        print(f"note: {folder}: nuggets are not matched: {error}", file=sys.stderr)
        return checking
    return replace(checking, nuggets=nuggets_by_query(benchmark))


def check_run(folder: RunFolder, checking: Checking, session: LLMSession, anew: bool = False) -> list[CheckRates]:
    """Ask the separate questions about every answer of a run, and return the rates per language.

    Findings are written to the run's files as they come; the same call after a kill goes on,
    and asks again where there are none. Offline findings are replaced one by one, those of another model with `anew`.

    Raises:
        InputError: if the folder is no run, or holds the findings of another model.
        Stopped: if the work ended early; the same call goes on.
    """
    expected = folder.config()["expected"]
    with folder.locked():
        answers = folder.answers()
        inquiries = checking.inquiries(folder, answers)
        if not anew:
            checking.refuse_others(folder, inquiries)
        check_answers(folder, checking, inquiries, session)
        return rates_by_language(answers, RecordStore(folder.checks_file, CHECKS), expected)


def check_answers(
    folder: RunFolder, checking: Checking, inquiries: Sequence[Inquiry[Any]], session: LLMSession
) -> None:
    """Ask what is still to be asked about the answers of a run that is locked; findings of others are replaced."""
    write_json(folder.config_file, {**folder.config(), "check": checking.manifest()})
    checks, thread = inquiries[0], SerialThread()

    async def work() -> None:
        for inquiry in inquiries:
            await inquire(inquiry, inquiry.pending(), session, thread)

    with traced(folder.traces_file, session):
        carry_out(work(), session, thread, lambda: f"{len(checks.store)} of {len(checks.answers)} checked")
    for inquiry in inquiries:
        inquiry.store.rewrite()


def _named(one: Checker | NuggetMatcher | OpenAIContextJudge) -> dict[str, str]:
    return {"name": one.name, "prompt_hash": one.prompt_hash}


async def check_on(answered: RunAnswer, checker: Checker, thread: SerialThread) -> Check:
    """Return what a checker says of an answer; whatever it raises but our own errors is no finding."""
    return await finding_on(answered, partial(_check, checker), partial(_no_check, checker), thread)


async def _check(checker: Checker, answered: RunAnswer, thread: SerialThread) -> Check:
    item, answer = answered.item, answered.answer
    if not answer.context_known:
        return _no_check(checker, answered, VerdictOutcome.NO_CONTEXTS, "")
    check: Check = await thread.call(checker.check, item, answer)
    if not answer.sentences or not isinstance(check, Check) or check.abstains is not False:
        return check
    citations: list[CitationCheck] = []
    asked = [check]
    for citation in citations_of(answer):
        support, outcome = Support.NOT, VerdictOutcome.SCORED
        if citation.alone is not None:
            one = await check_on(replace(answered, answer=citation.alone), checker, thread)
            asked.append(one)
            support, outcome = support_of_all(one.sentences), one.outcome
        known = support if outcome is VerdictOutcome.SCORED else None
        citations.append(CitationCheck(citation.sentence, citation.doc_id, known, outcome))
    return replace(
        check,
        attempts=sum(one.attempts for one in asked),
        usage=total_usage(one.usage for one in asked),
        error=next((one.error for one in asked if one.error), ""),
        n_listed=len(answer.sentences),
        citations=tuple(citations),
    )


def _no_check(checker: Checker, answered: RunAnswer, outcome: VerdictOutcome, why: str) -> Check:
    query, by = answered.item.query, (checker.name, checker.prompt_hash)
    return Check(query.query_id, query.lang, None, None, (), outcome, *by, attempts=0, error=why)


async def _judge_context(judge: OpenAIContextJudge, answered: RunAnswer, _: SerialThread) -> ContextMarks:
    if not answered.answer.context_known:
        return _no_context(judge, answered, VerdictOutcome.NO_CONTEXTS, "")
    return await judge.judge(answered.item, answered.answer)


def _no_context(judge: OpenAIContextJudge, answered: RunAnswer, outcome: VerdictOutcome, why: str) -> ContextMarks:
    query, by = answered.item.query, (judge.name, judge.prompt_hash)
    return ContextMarks(query.query_id, query.lang, (), (), outcome, *by, attempts=0, error=why)
