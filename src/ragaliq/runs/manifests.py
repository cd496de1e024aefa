"""The manifests of one run: what must be equal for two calls to work on it, and what is kept of an earlier call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ragaliq.errors import InputError


def continued(earlier: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """Return the manifest of a call that goes on with the run of an earlier one.

    A smaller `--limit` takes nothing away: `expected` holds the greater number of queries of each language.
    `earlier_versions` holds the versions of all earlier calls that are not this one's.
    """
    expected = {lang: _most(earlier["expected"].get(lang, {}), counts) for lang, counts in now["expected"].items()}
    merged = {**now, "expected": {**earlier["expected"], **expected}}
    if "expected_nuggets" in now:
        merged["expected_nuggets"] = _most(earlier.get("expected_nuggets", {}), now["expected_nuggets"])
    if "shard" in now:
        merged["shard"] = {**now["shard"], "queries": _longest(earlier["shard"]["queries"], now["shard"]["queries"])}
    if "models" in earlier:
        merged["models"] = earlier["models"]
    versions = [*earlier.get("earlier_versions", []), earlier.get("versions")]
    others = [
        one for number, one in enumerate(versions) if one and one not in (now.get("versions"), *versions[:number])
    ]
    return {**merged, **({"earlier_versions": others} if others else {})}


def _longest(earlier: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """Return each language's longer list of queries: a smaller `--limit` takes the first of the same list."""
    return {lang: max(earlier.get(lang, []), now.get(lang, []), key=len) for lang in {**earlier, **now}}


