"""The options with which a command chooses its judge, and what it says about the choice."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragaliq.cli.options import bounded_number, positive
from ragaliq.errors import ConfigError

if TYPE_CHECKING:
    from ragaliq.config import Component

# Kinds of readers whose model names a language model.
_MODELS = ("openai", "transformers", "vllm")


def add_judging(parser: argparse.ArgumentParser, controls: bool = True) -> None:
    """Declare how often the judge is asked and, with `controls`, whether it has to pass its controls first."""
    add = parser.add_argument
    add("--repeats", type=positive, metavar="K", help="ask the judge K times for each answer, and take the median (1)")
    add("--judge-temperature", type=_temperature, metavar="T", help="temperature of judge models (default: their own)")
    if controls:
        add("--no-controls", action="store_true", help="judge without letting the judge pass its controls first")


def chosen_judge(judge: Component, arguments: argparse.Namespace) -> Component:
    """Return a judge with the options of the command line.

    Raises:
        ConfigError: if no model could take the temperature.
    """
    from ragaliq.judge.panel import at_temperature, named_members, repeated

    if arguments.judge_temperature is not None:
        if not any(member.kind == "openai" for member in named_members(judge)):
            raise ConfigError(f"--judge-temperature: judge '{judge}' asks no model behind an endpoint; leave it out")
        judge = at_temperature(judge, arguments.judge_temperature)
    return judge if arguments.repeats is None else repeated(judge, arguments.repeats)


def judge_notes(judge: Component, reader: Component | None, langs: Sequence[str] = ()) -> list[str]:
    """Return what a user should know about a judge that grades answers in languages.

    Its family is the reader's, its repeats show little, or the offline judge was fitted on none of a language.
    """
    from ragaliq.judge.families import family_warnings
    from ragaliq.judge.panel import judge_models, named_members

    lines = _unmeasured(judge, langs)
    if reader is not None and reader.kind in _MODELS and reader.model:
        lines += family_warnings(judge_models(judge), reader.model)
    asked = [member for member in named_members(judge) if member.kind == "openai"]
    repeats = judge.options.get("repeats", 1) if judge.kind == "panel" else 1
    if repeats > 1 and asked and not any(member.options.get("temperature") for member in asked):
        lines.append(
            "note: at temperature 0 repeats show the noise of the server alone; --judge-temperature .7 makes true draws"
        )
    return lines


def abstention_notes(judge: Component, langs: Sequence[str]) -> list[str]:
    """Return what the offline judge lacks where an abstention is known by its phrases alone."""
    from ragaliq.text.refusals import knows_abstentions

    unknown = [lang for lang in langs if not knows_abstentions(lang)]
    if not unknown or not _asks_offline(judge):
        return []
    return [
        f"note: no abstention phrases for {', '.join(unknown)}: the offline judge knows an abstention there by the "
        "English ones alone (src/ragaliq/text/refusals.yaml)"
    ]


def _unmeasured(judge: Component, langs: Sequence[str]) -> list[str]:
    from ragaliq.storage.files import read_json
    from ragaliq.text.terms import base_language

    if not langs or not _asks_offline(judge):
        return []
    from ragaliq.judge.offline.judge import OFFLINE_CARD

    known = sorted(read_json(OFFLINE_CARD)["rows"]["by_language"])
    unknown = [lang for lang in langs if base_language(lang) not in known]
    if not unknown:
        return []
    return [
        f"note: the offline judge was never measured in {', '.join(unknown)}; it was fitted on graded answers in "
        f"{' '.join(known)}, so compare its grades there with a person's (`ragaliq review`, `ragaliq agree`)"
    ]


def _asks_offline(judge: Component) -> bool:
    from ragaliq.judge.panel import named_members

    return any(member.kind == "offline" for member in named_members(judge))


def _temperature(text: str) -> float:
    return bounded_number(text, 2.0, "a number between 0 and 2")
