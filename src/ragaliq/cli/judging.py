"""The judge that a command's options name, and what a user should know about it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from ragaliq.config import Component
from ragaliq.errors import ConfigError

# Kinds of readers whose model names a language model.
_MODELS = ("openai", "transformers", "vllm")


def chosen_judge(arguments: argparse.Namespace, default: Component) -> Component:
    """Return the judge that the options of `add_judging` name; without `--judge` the default with the other options.

    Raises:
        ConfigError: if no model could take the temperature.
    """
    from ragaliq.judge.panel import at_temperature, named_members, repeated

    judge = Component.parse(arguments.judge, "--judge") if arguments.judge else default
    if arguments.judge_temperature is not None:
        if not any(member.kind == "openai" for member in named_members(judge)):
            raise ConfigError(f"--judge-temperature: judge '{judge}' asks no model behind an endpoint; leave it out")
        judge = at_temperature(judge, arguments.judge_temperature)
    return judge if arguments.repeats is None else repeated(judge, arguments.repeats)


def judge_notes(judge: Component, reader: Component | None, langs: Sequence[str]) -> list[str]:
    """Return what a user should know about a judge that grades answers in languages.

    Its family is the reader's, its repeats show little, or the offline judge was fitted on none of a language.
    """
    from ragaliq.judge.families import family_warnings
    from ragaliq.judge.panel import judge_models, named_members

    lines = _unmeasured(judge, langs)
    if reader is not None and reader.kind in _MODELS and reader.model:
        lines += family_warnings(judge_models(judge), reader.model)
    models = [member for member in named_members(judge) if member.kind == "openai"]
    repeats = judge.options.get("repeats", 1) if judge.kind == "panel" else 1
    if repeats > 1 and models and not any(member.options.get("temperature") for member in models):
        lines.append(
            "note: at temperature 0 repeats show the noise of the server alone; --judge-temperature .7 makes true draws"
        )
    return lines


def idle_model_notes(judge: Component) -> list[str]:
    """Return that the model of `JUDGE_MODEL` grades nothing, where nobody named a judge and the offline one grades.

    A user of RAGaliq, whose `.env` chooses the judge, would else take its grades for the model's.
    """
    from ragaliq.llm.endpoints.environment import environment
    from ragaliq.storage.redaction import redact

    model = environment().get("JUDGE_MODEL")
    if not model or not _asks_offline(judge):
        return []
    return [
        f"note: graded by the offline judge, not by JUDGE_MODEL ({redact(model)}); --judge openai asks that model, "
        "which costs money, and --judge offline leaves out this note"
    ]


def abstention_notes(langs: Sequence[str], judge: Component | None = None) -> list[str]:
    """Return how refusals are recognised in languages without words of refusals.

    With `judge` only if it is the offline one, which alone grades by that.
    """
    from ragaliq.text.refusals import knows_abstentions
    from ragaliq.text.sentence_encoder import knows

    unknown = [lang for lang in langs if not knows_abstentions(lang)]
    if not unknown or (judge is not None and not _asks_offline(judge)):
        return []
    ways = {
        "by meaning (sentence encoder) and by English words": [lang for lang in unknown if knows(lang)],
        "by English words alone": [lang for lang in unknown if not knows(lang)],
    }
    listed = "; ".join(f"in {', '.join(those)} {way}" for way, those in ways.items() if those)
    return [
        f"note: no abstention phrases for {', '.join(unknown)}: refusals are recognised {listed}; how well was not "
        "measured (docs/refusals.md)"
    ]


def _unmeasured(judge: Component, langs: Sequence[str]) -> list[str]:
    from ragaliq.judge.offline.judge import OFFLINE_CARD
    from ragaliq.storage.files import read_json
    from ragaliq.text.terms import base_language

    if not _asks_offline(judge):
        return []
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
