"""The rubric: which grades exist and what each one means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ragaliq.errors import ConfigError
from ragaliq.llm.prompts import load_prompt

PROMPTS = Path(__file__).with_name("prompts")
_SCALE = range(6)


@dataclass(frozen=True, slots=True)
class Rubric:
    """Grades with their meaning, and the hash of the file they come from."""

    version: str
    meanings: Mapping[int, str]
    hash: str

    @property
    def text(self) -> str:
        """The rubric as a judge reads it, the best grade first."""
        return "\n".join(f"{grade}: {self.meanings[grade]}" for grade in sorted(self.meanings, reverse=True))


def load_rubric(path: Path | None = None) -> Rubric:
    """Read a rubric file; None reads the shipped one.

    Raises:
        ConfigError: if its grades are not 0..5, the scale of the weights.
    """
    prompt = load_prompt(path or PROMPTS / "rubric.yaml")
    if set(prompt.texts) != set(map(str, _SCALE)):
        raise ConfigError(f'{prompt.path}: a rubric gives a meaning to each of "0", "1", "2", "3", "4", "5"')
    meanings = {grade: " ".join(prompt.texts[str(grade)].split()) for grade in _SCALE}
    return Rubric(prompt.version, meanings, prompt.hash)
