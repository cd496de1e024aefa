"""What a judge is told: prompt and rubric, in one language or in the language of each query."""

from __future__ import annotations

import glob
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ragaliq.errors import ConfigError, nearest
from ragaliq.judge import fence
from ragaliq.judge.rubric import PROMPTS, Rubric, load_rubric
from ragaliq.llm.prompts import Prompt, load_prompt
from ragaliq.text.terms import base_language

# English for all is the default: grades in different languages can be compared only if the same words ask for them,
# and differences between rubrics would be read as differences between languages. `query` is there to measure that.
ENGLISH, QUERY = "english", "query"
_FALLBACK = "en"


@dataclass(frozen=True, slots=True)
class Instructions:
    """Prompt and rubric of one language."""

    prompt: Prompt
    rubric: Rubric


@dataclass(frozen=True, slots=True)
class InstructionSet:
    """The instructions of a run.

    Attributes:
        default: for every language that has none of its own.
        by_lang: those of single languages.
        hash: 12 hex digits over every file that can be used and over the way in which texts are fenced.
    """

    default: Instructions
    by_lang: Mapping[str, Instructions] = field(default_factory=dict)
    hash: str = ""

    def of(self, lang: str) -> Instructions:
        """Return the instructions for a query in `lang`; those of `de` serve `de-AT`."""
        return self.by_lang.get(lang) or self.by_lang.get(base_language(lang)) or self.default


def load_instructions(rubric: str = "", prompt: str = "", instructions: str = ENGLISH) -> InstructionSet:
    """Read the instructions of a judge.

    Args:
        rubric: file of the rubric; `{lang}` in it stands for the language. Empty takes the shipped ones.
        prompt: file of the prompt, likewise.
        instructions: `english`: everything is asked with one prompt and one rubric, the English ones, or with a file
            named without `{lang}`. `query`: in the language of the query where there is a file, else as `english`.

    Raises:
        ConfigError: if `instructions` is another word, or a file is no prompt or no rubric.
        InputError: if a file cannot be read.
    """
    if instructions not in (ENGLISH, QUERY):
        raise ConfigError(f"judge: option 'instructions' '{instructions}'; {nearest(instructions, (ENGLISH, QUERY))}")
    prompts, rubrics = _files("grade", prompt), _files("rubric", rubric)
    default = Instructions(load_prompt(prompts.pop("")), load_rubric(rubrics.pop("")))
    by_lang = {
        lang: Instructions(
            load_prompt(prompts[lang]) if lang in prompts else default.prompt,
            load_rubric(rubrics[lang]) if lang in rubrics else default.rubric,
        )
        for lang in (sorted({*prompts, *rubrics}) if instructions == QUERY else ())
    }
    parts = [_hashes(default), *(f"{lang}:{_hashes(own)}" for lang, own in by_lang.items()), fence.VERSION]
    return InstructionSet(default, by_lang, hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12])


def _files(kind: str, option: str) -> dict[str, Path]:
    """Return the files of one kind by language; the one that is used without a language goes by the empty text."""
    if option and "{lang}" not in option:
        return {"": Path(option)}
    before, _, after = (option or str(PROMPTS / f"{kind}.{{lang}}.yaml")).partition("{lang}")
    named = sorted(glob.glob(f"{glob.escape(before)}*{glob.escape(after)}"))
    files = {path[len(before) : len(path) - len(after)]: Path(path) for path in named}
    return {**files, "": Path(f"{before}{_FALLBACK}{after}") if option else PROMPTS / f"{kind}.yaml"}


def _hashes(instructions: Instructions) -> str:
    return f"{instructions.prompt.hash}{instructions.rubric.hash}"
