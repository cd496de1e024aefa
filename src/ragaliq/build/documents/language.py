"""The language of a document: declared, or recognised and reported."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from ragaliq.benchmark.layout import is_code
from ragaliq.errors import ConfigError, nearest
from ragaliq.text.language import SUPPORTED, identify, in_language, likeliest
from ragaliq.text.language_names import language_code
from ragaliq.text.terms import base_language

DECLARED, RECOGNISED, BESIDE, DEFAULT = "declared", "recognised", "as the documents beside it", "default"
# Characters of a document that are read; the rest adds nothing.
_READ = 20_000
_NO_LANGUAGE = "en"
_CODE = re.compile(r"(`{3,}|~{3,}).*?(?:\1|\Z)|(`+)[^`\n]+\2", re.DOTALL)


def document_language(text: str, declared: Sequence[str]) -> str | None:
    """Return the language of a text, recognised from its first 20,000 characters; None if it is too short to tell.

    Of several declared languages, it is the likeliest, however short the text is.
    """
    part = text[:_READ]
    return likeliest(part, declared) if declared else identify(part, SUPPORTED)


def in_another_language(text: str, lang: str) -> bool:
    """Return whether what a model wrote is in another language; program text between backticks or tildes has none."""
    return in_language(_CODE.sub(" ", text), lang) is False


def check_language(lang: str, where: str) -> None:
    """Refuse what is no code of a language, as in `de` or `pt-BR`.

    Raises:
        ConfigError: if so; it names the nearest code.
    """
    if not is_code(lang):
        raise ConfigError(f"{where}: '{lang}' is not a language code such as de or pt-BR")
    base = base_language(lang)
    if base not in SUPPORTED and not language_code(base):
        hint = nearest(base, SUPPORTED)
        raise ConfigError(f"{where}: '{lang}' is the code of no language that is known; {hint}")


def check_declared(declared: Sequence[str], where: str) -> None:
    """Refuse several languages if the detector does not know one of them: its documents would get another language.

    Raises:
        ConfigError: if so.
    """
    unknown = [lang for lang in declared if base_language(lang) not in SUPPORTED]
    if len(declared) > 1 and unknown:
        raise ConfigError(
            f"{where}: documents in '{unknown[0]}' cannot be recognised among others; build them alone, with --lang "
            f"{unknown[0]}"
        )


def check_translatable(langs: Collection[str], targets: Collection[str], where: str) -> None:
    """Refuse to translate documents in several languages, or into their own.

    Raises:
        ConfigError: if so.
    """
    if targets and len(set(langs)) > 1:
        listed = sorted(set(langs))
        raise ConfigError(
            f"{where}: 'translate.languages' needs documents in one language, and these are in {', '.join(listed)}; "
            f"name it, as in languages: [{listed[0]}], or build a benchmark of each"
        )
    own = [lang for lang in langs if lang in targets]
    if own:
        raise ConfigError(f"{where}: 'translate.languages' names '{own[0]}', the language of the documents; remove it")


def main_language(*languages: Iterable[str]) -> tuple[str, str]:
    """Return the most frequent language of the first collection that is not empty, and how it is known.

    Of equally frequent ones, the first in the alphabet. Without any, it is `en` by default.
    """
    for known in languages:
        counts = Counter(known)
        if counts:
            return min(counts, key=lambda lang: (-counts[lang], lang)), BESIDE
    return _NO_LANGUAGE, DEFAULT
