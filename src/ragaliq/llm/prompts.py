"""Prompts and rubrics are YAML files with named placeholders and a hash.

A prompt file holds `version` and one or more texts, in which `$name` is a placeholder. Any shipped prompt can be
replaced by the user's own file of the same keys. The hash goes into every trace and every verdict.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template

from ragaliq.errors import ConfigError
from ragaliq.llm.replies.reply import Message
from ragaliq.storage.files import read_text
from ragaliq.storage.yaml_files import parse_yaml, scalar_text


@dataclass(frozen=True, slots=True)
class Prompt:
    """The texts of one prompt file."""

    path: Path
    version: str
    texts: Mapping[str, str]
    hash: str

    def fill(self, key: str, **values: str) -> str:
        """Return the text `key` with its placeholders replaced.

        Raises:
            ConfigError: if the file lacks the text, or the text names an unknown placeholder.
        """
        if key not in self.texts:
            raise ConfigError(f"{self.path}: text '{key}' is missing; add it (see the shipped file of the same name)")
        try:
            return Template(self.texts[key]).substitute(values)
        except KeyError as error:
            known = ", ".join(f"${name}" for name in sorted(values))
            raise ConfigError(f"{self.path}: text '{key}': placeholder '{error.args[0]}'; known: {known}") from None
        except ValueError:
            problem = "a '$' begins no placeholder; write '$$' for the sign"
            raise ConfigError(f"{self.path}: text '{key}': {problem}") from None

    def messages(self, **values: str) -> list[Message]:
        """Return the text `system` and the text `user` with its placeholders replaced, as the messages of a chat."""
        texts = {"system": self.fill("system"), "user": self.fill("user", **values)}
        return [{"role": role, "content": text} for role, text in texts.items()]


def fence_word(seed: int, *texts: str) -> str:
    """Return the word that the lines between these texts begin with.

    It is a hash of the seed and of the texts as they came: another one for each call, and the same one for the same
    request, where a random word would miss the cache and make no two runs equal. A text that forges it would have to
    hold 64 bits of its own hash. A judge's texts are neutralised as well, and then hold no fence at all.
    """
    joined = "\0".join((str(seed), *texts)).encode("utf-8", "surrogatepass")
    return "=====" + hashlib.sha256(joined).hexdigest()[:16]


def load_prompt(path: Path) -> Prompt:
    """Read a prompt file.

    The hash is the first 12 hex digits of the SHA-256 of the file's text, so any change of wording changes it.

    Raises:
        ConfigError: if the file is not a YAML mapping of texts with a `version`.
    """
    text = read_text(path)
    data = parse_yaml(text, str(path)).value
    if not isinstance(data, dict) or "version" not in data:
        raise ConfigError(f"{path}: a mapping with 'version' and texts is expected")
    version = scalar_text(data.pop("version"), f"{path}: 'version'")
    bad = [key for key, value in data.items() if not isinstance(value, str)]
    if bad:
        raise ConfigError(f"{path}: '{bad[0]}' must be a text")
    digest = hashlib.sha256(text.encode("utf-8")).hexdigest()[:12]
    return Prompt(path, version, data, digest)
