"""One change to the bytes of a file, drawn by a seed: what disks, editors, exports and attackers make of it."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable

# Values as JSON and YAML write them, in the place of one that was right.
_VALUES = (
    "null", "true", "0", "-1", "0.5", "1e400", "1" + "0" * 400, "9" * 5000, "NaN", "-Infinity", ".nan", '""', '" "',
    '"x"', '"\\ud800"', '"\\u0000"', '"a\\nb"', "[]", "{}", "[[1]]", '{"a": {}}', '[null, "x"]', 
    "[" * 2000 + "]" * 2000, '{"a":' * 2000 + "1" + "}" * 2000, "[" * 1000, "2024-01-02", "!!bool x", "!!timestamp x",
    "!!set {a, b}", "*a", "!!binary aGk=", "&a [*a]", "'", '"', "\t", "../../etc", "en",
)  # fmt: skip
_BYTES = (b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xe2\x80\xa8", b"\r", b"\n\n", b"\t", b'"', b"\\", b"{")
_MARK = "\x01value\x01"
_FIELD = re.compile(r"(?<=: )[^\n]+|(?<==)[^\n]+|(?<=[\t,>])[^\t,\n<]+|[^\t\n,: ]+")


def mutated(data: bytes, rng: random.Random) -> tuple[str, bytes]:
    """Return the name of a mutation, and the bytes that it makes."""
    mutation = rng.choice(_MUTATIONS)
    return mutation.__name__.lstrip("_"), mutation(data, rng)


def _bytes_flipped(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 3, 20))):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _bytes_inserted(data: bytes, rng: random.Random) -> bytes:
    place = rng.choice((0, len(data), rng.randint(0, len(data))))
    return data[:place] + rng.choice(_BYTES) + data[place:]


def _line_dropped(data: bytes, rng: random.Random) -> bytes:
    return _with_lines(data, lambda lines: lines.pop(rng.randrange(len(lines))))


def _line_twice(data: bytes, rng: random.Random) -> bytes:
    return _with_lines(data, lambda lines: lines.insert(rng.randrange(len(lines)), rng.choice(lines)))


def _lines_swapped(data: bytes, rng: random.Random) -> bytes:
    return _with_lines(data, rng.shuffle)


def _truncated(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randint(0, len(data))]


def _emptied(data: bytes, rng: random.Random) -> bytes:
    return rng.choice((b"", b"\n", b" ", b"\xef\xbb\xbf", b"null", b"[]", b"{}", b'"x"', b"0"))


def _crlf(data: bytes, rng: random.Random) -> bytes:
    return data.replace(b"\n", rng.choice((b"\r\n", b"\r", b"\n\r")))


def _recoded(data: bytes, rng: random.Random) -> bytes:
    return data.decode("utf-8", "replace").encode(rng.choice(("utf-16", "utf-32-le", "cp1252")), "replace")


def _value_replaced(data: bytes, rng: random.Random) -> bytes:
    """Put a wrong value in the place of one: in JSON and JSON Lines of any value, elsewhere of any field."""
    text = data.decode("utf-8", "replace")
    value = rng.choice(_VALUES)
    for whole in (True, False):
        lines = [text] if whole else text.split("\n")
        place = rng.randrange(len(lines))
        try:
            tree = json.loads(lines[place])
        except (ValueError, RecursionError):
            continue
        lines[place] = json.dumps(_replaced(tree, rng)).replace(json.dumps(_MARK), value)
        return "\n".join(lines).encode("utf-8", "surrogatepass")
    fields = list(_FIELD.finditer(text))
    if not fields:
        return value.encode()
    field = rng.choice(fields)
    return (text[: field.start()] + value + text[field.end() :]).encode("utf-8", "surrogatepass")


def _key_changed(data: bytes, rng: random.Random) -> bytes:
    """Rename, repeat or remove a key of a mapping."""
    text = data.decode("utf-8", "replace")
    keys = list(re.finditer(r'"?\w+"?(?=:)', text))
    if not keys:
        return data + data
    key = rng.choice(keys)
    return (text[: key.start()] + rng.choice(("x", rng.choice(keys)[0], "", "<<", "1")) + text[key.end() :]).encode()


def _replaced(tree: object, rng: random.Random) -> object:
    """Return a JSON value with the mark in the place of one of its parts, deep ones as likely as shallow ones."""
    places: list[tuple[object, object]] = []

    def walk(part: object) -> None:
        children = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
        for key, child in children:
            places.append((part, key))
            walk(child)

    walk(tree)
    if not places or rng.random() < 0.05:
        return _MARK
    parent, key = rng.choice(places)
    parent[key] = _MARK  # type: ignore[index]
    return tree


def _with_lines(data: bytes, change: Callable[[list[bytes]], object]) -> bytes:
    lines = data.split(b"\n")
    change(lines)
    return b"\n".join(lines)


_MUTATIONS = (
    _bytes_flipped, _bytes_inserted, _line_dropped, _line_twice, _lines_swapped, _truncated, _emptied, _crlf, _recoded,
    *[_value_replaced] * 6, _key_changed, _key_changed,
)  # fmt: skip
