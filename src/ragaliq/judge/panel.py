"""Several judges, or several draws of one, as one judge: the verdict is made of all their grades."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ragaliq.components import make
from ragaliq.config import Component
from ragaliq.errors import ConfigError, RagaliqError, nearest
from ragaliq.execution.serial_thread import SerialThread
from ragaliq.execution.stopping import together
from ragaliq.judge import Judge
from ragaliq.judge.model import ModelJudge
from ragaliq.judge.outcome import total_usage
from ragaliq.llm import LLMClient, LLMSession
from ragaliq.llm.endpoints.endpoint import read_endpoint
from ragaliq.metrics.agreement.votes import Rule, decide
from ragaliq.storage.redaction import error_line
from ragaliq.types import Answer, Item, JudgeVote, Refusal, Verdict, VerdictOutcome

# Far apart, so that no draw of one seed is a draw of another.
_SEED_STEP = 1_000_003


@dataclass(frozen=True, slots=True)
class Member:
    """One judge of a panel: its component, and the judge that each of its draws asks."""

    component: Component
    name: str
    prompt_hash: str
    draws: tuple[Judge, ...]


class PanelJudge:
    """Asks every member `repeats` times and makes one grade of theirs (`ragaliq.metrics.agreement.votes.decide`).

    The offline judge says the same each time, so it is asked once. Each draw of a judge with a seed is a request of its
    own, sent, cached and resumed by itself, because the seed changes the word that fences the graded texts. At
    temperature 0 draws differ by the server's noise and that word; the members' option `temperature` makes true draws.
    """

    def __init__(
        self,
        model: str = "",
        judges: Sequence[Any] = (),
        repeats: int = 1,
        rule: str = "median",
        seed: int = 0,
        session: LLMSession | None = None,
    ) -> None:
        if rule not in list(Rule):
            raise ConfigError(f"judge 'panel': unknown rule '{rule}'; {nearest(rule, Rule)}")
        if repeats < 1:
            raise ConfigError(f"judge 'panel': repeats must be at least 1, not {repeats}")
        self._rule = Rule(rule)
        panel = Component("panel", model, {"judges": judges})
        self._thread = SerialThread()
        self.members = tuple(_member(component, repeats, seed, session) for component in named_members(panel))
        _check(self.members, repeats)
        self.name = _name(self.members, repeats)
        parts = (self._rule, str(repeats), *(f"{member.name} {member.prompt_hash}" for member in self.members))
        self.prompt_hash = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]

    async def grade(self, item: Item, answer: Answer) -> Verdict:
        """Return the verdict that the draws make; `feedback` is that of the first draw with its grade or outcome.

        Raises:
            RagaliqError: what a member raises to stop the work; the draws under way are finished first.
        """
        drawn = await together(*(self._draws(member, item, answer) for member in self.members))
        return self.merge(item, [verdict for verdicts in drawn for verdict in verdicts])

    def merge(self, item: Item, verdicts: Sequence[Verdict]) -> Verdict:
        """Return the verdict that all draws on an item make, member by member."""
        draws = tuple(JudgeVote(verdict.judge, verdict.grade, verdict.outcome) for verdict in verdicts)
        grade, outcome = decide(draws, self._rule)
        feedback = next(v.feedback for v in verdicts if (v.grade, v.outcome) == (grade, outcome))
        return Verdict(
            item.query.query_id,
            item.query.lang,
            grade,
            outcome,
            feedback,
            self.name,
            self.prompt_hash,
            sum(verdict.attempts for verdict in verdicts),
            total_usage(verdict.usage for verdict in verdicts),
            draws,
            _majority([verdict.refuses for verdict in verdicts if verdict.refuses is not None]),
        )

    async def _draws(self, member: Member, item: Item, answer: Answer) -> list[Verdict]:
        """Ask a member as often as it is to be asked, one draw after the other: items are many at once already."""
        return [await self._draw(member, judge, item, answer) for judge in member.draws]

    async def _draw(self, member: Member, judge: Judge, item: Item, answer: Answer) -> Verdict:
        try:
            verdict = await self._thread.call(judge.grade, item, answer)
        except RagaliqError:
            raise
        except (Exception, SystemExit) as error:  # A member may be anybody's code; whatever it raises is no grade.
            verdict = _failed(member, item, error_line(error))
        if not isinstance(verdict, Verdict) or verdict.key != item.key:
            return _failed(member, item, f"a judge returns a Verdict on its item, not {verdict!r}")
        return verdict


def repeated(component: Component, repeats: int) -> Component:
    """Return the judge that asks a judge, or each member of a panel, `repeats` times.

    Raises:
        ConfigError: if the members of a panel are named wrongly.
    """
    if component.kind == "panel":
        members = named_members(component)
        if len(members) == 1 and repeats == 1:
            return members[0]
        return Component("panel", component.model, {**component.options, "repeats": repeats})
    if repeats == 1:
        return component
    if component.options or "+" in component.model:
        return Component("panel", options={"judges": [_as_option(component)], "repeats": repeats})
    return Component("panel", str(component), {"repeats": repeats})


def at_temperature(component: Component, temperature: float) -> Component:
    """Return the judge whose members behind an endpoint draw at a temperature."""
    if component.kind == "panel":
        judges = [_as_option(at_temperature(member, temperature)) for member in named_members(component)]
        return Component("panel", options={**component.options, "judges": judges})
    if component.kind != "openai":
        return component
    return Component(component.kind, component.model, {**component.options, "temperature": temperature})


def named_members(component: Component) -> list[Component]:
    """Return the judges that a component names: the members of a panel, or itself.

    Raises:
        ConfigError: if the members are named wrongly.
    """
    if component.kind != "panel":
        return [component]
    model, judges = component.model, component.options.get("judges", ())
    if model and judges:
        raise ConfigError(f"judge 'panel:{model}': name its members there or in the option 'judges', not in both")
    if not isinstance(judges, Sequence) or isinstance(judges, str):
        raise ConfigError(f"judge 'panel': option 'judges' must be a list, not {judges!r}")
    named: Sequence[Any] = model.split("+") if model else judges
    members = [Component.parse(value, f"judge 'panel', member {i}") for i, value in enumerate(named, start=1)]
    if any(member.kind == "panel" for member in members):
        raise ConfigError("judge 'panel': a panel cannot be a member of one; name its members")
    return members


def judge_models(component: Component) -> list[str]:
    """Return the ids of the language models that a judge asks.

    Raises:
        ConfigError: if one behind an endpoint has no model and `JUDGE_MODEL` names none.
    """
    members = [member for member in named_members(component) if member.kind in ("openai", "transformers")]
    return [
        member.model if member.kind == "transformers" else read_endpoint("judge", member.model, planned=True).model
        for member in members
    ]


def members(judge: Judge, component: Component) -> tuple[Member, ...]:
    """Return the members of a panel; a judge that is none, made from `component`, is its own and only member."""
    if isinstance(judge, PanelJudge):
        return judge.members
    return (_named(component, (judge,)),)


def clients(judge: object) -> list[LLMClient]:
    """Return the clients through which a judge calls endpoints, one of each member; none of a judge that calls none."""
    if isinstance(judge, PanelJudge):
        return [client for member in judge.members for client in clients(member.draws[0])]
    client = getattr(judge, "client", None)
    return [client] if isinstance(client, LLMClient) else []


def _majority(said: Sequence[Refusal]) -> Refusal | None:
    """Return the value that more than half of the draws with a value agree on; None without one."""
    return next((refusal for refusal in Refusal if 2 * said.count(refusal) > len(said)), None)


def _as_option(component: Component) -> dict[str, Any]:
    """Return a member as the option `judges` holds it."""
    return {"kind": component.kind, "model": component.model, **component.options}


def _member(component: Component, repeats: int, seed: int, session: LLMSession | None) -> Member:
    repeats = 1 if component.kind == "offline" else repeats
    draws = [make("judge", component, seed=seed + number * _SEED_STEP, session=session) for number in range(repeats)]
    if isinstance(draws[0], ModelJudge):
        for draw in draws[1:]:
            # One window of requests, and what was learnt about the endpoint, or one model, for all draws of a member.
            draw.client = draws[0].client
    return _named(component, tuple(draws))


def _named(component: Component, draws: tuple[Judge, ...]) -> Member:
    first = draws[0]
    name = str(getattr(first, "name", type(first).__name__))
    return Member(component, name, str(getattr(first, "prompt_hash", "")), draws)


def _check(members: Sequence[Member], repeats: int) -> None:
    names = [member.name for member in members]
    if len(names) * repeats < 2:
        raise ConfigError("judge 'panel': name at least two judges, as in panel:openai:MODEL+offline, or repeats")
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"judge 'panel': '{name}' is named twice; the option 'repeats' asks a judge again")
    if repeats > 1 and all(member.component.kind == "offline" for member in members):
        raise ConfigError("judge 'offline': says the same each time, so repeats show nothing; leave them out")


def _name(members: Sequence[Member], repeats: int) -> str:
    names = ", ".join(member.name for member in members)
    whole = names if len(members) == 1 else f"panel({names})"
    return f"{whole} x{repeats}" if repeats > 1 else whole


def _failed(member: Member, item: Item, why: str) -> Verdict:
    query, outcome = item.query, VerdictOutcome.API_ERROR
    return Verdict(query.query_id, query.lang, None, outcome, why, member.name, member.prompt_hash)
