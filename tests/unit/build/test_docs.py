"""docs/build.md names what there is: keys of `build.yaml`, stages, reasons."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from pathlib import Path

from ragaliq.build.pipeline import STAGES
from ragaliq.build.settings import BuildSettings, Questions, SourceSettings
from ragaliq.build.settings_file import PRESETS

ROOT = Path(__file__).resolve().parents[3]
TEXT = (ROOT / "docs/build.md").read_text(encoding="utf-8")


def keys(settings: object, before: str = "") -> list[str]:
    """Return the keys of settings, with the section in front."""
    found: list[str] = []
    for entry in fields(settings):  # type: ignore[arg-type]
        value = getattr(settings, entry.name)
        found += keys(value, f"{entry.name}.") if is_dataclass(value) else [f"{before}{entry.name}"]
    return found


def test_every_key_of_build_yaml_is_explained() -> None:
    named = [
        *keys(BuildSettings()),
        *(entry.name for kind in (SourceSettings, Questions) for entry in fields(kind)),
        *PRESETS,
    ]
    assert len(named) > 40
    assert [name for name in named if f"`{name}`" not in TEXT] == []


def test_every_stage_is_explained_with_its_reasons() -> None:
    told = re.findall(r"^\| `([a-z-]+)` \|", TEXT, re.MULTILINE)
    rows = [name for name in told if name in {stage.name for stage in STAGES}]
    assert rows[: len(STAGES)] == [stage.name for stage in STAGES]
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src/ragaliq/build").rglob("*.py"))
    table = TEXT.partition("## Stages")[2].partition("- **Evidence**")[0]
    reasons = {reason for cell in re.findall(r"\| ([^|]*) \|$", table, re.MULTILINE)
               for reason in re.findall(r"`([a-z ]+)`", cell)}  # fmt: skip
    assert len(reasons) > 12
    assert [reason for reason in sorted(reasons) if f'"{reason}"' not in sources] == []
