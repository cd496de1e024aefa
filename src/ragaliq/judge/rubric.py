"""The rubric: which grades exist and what each one means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ragaliq.errors import ConfigError
from ragaliq.llm.prompts import load_prompt

PROMPTS = Path(__file__).with_name("prompts")
_SCALE = range(6)
_EXAMPLES = "examples"


@dataclass(frozen=True, slots=True)
class Rubric:
    """Grades with their meaning, answers with their grades as examples, and the hash of the file they come from."""

    version: str
    meanings: Mapping[int, str]
    hash: str
    examples: str = ""

    @property
    def text(self) -> str:
        """The grades with their meaning, the best first."""
        return "\n".join(f"{grade}: {self.meanings[grade]}" for grade in sorted(self.meanings, reverse=True))

    @property
    def text_with_examples(self) -> str:
        """The rubric as a judge's model reads it."""
        return f"{self.text}\n\n{self.examples}".rstrip()


def load_rubric(path: Path | None = None) -> Rubric:
    """Read a rubric file; None reads the shipped one.

    Raises:
        ConfigError: if its grades are not 0..5, the scale of the weights.
    """
    prompt = load_prompt(path or PROMPTS / "rubric.yaml")
    if set(prompt.texts) - {_EXAMPLES} != set(map(str, _SCALE)):
        raise ConfigError(
            f'{prompt.path}: a rubric gives a meaning to each of "0", "1", "2", "3", "4", "5", and may have examples'
        )
    meanings = {grade: " ".join(prompt.texts[str(grade)].split()) for grade in _SCALE}
    return Rubric(prompt.version, meanings, prompt.hash, prompt.texts.get(_EXAMPLES, "").strip())
