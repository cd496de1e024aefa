"""A run on disk: one folder with its configuration, answers, verdicts, timings and metrics.

While a run works, `answers.jsonl` and `verdicts.jsonl` are journals: one durable line per finished item, a later line
for the same item replaces the earlier. At the end both are rewritten, sorted by language and query id.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ragaliq.errors import InputError
from ragaliq.runs.rows import ANSWERS, VERDICTS, RunAnswer
from ragaliq.runs.shapes import ANSWER, CONFIG, TIMING, VERDICT
from ragaliq.storage.files import is_draft, write_json
from ragaliq.storage.foreign import is_rows_of, refuse_foreign
from ragaliq.storage.journal import journal_lines, read_journal
from ragaliq.storage.lock import locked
from ragaliq.storage.own_json import check_row, read_own_json
from ragaliq.storage.record_store import Key, RecordStore
from ragaliq.types import Verdict


class RunFolder:
    """The files of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config_file = path / "config.json"
        self.answers_file = path / "answers.jsonl"
        self.verdicts_file = path / "verdicts.jsonl"
        self.regrading_file = path / "verdicts.regrading.jsonl"
        self.timings_file = path / "timings.jsonl"
        self.metrics_file = path / "metrics.json"
        self.controls_file = path / "controls.json"
        self.checks_file = path / "checks.jsonl"
        self.nuggets_file = path / "nugget_scores.jsonl"
        self.context_file = path / "context_scores.jsonl"
        self.traces_file = path / "traces.jsonl"
        self.errors_file = path / "errors.log"

    def __str__(self) -> str:
        return str(self.path)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes out of the run while this one writes it.

        Raises:
            InputError: if another process is at work here.
        """
        if self.path.exists() and not self.path.is_dir():
            raise InputError(f"{self.path}: is a file; give a folder with --out")
        busy, remedy = "another process is at work on this run; wait for it", "give another folder"
        with locked(self.path, str(self.path), busy=busy, remedy=remedy, folder=True):
            yield

    def retrieval_file(self, lang: str) -> Path:
        """Return the TREC run of one language."""
        return self.path / f"retrieval.{lang}.trec"

    def open(self, manifest: Mapping[str, Any], fresh: bool = False) -> None:
        """Begin the run, or go on with it, and write its configuration.

        Args:
            manifest: the resolved configuration. Languages and expected counts of an earlier call are kept beside the
                new ones; everything else must be the same.
            fresh: throw away what an earlier run left here, as is done with one of another configuration that has no
                answer: it may not have worked.

        Raises:
            InputError: if the folder holds other files, or a run with another configuration.
        """
        present = self.path.iterdir() if self.path.is_dir() else ()
        if not self.config_file.is_file() and not all(map(is_draft, present)):
            raise InputError(f"{self.path}: is neither empty nor a run; give another folder with --out")
        if fresh and self.config_file.is_file():
            self.check_removable()
            self.remove()
        if self.makes_room_for(manifest):
            return self.open(manifest, fresh=True)
        merged = dict(manifest)
        if self.config_file.is_file():
            earlier = self.config()
            merged = _with_earlier_parts(earlier, manifest)
            different = _different(earlier, merged)
            if different:
                raise InputError(
                    f"{self.config_file}: this run was made with another configuration ({different}); "
                    "give another folder with --out, or begin anew with --fresh"
                )
            merged["expected"] = _wider(earlier["expected"], manifest["expected"])
            if "expected_nuggets" in manifest:
                merged["expected_nuggets"] = _most(earlier.get("expected_nuggets", {}), manifest["expected_nuggets"])
            if "models" in earlier:
                merged["models"] = earlier["models"]
        write_json(self.config_file, merged)

    def makes_room_for(self, manifest: Mapping[str, Any]) -> bool:
        """Return whether here is a run of another configuration in which nothing has been answered or graded."""
        if not self.config_file.is_file():
            return False
        earlier = self.config()
        files = (self.answers_file, self.verdicts_file, self.regrading_file)
        bare = not any(any(journal_lines(file)) for file in files)
        return bare and bool(_different(earlier, _with_earlier_parts(earlier, manifest)))

    def remove(self) -> None:
        """Remove the files of a run, and nothing else that may be in the folder.

        The configuration goes last: a process killed on the way leaves a run that can be begun anew again.
        """
        for path in (
            self.verdicts_file, self.regrading_file, self.answers_file, self.timings_file, self.metrics_file,
            self.controls_file, self.checks_file, self.nuggets_file, self.context_file, self.traces_file,
            self.errors_file,
            self.path / "report.html", *self.path.glob("retrieval.*.trec"), self.config_file,
        ):  # fmt: skip
            path.unlink(missing_ok=True)

    def check_removable(self) -> None:
        """Refuse to begin anew in a folder that may be somebody else's.

        A run whose configuration is broken is known by its answers; a blank configuration is nobody's.

        Raises:
            InputError: if it is no run.
        """
        try:
            self.config()
        except InputError:
            if self.config_file.read_bytes().strip(b"\0\t\n\r ") and not any(journal_lines(self.answers_file)):
                raise
            advice = "move it away, or give another folder with --out"
            refuse_foreign(self.answers_file, is_rows_of(ANSWER), advice)
            for path in (self.verdicts_file, self.regrading_file):
                refuse_foreign(path, is_rows_of(VERDICT), advice)

    def config(self) -> dict[str, Any]:
        """Return the run's configuration.

        Raises:
            InputError: if the folder is no run.
        """
        if not self.config_file.is_file():
            raise InputError(f"{self.path}: no run here (config.json is missing); give a run folder")
        what, remedy = "the configuration of a run", "give another folder, or begin anew with --fresh"
        return dict(read_own_json(self.config_file, CONFIG, what, remedy))

    def note_models(self, models: Mapping[str, str]) -> None:
        """Add to the configuration what the models turned out to be.

        Raises:
            InputError: if a model is another one than in an earlier call.
        """
        if not models:
            return
        config = self.config()
        known = config.get("models", {})
        changed = [part for part, model in models.items() if known.get(part, model) != model]
        if changed:
            part = changed[0]
            raise InputError(
                f"{self.config_file}: the {part} was '{known[part]}' and is '{models[part]}' now; name its revision, "
                "or begin anew with --fresh"
            )
        if models.keys() - known.keys():
            write_json(self.config_file, {**config, "models": {**known, **models}})

    def answers(self) -> RecordStore[RunAnswer]:
        """Return the finished answers."""
        return RecordStore(self.answers_file, ANSWERS)

    def verdicts(self, path: Path | None = None) -> RecordStore[Verdict]:
        """Return the verdicts."""
        return RecordStore(path or self.verdicts_file, VERDICTS)

    def seconds(self) -> dict[Key, float]:
        """Return how long the reader took for each item, in seconds; the last timing of an item counts."""
        timings: dict[Key, float] = {}
        for number, row in read_journal(self.timings_file):
            check_row(row, TIMING, f"{self.timings_file}:{number}")
            timings[row["lang"], row["query_id"]] = float(row["seconds"])
        return timings


def _wider(earlier: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """Return how many queries a run has answered or is to answer: a smaller `--limit` takes nothing away."""
    return {**earlier, **{lang: _most(earlier.get(lang, {}), counts) for lang, counts in now.items()}}


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
    }


def _with_earlier_parts(earlier: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """Return a manifest with the judge and check of an earlier one where it has none."""
    parts = [part for part in ("judge", "check") if part in now or part in earlier]
    return {**now, **{part: now.get(part) or earlier.get(part) for part in parts}}


def _different(earlier: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return the first place at which two manifests differ, judges by their names; an empty text for the same run."""
    # What an earlier call did not have is none of its configuration.
    now = {**now, **{part: earlier.get(part) and now.get(part) for part in ("judge", "check")}}
    if (earlier.get("check") or {}).get("kind") == "offline":
        # Its findings cost nothing, so that others may take their place.
        now["check"] = earlier["check"]
    place = difference(_identity(earlier), _identity(now))
    if place.startswith("judge"):
        one, two = (judge_name(manifest["judge"]) for manifest in (earlier, now))
        return f"judge: {one} then, {two} now" if one != two else place
    return place


def judge_name(judge: Mapping[str, Any] | None) -> str:
    """Return what a recorded judge is called: its name, else its kind and model."""
    if judge is None:
        return "none"
    return str(judge.get("name") or ":".join(filter(None, (judge["kind"], judge.get("model")))))


def difference(one: Any, two: Any, path: str = "") -> str:
    """Return the first place at which two values differ, or an empty text."""
    if isinstance(one, dict) and isinstance(two, dict):
        for key in sorted(one.keys() | two.keys()):
            place = difference(one.get(key), two.get(key), f"{path}.{key}" if path else key)
            if place:
                return place
        return ""
    return "" if one == two else f"{path}: {one!r} then, {two!r} now"
