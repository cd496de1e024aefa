"""XML of other tools, read without trust, and texts that XML cannot hold."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn
from xml.parsers.expat import ExpatError, ParserCreate

from ragaliq.errors import ConfigError, InputError

# What XML 1.0 has no way to write, not even as a character reference; and the start of our own way to write it.
_ESCAPED = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]|\\(?=u\{)")
_ESCAPE = re.compile(r"\\u\{([0-9A-Fa-f]{1,6})\}")
_LAST = 0x10FFFF


@dataclass(frozen=True, slots=True)
class XmlRoot:
    """The outermost element of a file: its name without namespace, and its attribute `version`, or empty."""

    name: str
    version: str


def to_xml_text(text: str) -> str:
    r"""Return a text that XML can hold: other characters as `\u{HEX}`, and `\u{` itself as `\u{5C}u{`."""
    return _ESCAPED.sub(lambda match: f"\\u{{{ord(match[0]):X}}}", text)


def from_xml_text(text: str) -> str:
    """Return the text that `to_xml_text` was given; what names no code point stays as it is."""

    def character(match: re.Match[str]) -> str:
        code = int(match[1], 16)
        return chr(code) if code <= _LAST else match[0]

    return _ESCAPE.sub(character, text)


def xml_root(data: bytes, path: Path) -> XmlRoot:
    """Return the root of an XML file that is whole and declares no entities.

    Entities are refused before any other parser sees the file: they can name other files, or grow without end.

    Raises:
        InputError: if it is anything else; the message names file and line.
    """
    roots: list[XmlRoot] = []
    parser = ParserCreate(namespace_separator=" ")

    def start(name: str, attributes: Mapping[str, str]) -> None:
        if not roots:
            roots.append(XmlRoot(name.rpartition(" ")[2], attributes.get("version", "")))

    def entity(*names: object) -> NoReturn:
        raise InputError(f"{path}:{parser.CurrentLineNumber}: uses the entity '{names[0]}'; write its text instead")

    parser.StartElementHandler = start
    parser.EntityDeclHandler = entity
    parser.SkippedEntityHandler = entity
    try:
        parser.Parse(data, True)
    except ExpatError as error:
        message = str(error).partition(":")[0]
        remedy = "correct this line, or save the file again in your tool"
        raise InputError(f"{path}:{error.lineno}: not XML ({message}); {remedy}") from None
    except (LookupError, ValueError) as error:
        raise InputError(f"{path}: not XML ({error}); save the file as UTF-8") from None
    return roots[0]


def require_toolkit() -> None:
    """Refuse to go on without the library that knows the files of translation tools.

    Raises:
        ConfigError: if it is not installed; the message names the command.
    """
    try:
        import translate.storage.xliff2  # noqa: F401
    except ImportError:
        # Another package, or an older version, may have the name `translate`.
        raise ConfigError("XLIFF and TMX need translate-toolkit: pip install translate-toolkit") from None