def continuation_notes(earlier: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return what a user should know of a call that goes on with the run of an earlier one."""
    notes = []
    before, after = earlier.get("versions") or {}, now.get("versions") or {}
    changed = [name for name in sorted({*before, *after}) if before.get(name) != after.get(name)]
    if changed:
        which = ", ".join(f"{name} {before.get(name)}" for name in changed)
        notes.append(f"begun with {which}; what is there stays, and config.json names the versions of both calls")
    for lang, counts in now["expected"].items():
        first, second = sum(earlier["expected"].get(lang, {}).values()), sum(counts.values())
        if first > second:
            advice = "--fresh, or another folder with --out, takes fewer"
            notes.append(
                f"{lang}: an earlier call took {first} queries, this one {second}: all {first} count; {advice}"
            )
    return notes


def joined_manifest(manifests: Mapping[Path, Mapping[str, Any]], order: Sequence[str] = ()) -> dict[str, Any]:
    """Return the manifest of the run that shards or partial runs make together; `manifests` are theirs by file.

    System, judge, check, data, planned looks and versions must be equal, and the shards complete. `expected` is the
    sum, by language: those of `order` first, then the others as the runs name them.

    Raises:
        InputError: that names two files and the first field in which they differ, and shards that are missing or twice.
    """
    (first, manifest), *others = manifests.items()
    for file, other in others:
        different = first_difference(_joinable(manifest), _joinable(other))
        if different:
            field, _, values = different.partition(": ")
            raise InputError(
                f"{file}: is no part of the run in {first}: {field}: {values.replace(' then, ', ' there, ')[:-4]} here"
            )
    _check_shards(manifests)
    present = dict.fromkeys(lang for one in manifests.values() for lang in one["expected"])
    langs = [*(lang for lang in order if lang in present), *(lang for lang in present if lang not in order)]
    joined = {key: value for key, value in manifest.items() if key != "shard"}
    joined["expected"] = {lang: _sums([one["expected"].get(lang, {}) for one in manifests.values()]) for lang in langs}
    if "expected_nuggets" in manifest:
        nuggets = _sums([one["expected_nuggets"] for one in manifests.values()])
        joined["expected_nuggets"] = {lang: nuggets[lang] for lang in langs}
    models: dict[str, str] = {}
    for file, one in manifests.items():
        different = first_difference({**one.get("models", {}), **models}, {**models, **one.get("models", {})}, "models")
        if different:
            raise InputError(f"{file}: is no part of the run in {first}: {different}; name the model's revision")
        models |= one.get("models", {})
    return {**joined, **({"models": models} if models else {})}


def _joinable(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return what must be equal for two runs to be parts of one."""
    return {**_identity(manifest), "shard": None, "versions": manifest.get("versions")}


def _check_shards(manifests: Mapping[Path, Mapping[str, Any]]) -> None:
    """Refuse shards of which one is missing or twice; those of different languages are counted apart."""
    numbered: dict[tuple[tuple[str, ...], int], dict[int, Path]] = {}
    for file, manifest in manifests.items():
        shard = manifest.get("shard")
        if shard is None:
            continue
        shards = numbered.setdefault((tuple(sorted(shard["queries"])), shard["count"]), {})
        earlier = shards.setdefault(shard["index"], file)
        if earlier != file:
            name = f"{shard['index']}/{shard['count']}"
            raise InputError(f"{file}: shard.index: shard {name} is in {earlier}, too; name each shard once")
    for (langs, count), shards in numbered.items():
        missing = [str(index) for index in range(1, count + 1) if index not in shards]
        if missing:
            raise InputError(
                f"{next(iter(shards.values()))}: shard.count: {count} shards of {', '.join(langs)}, and shard "
                f"{', '.join(missing)} is missing; name its folder, too"
            )


def _sums(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    names = dict.fromkeys(name for one in counts for name in one)
    return {name: sum(one.get(name, 0) for one in counts) for name in names}


def _most(earlier: Mapping[str, int], now: Mapping[str, int]) -> dict[str, int]:
    return {**earlier, **{name: max(count, earlier.get(name, 0)) for name, count in now.items()}}


def asked_judge(judge: Mapping[str, Any]) -> dict[str, Any]:
    """Return what decides a recorded judge's grades; what it is certified by does not."""
    return {key: value for key, value in judge.items() if key != "certificate"}


def _identity(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return what must be equal for two calls to work on the same run."""
    data, judge = manifest.get("data", {}), manifest.get("judge")
    return {
        "system": manifest.get("system"),
        "judge": judge and asked_judge(judge),
        "check": manifest.get("check"),
        "data": data.get("hash"),
        "looks": manifest.get("looks"),
        "shard": {key: value for key, value in (manifest.get("shard") or {}).items() if key != "queries"},
    }


def with_earlier_parts(earlier: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """Return a manifest with the judge, check and planned looks of an earlier one where it has none."""
    parts = [part for part in ("judge", "check", "looks") if part in now or part in earlier]
    return {**now, **{part: now.get(part) or earlier.get(part) for part in parts}}


def changed_place(earlier: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return the first place at which two manifests differ, judges by their names; an empty text for the same run."""
    # What an earlier call did not have is none of its configuration.
    now = {**now, **{part: earlier.get(part) and now.get(part) for part in ("judge", "check")}}
    if (earlier.get("check") or {}).get("kind") == "offline":
        # Its findings cost nothing, so that others may take their place.
        now["check"] = earlier["check"]
    place = first_difference(_identity(earlier), _identity(now))
    if place.startswith("looks"):
        one, two = (_planned_looks(manifest) for manifest in (earlier, now))
        return f"looks: {one} planned then, {two} now" if one != two else place
    if place.startswith("judge"):
        one, two = (judge_name(manifest["judge"]) for manifest in (earlier, now))
        return f"judge: {one} then, {two} now" if one != two else place
    return place


def _planned_looks(manifest: Mapping[str, Any]) -> Any:
    record = manifest.get("looks")
    return "none" if record is None else record.get("planned") if isinstance(record, dict) else record


def judge_name(judge: Mapping[str, Any] | None) -> str:
    """Return what a recorded judge is called: its name, else its kind and model."""
    if judge is None:
        return "none"
    return str(judge.get("name") or ":".join(filter(None, (judge["kind"], judge.get("model")))))


def first_difference(one: Any, two: Any, path: str = "") -> str:
    """Return the first place at which two values differ, or an empty text."""
    if isinstance(one, dict) and isinstance(two, dict):
        for key in sorted(one.keys() | two.keys()):
            place = first_difference(one.get(key), two.get(key), f"{path}.{key}" if path else key)
            if place:
                return place
        return ""
    return "" if one == two else f"{path}: {one!r} then, {two!r} now"


def has_reranker(system: Mapping[str, Any]) -> bool:
    """Return whether the system of a manifest reranks."""
    return bool(system.get("reranker", {}).get("kind", "none") != "none")
