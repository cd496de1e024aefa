"""From a query and its context to the messages of a chat, in the language of the question."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from string import Template

from ragaliq.errors import ConfigError, nearest
from ragaliq.llm import Message
from ragaliq.llm.prompts import Prompt, load_prompt
from ragaliq.text.refusals import not_found
from ragaliq.text.terms import base_language
from ragaliq.types import Hit, Query

_FILE = Path(__file__).with_name("prompts") / "answer.yaml"
_PARTS = ("system", "user")
# The language of the texts for a language that has none of its own.
_FALLBACK = "en"
_PLACEHOLDERS = ("context", "not_found", "question")
# How one chunk is shown, if the file says so: `chunk` or `chunk.LANG`.
_CHUNK, _CHUNK_PLACEHOLDERS = "chunk", ("number", "score", "text")


class ReaderPrompt:
    """What a reader model is told: a prompt file's texts `system.LANG` and `user.LANG`.

    A query gets the texts of its language, else the plain `system` and `user`, else the English ones.

    Attributes:
        hash: 12 hex digits that change with the file's wording, with the sentences of abstention that are put into it,
            and with the language asked for.
    """

    def __init__(self, file: str = "", language: str = "") -> None:
        """Read the prompt.

        Args:
            file: a prompt file in place of the shipped one.
            language: the language of the texts for every query; empty stands for each query's own.

        Raises:
            ConfigError: if a text is missing, unknown or has an unknown placeholder, or the file lacks the language.
        """
        self._prompt = load_prompt(Path(file) if file else _FILE)
        self._language = language
        languages = _languages(self._prompt)
        if language and language not in languages:
            hint = nearest(language, languages) if languages else "it has one text for all; leave the option out"
            raise ConfigError(f"{self._prompt.path}: no texts for prompt_language '{language}'; {hint}")
        _check(self._prompt, languages)
        said = [not_found(lang) for lang in sorted({*languages, _FALLBACK})]
        covered = json.dumps([self._prompt.hash, language, said])
        self.hash = hashlib.sha256(covered.encode()).hexdigest()[:12]

    def messages(self, query: Query, context: Sequence[Hit]) -> list[Message]:
        """Return a system and a user message; the chunks are numbered from 1 in the order of the context."""
        lang = self._language or query.lang
        values = {
            "context": "\n\n".join(self._chunk(number, hit, lang) for number, hit in enumerate(context, start=1)),
            "question": query.text,
            # Of the query's language also where the prompt is not: the answer is to be in that language.
            "not_found": not_found(query.lang),
        }
        return [
            {"role": part, "content": self._prompt.fill(_key(self._prompt, part, lang), **values).strip()}
            for part in _PARTS
        ]

    def _chunk(self, number: int, hit: Hit, lang: str) -> str:
        key = _key(self._prompt, _CHUNK, lang)
        if key not in self._prompt.texts:
            return f"[{number}] {hit.chunk.text}"
        shown = {"number": str(number), "score": f"{hit.score:.2f}", "text": hit.chunk.text}
        return self._prompt.fill(key, **shown).strip()


def _key(prompt: Prompt, part: str, lang: str) -> str:
    keys = (f"{part}.{lang}", f"{part}.{base_language(lang)}", part)
    return next((key for key in keys if key in prompt.texts), f"{part}.{_FALLBACK}")


def _languages(prompt: Prompt) -> list[str]:
    """Return the languages that have texts.

    Raises:
        ConfigError: if a key is neither a part nor a part of a language.
    """
    languages = set()
    for key in prompt.texts:
        part, dot, lang = key.partition(".")
        if part not in (*_PARTS, _CHUNK) or bool(dot) != bool(lang):
            raise ConfigError(f"{prompt.path}: unknown text '{key}'; {nearest(key, (*_PARTS, 'system.en', 'user.en'))}")
        if lang and part != _CHUNK:
            languages.add(lang)
    return sorted(languages)


def _check(prompt: Prompt, languages: Sequence[str]) -> None:
    """Refuse a file with which some query could not be asked."""
    texts = prompt.texts
    needed = [(f"{part}.{lang}", part) for lang in languages for part in _PARTS]
    needed += [(part, f"{part}.{_FALLBACK}") for part in _PARTS]
    for key, instead in needed:
        if key not in texts and instead not in texts:
            raise ConfigError(f"{prompt.path}: text '{key}' is missing; add it")
    for key in texts:
        names = _CHUNK_PLACEHOLDERS if key.partition(".")[0] == _CHUNK else _PLACEHOLDERS
        prompt.fill(key, **dict.fromkeys(names, ""))
    for lang in dict.fromkeys((*languages, _FALLBACK)):
        keys = [_key(prompt, part, lang) for part in _PARTS]
        if not any("question" in Template(texts[key]).get_identifiers() for key in keys):
            raise ConfigError(f"{prompt.path}: text '{keys[1]}' lacks $question, so no question would be asked; add it")
