"""Data sets by a name: `hub:NAME[:CONFIG][@REVISION]` of the hub, and `beir:NAME` from BEIR's own server."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ragaliq.benchmark.layout import one_language
from ragaliq.errors import ConfigError, InputError, listed, nearest
from ragaliq.formats.beir import read_beir
from ragaliq.formats.reading.collection import Collection

_SPEC = re.compile(r"(?P<name>[^@:]+)(?::(?P<config>[^@:]+))?(?:@(?P<revision>[^@]+))?")


# Where archives are kept, below the folder that one works in.
_STORE = Path(".ragaliq") / "datasets"


def read_beir_source(
    name: str, langs: Sequence[str] | None = None, split: str = "", base_url: str = ""
) -> dict[str, Collection]:
    """Return a public data set of BEIR; its archive is fetched on first use and kept in `.ragaliq/datasets`.

    Args:
        name: a name of the catalogue (`scifact`, or `cqadupstack/android` for a part).
        langs: the one language, `en` unless said.
        split: part of the queries; empty takes the catalogue's choice.
        base_url: where archives come from; empty stands for BEIR's own server.

    Raises:
        InputError: if the catalogue does not know the name or has no archive of it, a split is hidden or unknown, or
            what comes is not the archive that BEIR published.
        Stopped: if the connection breaks again and again; the same call goes on.
    """
    from ragaliq.formats.catalogue import catalogue, check_split
    from ragaliq.formats.reading.download import BEIR_URL, download_beir

    whole, _, part = name.partition("/")
    known = next((d for d in catalogue("beir") if whole in (d.name, *d.aliases)), None)
    if known is None:
        raise InputError(f"beir:{name}: not a data set of BEIR; {nearest(whole, (d.name for d in catalogue('beir')))}")
    if not known.public:
        raise InputError(f"beir:{name}: cannot be fetched; {known.access}")
    if known.parts and part not in known.parts:
        raise InputError(f"beir:{name}: name a part, as beir:{known.name}/{known.parts[0]}; {listed(known.parts)}")
    if part and not known.parts:
        raise InputError(f"beir:{name}: '{known.name}' has no parts; give a split with --split")
    lang = one_language(langs, known.lang)
    check_split(known.name, split)
    place = download_beir(known.name, _STORE, base_url or BEIR_URL, known.md5)
    return {lang: read_beir(place / known.name / part if part else place, split or known.default_split, lang)}


def read_hub_source(spec: str, langs: Sequence[str] | None = None, split: str = "") -> dict[str, Collection]:
    """Return the collections of a data set of the hub, per language.

    Args:
        spec: a repository (`mteb/scifact`), a name of the catalogue (`scifact`, `miracl-de`) or of one of its families
            with languages (`miracl`, `mmarco`); with `:CONFIG` and `@REVISION` where they are needed.
        langs: languages; a family needs them.
        split: part of the queries; empty takes the catalogue's choice.

    Raises:
        ConfigError: if the name is not of this form, the data set is not on the hub, or the hub cannot be reached.
        InputError: if the data set is unknown or malformed, or the split's judgements are withheld.
    """
    match = _SPEC.fullmatch(spec)
    if match is None:
        raise ConfigError(f"hub:{spec}: hub:NAME[:CONFIG][@REVISION] is expected, as in hub:mteb/scifact")
    name, config, revision = match["name"], match["config"] or "", match["revision"] or ""
    collections = {lang: _one(name, config, revision, split, lang) for lang in langs or [""]}
    # A pair of languages keeps its name, which tells it from the same documents with other queries.
    return {lang if "-" in lang else own.lang: own for lang, own in collections.items()}


def _one(name: str, config: str, revision: str, split: str, lang: str) -> Collection:
    # Only here, so that no other command waits for it.
    from ragaliq.formats.catalogue import entry, find
    from ragaliq.formats.hub.load import read_hub
    from ragaliq.formats.mmarco import language_pair

    short = name.rstrip("/").rpartition("/")[2]
    known = find(f"{short}-{lang}") if lang else None
    if known is None and short == "mmarco" and "-" in lang:
        known = entry(f"mmarco-{language_pair(lang)[0]}")
        queries = entry(f"mmarco-{language_pair(lang)[1]}")
        known = replace(known, config=f"{known.config}/{queries.config}")
    if "/" in name:
        own = known.config if known and not config else config
        return read_hub(name, own, split, lang, revision)
    known = known or entry(name)
    if not known.hub:
        raise ConfigError(f"hub:{name}: not on the hub; {known.access or known.archive or 'see its owners'}")
    return read_hub(known.hub, config or known.config, split, known.lang, revision)
