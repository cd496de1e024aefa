"""The manifests of one run: what must be equal for two calls to work on it, and what is kept of an earlier call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def continued(earlier: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """Return the manifest of a call that goes on with the run of an earlier one.

    A smaller `--limit` takes nothing away: `expected` holds the greater number of queries of each language.
    `earlier_versions` holds the versions of all earlier calls that are not this one's.
    """
    expected = {lang: _most(earlier["expected"].get(lang, {}), counts) for lang, counts in now["expected"].items()}
    merged = {**now, "expected": {**earlier["expected"], **expected}}
    if "expected_nuggets" in now:
        merged["expected_nuggets"] = _most(earlier.get("expected_nuggets", {}), now["expected_nuggets"])
    if "models" in earlier:
        merged["models"] = earlier["models"]
    versions = [*earlier.get("earlier_versions", []), earlier.get("versions")]
    others = [
        one for number, one in enumerate(versions) if one and one not in (now.get("versions"), *versions[:number])
    ]
    return {**merged, **({"earlier_versions": others} if others else {})}


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
