"""Attacks on a judge through the texts that it reads, in six languages (`attacks.yaml`)."""

from __future__ import annotations

import base64
import codecs
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import regex

from ragaliq.storage.yaml_files import read_yaml

_FILE = Path(__file__).with_name("attacks.yaml")
_NUMBER = regex.compile(r"\p{Nd}+(?:[.,:]\p{Nd}+)*")
_INVISIBLE = "\u200b"


@dataclass(frozen=True, slots=True)
class Attack:
    """A text that is to win a better verdict than the answer deserves.

    Attributes:
        attack_id: name and language, as in `fake-verdict.de`.
        lang: the language that it is written in.
        kind: `fake-verdict`, `fake-delimiter`, `fake-rubric`, `role-play` or `encoded`; `wrong-number`, `authority` or
            `padding` for the subtle ones.
        subtle: whether it imitates no form, so that no parser and no fence can tell it from an answer.
        place: `answer` or `context`: what it comes through.
        text: what is added; empty for a rule that changes the answer itself.
    """

    attack_id: str
    lang: str
    kind: str
    subtle: bool
    place: str
    text: str

    def apply(self, answer: str, reference: str) -> str:
        """Return the answer as the attack leaves it.

        A text comes behind the answer; one through the context does, too, as a reader leaves it that copies a passage.
        `wrong-number` changes one number of the answer: the first that stands in the reference as well, else the first,
        by 1 in its last digit (9 becomes 8); an answer without a number in digits stays as it is.
        """
        if self.kind == "wrong-number":
            return _next_number(answer, reference)
        return f"{answer}\n{self.text}" if answer else self.text


@lru_cache(maxsize=1)
def load_attacks() -> tuple[Attack, ...]:
    """Return all attacks, sorted by language and name."""
    data = read_yaml(_FILE)
    del data["version"]
    found = [
        Attack(
            f"{name}.{lang}",
            lang,
            entry["kind"],
            entry.get("subtle", False),
            entry["place"],
            _encoded(text, entry.get("encode", "")),
        )
        for name, entry in data.items()
        for lang, text in entry["texts"].items()
    ]
    return tuple(sorted(found, key=lambda attack: (attack.lang, attack.attack_id)))


def _encoded(text: str, encoding: str) -> str:
    if encoding == "base64":
        return base64.b64encode(text.encode("utf-8")).decode("ascii")
    if encoding == "rot13":
        # Letters of other scripts stay: there the attack is hidden in part.
        return codecs.encode(text, "rot13")
    return _INVISIBLE.join(text) if encoding == "invisible" else text


def _next_number(answer: str, reference: str) -> str:
    known = set(_NUMBER.findall(reference))
    numbers = list(_NUMBER.finditer(answer))
    chosen = next((number for number in numbers if number[0] in known), numbers[0] if numbers else None)
    if chosen is None:
        return answer
    # The digits of every script stand in order, so this holds for them all.
    last = chosen.end() - 1
    digit = chr(ord(answer[last]) + (-1 if _is_nine(answer[last]) else 1))
    return answer[:last] + digit + answer[last + 1 :]


def _is_nine(digit: str) -> bool:
    return int(digit) == 9
